// Shows other processes on the host that this one only waits for them, and finds out whether all processes wait.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "shield/session/session.hpp"

namespace regraft::shield {

/// While an object shows a wait, the call goes on only if another process does something. No wait is shown in functions
/// of the program, files, windows and communicators that are not shielded, because these take any time and may bring
/// something then. An inner object shows nothing.
class Waiting {
public:
    /// For messages: the wait is shown when go_on() is called.
    Waiting() = default;
    /// For collectives on the lane, with their repairs. No wait is shown while something nonblocking is under way: that
    /// may also end by a repair that a process calls out of patience.
    explicit Waiting(Lane const& lane) {
        if (!session().shield->has_pending()) show(&lane, 0);
    }
    Waiting(Waiting const&) = delete;
    Waiting& operator=(Waiting const&) = delete;
    ~Waiting() { end(); }

    /// Shows that nothing has come yet. bytes(), called once: the size of the largest message that is awaited; none if
    /// something else is awaited, too. No wait is shown while something is deferred, because this process may block in
    /// it meanwhile.
    template <class Bytes>
    void go_on(Bytes const& bytes) {
        if (std::exchange(asked_, true) || session().shield->has_deferred()) return;
        if (std::optional<std::size_t> const most = bytes()) show(nullptr, *most);
    }
    /// Ends the wait: something has come.
    void end() {
        if (present_ == this) hide();
    }

    /// Sets the place where others see it.
    static void show_at(RankState& place) { place_ = &place; }
    /// Is called after a repair: the members of the lane are now the living ones.
    static void renew();
    /// Whether the program gets an obituary now, because no living process makes a step. A call that waits for any
    /// source while members are dead asks repeatedly. False if no wait is shown.
    static bool is_in_vain();

private:
    friend class Unshown;
    friend class Looking;

    /// There is one writer, so nothing is locked. lane: nullptr for messages.
    void show(Lane const* lane, std::size_t bytes) {
        if (present_ != nullptr || place_ == nullptr) return;
        present_ = this;
        lane_ = lane;
        place_->lane.store(lane == nullptr ? 0 : static_cast<std::uint64_t>(lane->id), std::memory_order_relaxed);
        place_->bytes.store(bytes, std::memory_order_relaxed);
        if (lane != nullptr) show_members();
        count();
    }
    void hide() {
        present_ = nullptr;
        count();
        place_->starves.store(0, std::memory_order_relaxed);
        place_->looks.store(0, std::memory_order_relaxed);
    }
    void show_members() const {
        place_->members.store(static_cast<std::uint32_t>(lane_->living.size()), std::memory_order_relaxed);
        place_->sketch.store(lane_->sketch, std::memory_order_relaxed);
    }
    static void count() {
        place_->waits.store(place_->waits.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }

    static inline Waiting* present_ = nullptr;
    static inline RankState* place_ = nullptr;

    bool asked_ = false;
    Lane const* lane_ = nullptr;
};

/// A call that looks for messages and returns at once, such as MPI_Test. A process that makes such calls in a row,
/// without computing in between, waits as well, and shows it: from the first call in vain after a death until a call
/// finds something or the program calls something else.
class Looking {
public:
    Looking() {
        if (is_in_row_) enter();
    }
    Looking(Looking const&) = delete;
    Looking& operator=(Looking const&) = delete;
    ~Looking() {
        if (is_in_row_) leave();
    }

    static bool is_in_row() { return is_in_row_; }
    /// Is called when it has found nothing. bytes(): as in Waiting::go_on().
    template <class Bytes>
    void in_vain(Bytes const& bytes) {
        if (!is_in_row_ && !may_begin()) return;
        if (std::optional<std::size_t> const most = bytes()) show(*most);
    }

private:
    static bool may_begin();
    static void enter();
    void leave() const;
    void show(std::size_t bytes);
    static void end();

    static inline bool is_in_row_ = false;
    bool is_in_vain_ = false;
};

/// Makes a call in collectives on the lane, and returns its result.
template <class Call>
int wait_in(Lane const& lane, Call const& call) {
    Waiting const waiting(lane);
    return call();
}

/// Hides waits as long as it lives if the condition holds: the call runs functions of the program.
class Unshown {
public:
    explicit Unshown(bool is_so) : place_(Waiting::place_) {
        if (is_so) Waiting::place_ = nullptr;
    }
    Unshown(Unshown const&) = delete;
    Unshown& operator=(Unshown const&) = delete;
    ~Unshown() { Waiting::place_ = place_; }

private:
    RankState* place_;
};

}  // namespace regraft::shield
