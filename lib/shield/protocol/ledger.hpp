// The account of one lane: which of its operations have returned here, and what others may still have to be told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "regraft/core/contracts.hpp"
#include "regraft/core/ids.hpp"

namespace regraft::shield {

/// The same on all members of a lane, and for no other lane of the job.
enum class LaneId : std::uint64_t {};
/// Operations of a lane count from 1, alike on all its members. 0: none yet.
using OperationNumber = std::uint64_t;

/// In sketches of sets of processes: who does not have its bit there is not in the set.
constexpr std::uint64_t bit_of(PeId process) {
    constexpr std::uint32_t bits = 64;
    return std::uint64_t{1} << value(process) % bits;
}

enum class OutcomeKind : std::uint8_t {
    data,     // the same packed result for all, which can be forwarded
    skipped,  // nothing was done, for the root is dead
    local,    // confirmed by all members: each has its own result in place
    // Of an operation to a root whose inputs are small:
    input,       // the root may lack what was given here
    arrived,     // the root lacks nothing
    collecting,  // not over: some have returned, but the root has not; the others give it their inputs by messages
};

/// What a member gives to the root of an operation.
struct Input {
    PeId giver{};
    std::uint64_t bytes = 0;
    friend bool operator==(Input const&, Input const&) = default;
};

struct Outcome {
    OperationNumber number = 0;
    OutcomeKind kind = OutcomeKind::local;
    PeId root{};                   // of input and collecting
    std::vector<std::byte> bytes;  // of data; an input; at the root that collects, those of `inputs` in a row
    std::vector<Input> inputs;     // at the root that collects: of those who have returned
};

/// Operations return in the order of their numbers: returned() <= known(), and the operation after known() may be held
/// tentatively. The log has all outcomes that a living member may still lack.
class Ledger {
public:
    /// The last operation that has returned to the caller.
    OperationNumber returned() const { return returned_; }
    /// The last operation whose outcome is known here.
    OperationNumber known() const { return known_; }
    /// Whether the operation after known() has succeeded here and waits for its confirmation.
    bool is_tentative() const { return tentative_; }
    /// How many operations have returned since the last that synchronised. The same on all members at the same
    /// operation.
    std::uint32_t unsynchronised() const { return unsynchronised_; }
    /// And how many bytes of them may have to be kept. Also the same.
    std::size_t unsynchronised_bytes() const { return unsynchronised_bytes_; }
    /// Ascending by number.
    std::span<Outcome const> log() const { return std::span(log_).first(used_); }
    /// nullptr: not in the log. O(log(log)), and O(1) for the newest.
    Outcome const* find(OperationNumber number) const;
    Outcome* find(OperationNumber number) { return const_cast<Outcome*>(std::as_const(*this).find(number)); }

    /// The outcome of operation known() + 1 is known now. The rest of it is empty, for the caller to fill.
    /// Precondition: it is not tentative.
    Outcome& record(OutcomeKind kind);
    /// What was recorded last. Precondition: it is in the log.
    Outcome& newest() { return log_[used_ - 1]; }
    /// Operation known() + 1 has succeeded here, but perhaps not everywhere.
    void hold_tentatively() { tentative_ = true; }
    /// Whether what is held tentatively counts, or will be done again.
    void settle(bool commit);
    /// Operation returned() + 1 returns. synchronised: its outcome proves that all members had entered it, so they have
    /// returned from all before it, whose outcomes nobody can lack. bytes: see unsynchronised_bytes(). Precondition:
    /// its outcome is known.
    void finish(bool synchronised, std::size_t bytes = 0);
    /// All members have come to the same known(), so that what has returned here is lacked by nobody, but for inputs
    /// that roots still collect.
    void forget_returned();

private:
    Outcome const* search(OperationNumber number) const;
    void grow();
    void synchronise();
    template <class IsLacked>
    void keep_if(IsLacked const& is_lacked);

    OperationNumber returned_ = 0;
    OperationNumber known_ = 0;
    bool tentative_ = false;
    std::uint32_t unsynchronised_ = 0;
    std::size_t unsynchronised_bytes_ = 0;
    std::vector<Outcome> log_;  // and behind it memory of outcomes that were forgotten, for the next
    std::size_t used_ = 0;
    std::size_t spare_bytes_ = 0;  // behind the log
};

// Each call does these.

inline Outcome const* Ledger::find(OperationNumber number) const {
    if (used_ == 0) return nullptr;
    auto const& newest = log_[used_ - 1];
    return newest.number == number ? &newest : search(number);
}

inline Outcome& Ledger::record(OutcomeKind kind) {
    REGRAFT_EXPECTS(!tentative_);
    if (used_ == log_.size()) grow();
    auto& outcome = log_[used_++];
    spare_bytes_ -= outcome.bytes.capacity();
    outcome.number = ++known_;
    outcome.kind = kind;
    outcome.root = {};
    outcome.bytes.clear();
    outcome.inputs.clear();
    return outcome;
}

inline void Ledger::finish(bool synchronised, std::size_t bytes) {
    REGRAFT_EXPECTS(returned_ < known_);
    ++returned_;
    ++unsynchronised_;
    unsynchronised_bytes_ += bytes;
    if (synchronised) synchronise();
}

}  // namespace regraft::shield
