// Meetings of all PEs of a job: after every list of items, and after every failure.
#pragma once

#include <span>
#include <string>

#include "progress/progress.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/ft/communicator.hpp"

namespace regraft::phylo {

/// What a PE knows about the work.
struct Knowledge {
    Progress progress;           // what was known of each item at the last meeting; the same on all PEs
    Progress news;               // states that this PE's group has reached since then
    bool news_on_disk = false;   // whether news are in a checkpoint that only this PE writes
    bool diverged = false;       // whether members of a group have computed different states
    std::string reason_to_stop;  // empty: no request to stop
};

/// Adds the news of all groups to the progress of all PEs; afterwards there are no news. group: the PEs, including dead
/// ones, with which this PE has worked; empty: none yet. A request to stop on one PE becomes known to all. Returns
/// whether any PE had news on disk. Throws ft::Divergence on all PEs if one has diverged. Collective, uniform.
bool meet(ft::Communicator& comm, std::span<PeId const> group, Knowledge& known);

}  // namespace regraft::phylo
