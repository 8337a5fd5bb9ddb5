// The calls of MPI by name: where the program makes them, how often, and what the shield did with them.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>

namespace regraft::shield {

struct Counts {
    std::uint64_t calls = 0;
    std::uint64_t forwarded = 0;         // outcomes that came from others
    std::uint64_t collected = 0;         // inputs that came to a root in repairs and by messages
    std::uint64_t committed = 0;         // calls that a repair has confirmed
    std::uint64_t repeated = 0;          // attempts after the first
    std::uint64_t restarted = 0;         // nonblocking operations of this process that were attempted again
    std::uint64_t skipped_roots = 0;     // collectives whose root is dead
    std::uint64_t skipped_sends = 0;     // messages to the dead
    std::uint64_t skipped_receives = 0;  // messages from the dead
    std::uint64_t holes = 0;             // places of the dead in receive buffers
    std::uint64_t refused = 0;           // calls that returned an error, or were passed on at the program's risk

    Counts& operator+=(Counts const& others);
};

struct Counter {
    char const* name;
    std::uint64_t Counts::*member;
};
inline constexpr std::array counters{
    Counter{"calls", &Counts::calls},
    Counter{"forwarded", &Counts::forwarded},
    Counter{"collected", &Counts::collected},
    Counter{"committed", &Counts::committed},
    Counter{"repeated", &Counts::repeated},
    Counter{"restarted", &Counts::restarted},
    Counter{"skipped_roots", &Counts::skipped_roots},
    Counter{"skipped_sends", &Counts::skipped_sends},
    Counter{"skipped_receives", &Counts::skipped_receives},
    Counter{"holes", &Counts::holes},
    Counter{"refused", &Counts::refused},
};
static_assert(sizeof(Counts) == counters.size() * sizeof(std::uint64_t), "ranks add them up as numbers");

/// All calls of one name, in this process.
struct Family {
    char const* name;
    std::int32_t number;  // index among all families
    bool is_idle;         // processes that only wait call it repeatedly, too
    Counts counts{};
    bool has_spoken = false;  // it has reported what was left out
};

/// The families that the shield intercepts, in the order of their names.
std::span<Family> families();

/// The place where the program makes a call: "prog+0x1a3f; addr2line -e prog 0x1a3f". Empty: unknown. caller: the
/// call's return address.
std::string place_of(void const* caller);

/// A call of the program, as long as it lasts. Each exported function makes one before anything else.
class Entry {
public:
    Entry(Family& family, void const* caller) : family_(family), caller_(caller), outer_(current_) {
        if (outer_ != nullptr) outer_->credit();
        current_ = this;
        ++family_.counts.calls;
        if (end_looking_ != nullptr && !family_.is_idle) end_looking_();
        if (shown_ != nullptr) shown_->store(family_.number, std::memory_order_relaxed);
    }
    Entry(Entry const&) = delete;
    Entry& operator=(Entry const&) = delete;
    ~Entry() {
        credit();
        current_ = outer_;
    }

    /// Sets the place where others see the number of the family that was called last.
    static void show(std::atomic<std::int32_t>* place) { shown_ = place; }
    /// Sets a function that is called when the program makes a call that is not idle; nullptr: none.
    static void tell_of_steps(void (*end_looking)()) { end_looking_ = end_looking; }
    /// Attributes what was counted so far to the present call.
    static void credit_current() {
        if (current_ != nullptr) current_->credit();
    }
    /// The innermost call of the program that has not returned; nullptr: none.
    static Entry const* current() { return current_; }
    struct Error {
        int code = MPI_SUCCESS;
        MPI_Comm comm = MPI_COMM_NULL;
    };
    /// Notes an error of MPI in the present call that the program has yet to be told.
    static void note_error(Error const& error) {
        if (current_ != nullptr) current_->untold_ = error;
    }
    /// The noted error; MPI_SUCCESS: none.
    Error const& untold() const { return untold_; }

    Family& family() const { return family_; }
    /// The call's return address.
    void const* caller() const { return caller_; }

private:
    /// Attributes what was counted since the last crediting to this call. Defined in session.hpp.
    void credit() const;

    static inline Entry* current_ = nullptr;
    static inline std::atomic<std::int32_t>* shown_ = nullptr;
    static inline void (*end_looking_)() = nullptr;

    Family& family_;
    void const* caller_;
    Entry* outer_;
    Error untold_;
};

}  // namespace regraft::shield
