#include "shield/fail_points.hpp"

#include <algorithm>

#include "ft/backend.hpp"

namespace regraft::shield {

RepairPoints repair_points;
CallPoints call_points;

void reach(ft::FailPoint& point, PeId self) {
    auto const victims = point.victims_now();
    if (std::find(victims.begin(), victims.end(), self) != victims.end()) ft::backend::die(point.moment());
}

}  // namespace regraft::shield
