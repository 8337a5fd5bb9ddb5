// Maximum parsimony: scores and starting trees (Fitch 1971).
#pragma once

#include <cstdint>

#include "regraft/msa/patterns.hpp"
#include "regraft/msa/tree.hpp"

namespace regraft::msa {

/// The least number of state changes on the tree, over all sites. An ambiguous cell may be any of its states.
/// Precondition: complete tree with as many tips as there are taxa. O(taxa * patterns).
std::uint64_t parsimony_score(Tree const& tree, Patterns const& patterns);

/// Adds the taxa one by one, in an order drawn from seed, each at the edge where it costs least; among equals at that
/// with the lowest half-edge. All lengths are Tree::default_length. Precondition: at least 3 taxa. O(taxa^2 *
/// patterns).
Tree stepwise_addition(Patterns const& patterns, std::uint64_t seed);

/// Adds the tips in order, each at an edge drawn uniformly: every topology is equally likely. All lengths are
/// Tree::default_length. Precondition: num_tips >= 3.
Tree random_tree(std::uint32_t num_tips, std::uint64_t seed);

}  // namespace regraft::msa
