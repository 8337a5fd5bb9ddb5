// What the shield of one process holds.
#pragma once

#include "shield/engine/options.hpp"
#include "shield/engine/statistics.hpp"
#include "shield/lanes/busy.hpp"
#include "shield/lanes/deaths.hpp"
#include "shield/lanes/lanes.hpp"
#include "shield/lanes/living_world.hpp"
#include "shield/lanes/survivors.hpp"

namespace regraft::shield {

struct Process {
    ShieldOptions options;
    Statistics statistics;
    Deaths deaths;
    Survivors survivors;
    LivingWorld living_world;
    Lanes lanes;
    BusyLanes busy;
};

}  // namespace regraft::shield
