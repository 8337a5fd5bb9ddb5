// Distances between trees.
#pragma once

#include <cstdint>

#include "regraft/msa/tree.hpp"

namespace regraft::msa {

/// The number of splits that are in exactly one of the trees (Robinson and Foulds 1981); 0 iff the topologies are
/// equal, at most 2 (n - 3). Precondition: both complete and of n tips. O(n^2).
std::uint32_t robinson_foulds(Tree const& a, Tree const& b);

}  // namespace regraft::msa
