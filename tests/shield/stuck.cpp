// A shield that is broken on purpose: rank 2 stays in each repair for ever. Linked with --wrap in place of
// Census::plan.
#include <cstdlib>
#include <string_view>

#include <unistd.h>

#include "shield/plan.hpp"

namespace regraft::shield {

LanePlan real_plan(Census const* census, LaneId lane, std::span<PeId const> members) asm(
    "__real__ZNK7regraft6shield6Census4planENS0_6LaneIdESt4spanIKNS_4PeIdELm18446744073709551615EE");
LanePlan stuck_plan(Census const* census, LaneId lane, std::span<PeId const> members) asm(
    "__wrap__ZNK7regraft6shield6Census4planENS0_6LaneIdESt4spanIKNS_4PeIdELm18446744073709551615EE");

LanePlan stuck_plan(Census const* census, LaneId lane, std::span<PeId const> members) {
    while (std::string_view(std::getenv("OMPI_COMM_WORLD_RANK")) == "2") pause();
    return real_plan(census, lane, members);
}

}  // namespace regraft::shield
