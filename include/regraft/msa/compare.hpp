// Distances between trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "regraft/msa/splits.hpp"
#include "regraft/msa/tree.hpp"

namespace regraft::msa {

/// The number of splits that are in exactly one of the trees (Robinson and Foulds 1981); 0 iff the topologies are
/// equal, at most 2 (n - 3). Precondition: both complete and of n tips. O() as
/// for SplitTable::insert.
std::uint32_t robinson_foulds(Tree const& a, Tree const& b);

/// The distances of a tree to the trees first, first + 1, ... Preconditions: tree < trees.size(), first <=
/// trees.size(). O(splits of all these trees).
std::vector<std::uint32_t> robinson_foulds(SplitSets const& trees, std::size_t tree, std::size_t first = 0);

/// Per tree the first that has the same splits: its own number if none before it has. O(splits of all trees).
std::vector<std::size_t> first_equals(SplitSets const& trees);

}  // namespace regraft::msa
