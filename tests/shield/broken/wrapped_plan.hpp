// Census::plan for shields that are broken on purpose, which are linked with --wrap of its name.
#pragma once

#include <span>

#include "shield/protocol/plan.hpp"

namespace regraft::shield {

/// The function of the shield.
LanePlan real_plan(Census const* census, LaneId lane, std::span<PeId const> members) asm(
    "__real__ZNK7regraft6shield6Census4planENS0_6LaneIdESt4spanIKNS_4PeIdELm18446744073709551615EE");
/// The function that is called in its place.
LanePlan broken_plan(Census const* census, LaneId lane, std::span<PeId const> members) asm(
    "__wrap__ZNK7regraft6shield6Census4planENS0_6LaneIdESt4spanIKNS_4PeIdELm18446744073709551615EE");

}  // namespace regraft::shield
