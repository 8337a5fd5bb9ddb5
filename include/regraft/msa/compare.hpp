// Distances between trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "regraft/msa/splits.hpp"
#include "regraft/msa/tree.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// The number of splits that are in exactly one of the trees (Robinson and Foulds 1981); 0 iff the topologies are
/// equal, at most 2 (n - 3). Precondition: both trees are complete and have n tips. Complexity as SplitTable::insert.
std::uint32_t robinson_foulds(Tree const& a, Tree const& b);

/// The distances of a tree to the trees first, first + 1, ... Preconditions: tree < trees.size(), first <=
/// trees.size(). O(splits of all these trees).
std::vector<std::uint32_t> robinson_foulds(SplitSets const& trees, std::size_t tree, std::size_t first = 0);

/// The first tree with the same splits, for every tree; its own number if none before it has them. O(splits of all
/// trees).
std::vector<std::size_t> first_equals(SplitSets const& trees);

}  // namespace regraft::msa
#pragma GCC visibility pop
