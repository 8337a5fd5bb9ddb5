// What the shield of one process holds.
#pragma once

#include "shield/engine/options.hpp"
#include "shield/engine/statistics.hpp"
#include "shield/lanes/busy.hpp"
#include "shield/lanes/deaths.hpp"
#include "shield/lanes/lanes.hpp"
#include "shield/lanes/stage.hpp"
#include "shield/lanes/survivors.hpp"

namespace regraft::shield {

struct Process {
    Options options;
    Statistics statistics;
    Deaths deaths;
    Survivors survivors;
    Stage stage;
    Lanes lanes;
    BusyLanes busy;
};

}  // namespace regraft::shield
