#include "shield/lanes/fail_points.hpp"

#include <algorithm>

#include "ft/backend.hpp"

namespace regraft::shield {

RepairPoints repair_points;
CallPoints call_points;

void die_if_among(std::span<PeId const> victims, PeId self, ft::Moment moment) {
    if (std::find(victims.begin(), victims.end(), self) != victims.end()) ft::backend::die(moment);
}

}  // namespace regraft::shield
