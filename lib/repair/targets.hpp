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
    /// In the order of the blocks; without room only those with too few copies.
    std::vector<Piece> pieces;
};

/// Sets Piece::after, which is Piece::before at first; cuts pieces.
void set_targets(Situation& situation);

/// What is still missing goes wherever single blocks fit, level by level.
void set_targets_by_first_fit(Situation& situation);

}  // namespace regraft::repair
