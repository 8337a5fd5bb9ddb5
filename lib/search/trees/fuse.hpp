// Tree fusing: parts of one good tree put into another (Goloboff 1999).
#pragma once

#include <cstdint>
#include <vector>

#include "regraft/msa/tree.hpp"
#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/topology.hpp"

namespace regraft::search {

/// A part of a tree that a donor, another tree of the same taxa, resolves differently. Splits that both trees have
/// bound the part, and none is inside it.
struct SubtreeExchange {
    /// The fingerprint of the tree after the exchange minus that before. This number identifies the two resolutions,
    /// whatever surrounds them.
    std::uint64_t change = 0;
    /// Gives the tree the donor's resolution and its lengths there, including those of the bounding edges.
    msa::TreeUndo move;
    std::vector<msa::HalfEdge> edges;   // one end of each edge of the new resolution
    std::vector<std::uint64_t> clades;  // the donor's clade_hashes of the splits that the tree lacks
};

/// All exchanges, the smallest first; each can be made without the others. Empty if the topologies are equal.
/// Precondition: the same number of tips and length sets. O(n log n).
std::vector<SubtreeExchange> exchanges(msa::Tree const& tree, msa::Tree const& donor);

/// Makes an exchange, and optimises its branches. Collective.
Outcome make(DistributedLikelihood& likelihood, SubtreeExchange const& exchange);

}  // namespace regraft::search
