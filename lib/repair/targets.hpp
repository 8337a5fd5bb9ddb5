// Decides which member shall hold what: evenly if everything fits, by exchanges if not, and with fewer copies if these
// do not suffice.
#pragma once

#include "repair/holdings.hpp"

namespace regraft::repair {

/// Adds the missing copies to PlannedBlocks::after, which equals PlannedBlocks::before at first; cuts pieces. Returns
/// false if room does not suffice for all of them, or was exceeded before. Looks only at pieces with too few copies.
bool add_what_is_missing(Situation& situation);

/// The same for all pieces there are; exchanges and drops copies such that room suffices.
void keep_to_room(Situation& situation);

/// Places copies that are still missing wherever single blocks fit, level by level.
void set_targets_by_first_fit(Situation& situation);

}  // namespace regraft::repair
