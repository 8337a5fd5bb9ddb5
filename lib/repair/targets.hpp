// Decides who shall hold what: evenly if all fits as it is, by exchanges if not, at a lower level if it cannot fit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "repair/copy_flow.hpp"
#include "repair/pieces.hpp"
#include "repair/steps.hpp"

namespace regraft::repair {

/// What a plan starts from and is made of.
struct Situation {
    Units units;
    std::vector<std::uint32_t> node_of;  // by member, below num_nodes
    std::uint32_t num_nodes = 0;
    bool nodes_matter = false;
    std::size_t replicas = 0;
    Fill fill;
    /// In the order of the blocks: those with too few copies, or all.
    std::vector<Piece> pieces;
};

/// Adds to Piece::after, which is Piece::before at first, the copies that are missing; cuts pieces. Whether that is
/// all: false if room does not suffice for it, or was exceeded before. Looks at pieces with too few copies only.
bool add_what_is_missing(Situation& situation);

/// The same for all pieces there are, exchanging and dropping copies such that room suffices.
void keep_to_room(Situation& situation);

/// What is still missing goes wherever single blocks fit, level by level.
void set_targets_by_first_fit(Situation& situation);

}  // namespace regraft::repair
