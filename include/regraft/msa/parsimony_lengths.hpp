// Branch lengths from the changes that parsimony counts.
#pragma once

#include <cstdint>

#include "regraft/msa/parsimony.hpp"
#include "regraft/msa/tree.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// The tree with other lengths, in all sets: the changes on each edge (Fitch 1971) per site, from 1/10 of a change on.
/// A site counts for an edge if the two sides of the edge have no state in common. Changes of states that only one
/// taxon has count in equal parts for the edges of tips, those that no edge has for all edges. If sites count for more
/// changes than there are, they are scaled, so that all lengths add up to the score.
/// Preconditions: as for parsimony_score; num_sites > 0, with weights. O(taxa * sites).
Tree with_parsimony_lengths(Tree tree, ParsimonySites const& sites, std::uint64_t num_sites);

}  // namespace regraft::msa
#pragma GCC visibility pop
