// Adds missing copies such that the amounts that members receive are as even as possible.
#pragma once

#include "repair/holdings.hpp"

namespace regraft::repair {

/// Only adds copies. Returns whether all missing copies are planned.
bool add_evenly(Holdings& holdings);

}  // namespace regraft::repair
