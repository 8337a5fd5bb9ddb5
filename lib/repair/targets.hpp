// Decides which member shall hold what: evenly if everything fits, by exchanges if not, and with fewer copies if these
// do not suffice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "repair/copy_flow.hpp"
#include "repair/pieces.hpp"
#include "repair/steps.hpp"

namespace regraft::repair {

/// The input of a plan and its intermediate state.
struct Situation {
    Units units;
    std::vector<std::uint32_t> node_of;  // by member, below num_nodes
    std::uint32_t num_nodes = 0;
    bool nodes_matter = false;
    std::size_t replicas = 0;
    Fill fill;
    /// Pieces in the order of the blocks: those with too few copies, or all.
    std::vector<Piece> pieces;
};

/// Adds the missing copies to Piece::after, which equals Piece::before at first; cuts pieces. Returns false if room
/// does not suffice for all of them, or was exceeded before. Looks only at pieces with too few copies.
bool add_what_is_missing(Situation& situation);

/// The same for all pieces there are; exchanges and drops copies such that room suffices.
void keep_to_room(Situation& situation);

/// Places copies that are still missing wherever single blocks fit, level by level.
void set_targets_by_first_fit(Situation& situation);

}  // namespace regraft::repair
