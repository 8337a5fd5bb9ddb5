// A shield that is broken on purpose, so that tests can show that they notice: outcomes are not forwarded, and who
// lacks one does it again. Linked with --wrap in place of Census::plan.
#include "shield/plan.hpp"

namespace regraft::shield {

LanePlan real_plan(Census const* census, LaneId lane, std::span<PeId const> members) asm(
    "__real__ZNK7regraft6shield6Census4planENS0_6LaneIdESt4spanIKNS_4PeIdELm18446744073709551615EE");
LanePlan broken_plan(Census const* census, LaneId lane, std::span<PeId const> members) asm(
    "__wrap__ZNK7regraft6shield6Census4planENS0_6LaneIdESt4spanIKNS_4PeIdELm18446744073709551615EE");

LanePlan broken_plan(Census const* census, LaneId lane, std::span<PeId const> members) {
    auto plan = real_plan(census, lane, members);
    plan.resolutions.clear();
    return plan;
}

}  // namespace regraft::shield
