// Points at which tests tell a process under the shield to die.
#pragma once

#include <span>

#include "regraft/core/ids.hpp"
#include "regraft/ft/failure_plan.hpp"

namespace regraft::shield {

struct RepairPoints {
    ft::FailPoint vote{"shield:vote", ft::Moment::during_next_call};
    ft::FailPoint shrink{"shield:shrink", ft::Moment::during_next_call};
    ft::FailPoint report{"shield:report"};
    ft::FailPoint replay{"shield:replay"};
    ft::FailPoint end{"shield:end"};
};
/// Points in calls: when the shield starts, within MPI_Init; between and inside the calls that make a communicator;
/// around those that confirm, that give to a root which collects, and that take there; before all counts are added up;
/// and before and after the report is written.
struct CallPoints {
    ft::FailPoint start{"shield:start"};
    ft::FailPoint call{"shield:call"};
    ft::FailPoint inside{"shield:call:inside", ft::Moment::during_next_call};
    ft::FailPoint between{"shield:create:between", ft::Moment::during_next_call};
    ft::FailPoint meet{"shield:create:meet", ft::Moment::during_next_call};
    ft::FailPoint confirm{"shield:confirm", ft::Moment::during_next_call};
    ft::FailPoint give{"shield:give", ft::Moment::during_next_call};
    ft::FailPoint take{"shield:take", ft::Moment::during_next_call};
    ft::FailPoint add{"shield:add"};
    ft::FailPoint write{"shield:write"};
    ft::FailPoint written{"shield:written"};
};
extern RepairPoints repair_points;
extern CallPoints call_points;

void die_if_among(std::span<PeId const> victims, PeId self, ft::Moment moment);

/// Dies here, or a moment later, if the plan says so.
inline void reach(ft::FailPoint& point, PeId self) {
    auto const victims = point.victims_now();
    if (!victims.empty()) die_if_among(victims, self, point.moment());
}

}  // namespace regraft::shield
