// Consensus trees: the common splits of a set of trees.
#pragma once

#include <span>
#include <vector>

#include "regraft/msa/general_tree.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// Threshold for the splits of all trees.
inline constexpr double strict_consensus = 1;
/// Threshold for the splits of more than half of the trees (Margush and McMorris 1981).
inline constexpr double majority_rule = 0.5;
/// Threshold for the splits of the majority and then less frequent ones, the more frequent first, as long as they fit.
inline constexpr double extended_majority_rule = 0;

/// A consensus tree, and how many trees agree with each of its edges.
struct Consensus {
    GeneralTree tree;             // node 0 is the neighbour of taxon 0
    std::vector<double> support;  // per node: the fraction of trees that have the edge above it; NaN at tips and the
                                  // root
};

/// Builds the tree of the splits of more than `threshold` of the trees (1: of all). Splits are added from the most
/// frequent on; equally frequent ones are ordered by comes_before. A split that contradicts one before it is left out,
/// which happens only for thresholds below 0.5. Lengths are means over the trees that have the edge with a length. The
/// order of the trees matters only for the rounding of the means. Preconditions: there are trees, all over the same
/// taxa; 0 <= threshold <= 1. O(n) memory per tree; time as SplitTable::insert per tree, and O(n) per different split.
Consensus consensus(std::span<GeneralTree const> trees, double threshold);

}  // namespace regraft::msa
#pragma GCC visibility pop
