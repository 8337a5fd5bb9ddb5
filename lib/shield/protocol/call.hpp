// The steps of a process in a call, such that all survivors see one outcome of the call. These are state machines: the
// caller carries out each step and reports how it went. So a model checker and MPI drive the same decisions.
#pragma once

#include <cstddef>
#include <cstdint>

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

}  // namespace regraft::shield

#include "shield/protocol/call-inl.hpp"
