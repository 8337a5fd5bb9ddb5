// A shield that is broken on purpose, so that tests can show that they notice: outcomes are not forwarded, and a rank
// that lacks one does it again.
#include "wrapped_plan.hpp"

namespace regraft::shield {

LanePlan broken_plan(Census const* census, LaneId lane, std::span<PeId const> members) {
    auto plan = real_plan(census, lane, members);
    plan.resolutions.clear();
    return plan;
}

}  // namespace regraft::shield
