// The steps of a process in a call, such that all survivors see one outcome of the call. These are state machines: the
// caller carries out each step and reports how it went. So a model checker and MPI drive the same decisions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "regraft/core/contracts.hpp"
#include "shield/protocol/ledger.hpp"

namespace regraft::shield {

/// The role of this process in an operation to a root. none: the operation has no root, or its inputs are not kept.
enum class Role : std::uint8_t { none, gives, takes };

struct Traits {
    /// No member can complete the operation before all members have entered it.
    bool synchronises = false;
    /// All members get the same result, and it is small enough to be kept.
    bool forwardable = false;
    Role role = Role::none;
    /// Only with a role. For a member that gives: its input is too large to be kept, so it waits until the root
    /// confirms receipt. For the root: an input may be so large, so it confirms receipt. Inputs of different members
    /// may differ in this.
    bool acknowledged = false;
    /// Number of bytes of the operation that each member keeps; the same on all members.
    std::size_t bytes = 0;
};

struct CommitOptions {
    /// Limits on the operations that may return without one that synchronises: their number, and the bytes that are
    /// kept of them. The operation that reaches a limit is confirmed, which bounds the log.
    std::uint32_t window = 512;
    std::size_t window_bytes = 1U << 16U;
    /// Every operation is confirmed by a barrier, and none is forwarded.
    bool always_confirm = false;
};

/// A collective: forwarded, collected or confirmed. Its number is one more than the number of operations that have
/// returned on the lane. Forwarded: a process that has the outcome keeps it for those whose call failed. Collected: a
/// process that has given its input to the root keeps it, because the root's call may fail, or waits until the root
/// confirms receipt. Confirmed: no process returns before all have succeeded.
class Call {
public:
    enum class Step {
        look,         // see look()
        deliver,      // the outcome is in the ledger: pass it to the caller
        skip,         // the root is dead: follow the policy, without a message
        attempt,      // the operation itself, on the lane
        pack,         // pack the result, or the input for the root, into the newest outcome of the ledger
        give,         // pack the input for the root into the outcome, and send it there
        take,         // at the root: receive the inputs that the outcome lacks, and combine all inputs
        acknowledge,  // at the root: confirm receipt of large inputs; elsewhere: wait for that
        confirm,      // a barrier on the lane
        repair,       // take part in a repair
        returned,     // nothing: the call is over
    };

    explicit Call(Traits traits, CommitOptions options = {}) : traits_(traits), options_(options) {}

    Step step() const { return step_; }
    /// Decides how to go on, at first and after each repair. repair_called: the control communicator is known to be
    /// revoked. root_lives: the root is a member of the lane; true without a root. Precondition: step() is look.
    void look(Ledger const& ledger, bool repair_called, bool root_lives);
    /// Reports that the step was carried out. ok: attempt, confirm, give, take and, where it waits, acknowledge
    /// succeeded here (true for other steps); if not, a member has died or called for a repair. Precondition: step() is
    /// neither look nor returned.
    void advance(Ledger& ledger, bool ok);
    /// Reports that the attempt failed because the call is wrong: it has no outcome.
    void abandon(Ledger& ledger);

private:
    Step first_step(Ledger const& ledger, bool repair_called, bool root_lives) const;
    void succeed(Ledger& ledger);
    void arrive(Ledger& ledger);
    void end_at_root(Ledger& ledger);
    void finish(Ledger& ledger);

    Traits traits_;
    CommitOptions options_;
    bool confirms_ = false;
    Step step_ = Step::look;
};

/// The attempt of a call that makes communicators. Two barriers follow the making: this one, and the one that confirms
/// the call. Between them no process is inside the calls that make communicators any more, but none has returned with
/// them either. So if a process already uses the child, all others know that they may revoke it.
class Creation {
public:
    enum class Step {
        make,    // the calls that make the communicators; fails if deaths are already known
        meet,    // a barrier on the parent's lane
        made,    // nothing: succeeded
        failed,  // nothing: another attempt must start anew
    };

    Step step() const { return step_; }
    void advance(bool ok);
    /// Whether the child may be revoked: no member is inside the calls that make it.
    bool is_safe() const { return step_ == Step::made; }

private:
    Step step_ = Step::make;
};

/// The freeing of a lane. It needs no confirmation: if a living member does not report a lane in a repair, it has freed
/// the lane, so all members have come to free it.
class Release {
public:
    enum class Step { look, meet, repair, released };

    Step step() const { return step_; }
    /// closed: a repair found that the lane was freed elsewhere. Precondition: step() is look.
    void look(bool repair_called, bool closed);
    /// meet is a barrier on the lane.
    void advance(bool ok);

private:
    Step step_ = Step::look;
};

/// The end of the job. An agreement says yes exactly if all living processes are in it. A process that needs a repair
/// says no first; then all that have come to the end help.
class Farewell {
public:
    enum class Step { look, agree, repair, gone };

    Step step() const { return step_; }
    void look(bool repair_called);
    /// ok of agree: the result of the agreement.
    void advance(bool ok);
    /// Whether the agreement before the repair was this one, so that the repair needs no vote.
    bool voted() const { return voted_; }

private:
    bool voted_ = false;
    Step step_ = Step::look;
};

/// A repair. All living processes take part, and it starts again whenever one dies in it. Agreements and renewals have
/// the same result on all that survive them; the other steps may succeed on one process and fail on another.
class Repair {
public:
    enum class Step {
        revoke,          // revoke the control communicator, all lanes, and all safe children: this wakes the processes
                         // that wait there
        vote,            // vote no in the agreement on the control communicator, where others may already be in the end
                         // of the job
        renew_control,   // shrink MPI_COMM_WORLD
        report,          // all processes exchange reports of their lanes, on the new control communicator
        agree_reported,  // vote so(): whether all reports have arrived here
        renew_lanes,     // judge children and lanes, then shrink lanes in the order of their ids
        replay,          // on each lane in that order: settle what is tentative, forward outcomes, collect inputs
        revoke_lanes,    // revoke the lanes, for processes that are still in replay
        agree_replayed,  // vote so(): whether nothing failed here
        done,
    };

    /// voted: this process has taken part in the agreement that said no.
    explicit Repair(bool voted) : voted_(voted) {}

    Step step() const { return step_; }
    /// The vote of this process in an agreement.
    bool so() const { return so_; }
    std::uint32_t rounds() const { return rounds_; }
    /// ok: report and replay succeeded here; the agreements said yes; true for the others.
    void advance(bool ok);

private:
    bool voted_;
    bool so_ = true;
    std::uint32_t rounds_ = 1;
    Step step_ = Step::revoke;
};

// Functions that every call runs are inline.

inline Call::Step Call::first_step(Ledger const& ledger, bool repair_called, bool root_lives) const {
    if (ledger.known() == ledger.returned()) {
        if (repair_called) return Step::repair;
        return root_lives ? Step::attempt : Step::skip;
    }
    if (ledger.find(ledger.returned() + 1)->kind != OutcomeKind::collecting) return Step::deliver;
    if (repair_called) return Step::repair;
    return traits_.role == Role::takes ? Step::take : Step::give;
}

inline void Call::look(Ledger const& ledger, bool repair_called, bool root_lives) {
    REGRAFT_EXPECTS(step_ == Step::look);
    step_ = first_step(ledger, repair_called, root_lives);
    bool const window_ends = ledger.unsynchronised() + 1 >= options_.window ||
                             ledger.unsynchronised_bytes() + traits_.bytes >= options_.window_bytes;
    bool const is_kept = traits_.forwardable || traits_.role != Role::none;
    confirms_ = !traits_.synchronises && window_ends;
    if (step_ == Step::attempt) confirms_ = confirms_ || !is_kept || options_.always_confirm;
}

inline void Call::advance(Ledger& ledger, bool ok) {
    switch (step_) {
        case Step::skip:
        case Step::attempt:
        case Step::confirm:
        case Step::give:
        case Step::take:
        case Step::acknowledge:
            if (ok) return succeed(ledger);
            step_ = Step::repair;
            return;
        case Step::repair:
            step_ = Step::look;
            return;
        case Step::deliver:
        case Step::pack:
            return finish(ledger);
        case Step::look:
        case Step::returned:
            REGRAFT_EXPECTS(!"this is no step to carry out");
    }
}

inline void Call::succeed(Ledger& ledger) {
    bool const gives = traits_.role == Role::gives;
    if (step_ == Step::confirm) {
        ledger.settle(/*commit=*/true);
        finish(ledger);
    } else if (step_ == Step::acknowledge) {
        if (gives) arrive(ledger);
        finish(ledger);
    } else if (step_ == Step::give && !traits_.acknowledged) {
        ledger.find(ledger.returned() + 1)->kind = OutcomeKind::input;
        finish(ledger);
    } else if (step_ == Step::give) {
        step_ = Step::acknowledge;
    } else if (step_ == Step::take) {
        arrive(ledger);
        end_at_root(ledger);
    } else if (confirms_) {
        ledger.hold_tentatively();
        step_ = Step::confirm;
    } else if (step_ == Step::skip) {
        ledger.record(OutcomeKind::skipped);
        finish(ledger);
    } else if (traits_.role == Role::takes) {
        ledger.record(OutcomeKind::arrived);
        end_at_root(ledger);
    } else if (traits_.acknowledged) {
        step_ = Step::acknowledge;
    } else {
        ledger.record(gives ? OutcomeKind::input : OutcomeKind::data);
        step_ = Step::pack;
    }
}

/// Marks that the root lacks nothing of the operation; nothing of it is kept.
inline void Call::arrive(Ledger& ledger) {
    auto const number = ledger.returned() + 1;
    auto& outcome = ledger.known() < number ? ledger.record(OutcomeKind::arrived) : *ledger.find(number);
    outcome.kind = OutcomeKind::arrived;
    outcome.bytes.clear();
}

inline void Call::end_at_root(Ledger& ledger) {
    if (traits_.acknowledged) {
        step_ = Step::acknowledge;
    } else {
        finish(ledger);
    }
}

inline void Call::finish(Ledger& ledger) {
    auto const* const outcome = ledger.find(ledger.returned() + 1);
    REGRAFT_EXPECTS(outcome != nullptr);
    bool const synchronised =
        outcome->kind == OutcomeKind::local || (outcome->kind == OutcomeKind::data && traits_.synchronises);
    ledger.finish(synchronised, traits_.bytes);
    step_ = Step::returned;
}

}  // namespace regraft::shield
