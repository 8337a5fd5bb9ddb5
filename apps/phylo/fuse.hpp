// Tree fusing: parts of one good tree put into another (Goloboff 1999).
#pragma once

#include <cstdint>
#include <vector>

#include "likelihood.hpp"
#include "regraft/msa/tree.hpp"
#include "topology.hpp"

namespace regraft::phylo {

/// A part of a tree that a donor resolves differently: splits that both have bound it, and none is inside.
struct Exchange {
    /// The fingerprint of the tree afterwards minus that before: names the two resolutions, whatever is around them.
    std::uint64_t change = 0;
    /// Gives the tree the donor's resolution and its lengths there, bounding edges included.
    msa::TreeUndo move;
    std::vector<msa::HalfEdge> edges;  // one end of those afterwards
};

/// All of them, of which each could be made without the others; the smallest first. None if the topologies are equal.
/// Precondition: the same number of tips and length sets. O(n log n).
std::vector<Exchange> exchanges(msa::Tree const& tree, msa::Tree const& donor);

/// Makes an exchange, and optimises the branches there.
Climb make(Likelihood& likelihood, Exchange const& exchange);

}  // namespace regraft::phylo
