// The making and the freeing of communicators.
#pragma once

#include <cstdint>

namespace regraft::shield {

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

}  // namespace regraft::shield
