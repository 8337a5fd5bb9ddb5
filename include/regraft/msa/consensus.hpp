// Consensus trees: what a set of trees has in common.
#pragma once

#include <span>
#include <vector>

#include "regraft/msa/general_tree.hpp"

namespace regraft::msa {

/// Thresholds: the splits of all trees,
inline constexpr double strict_consensus = 1;
/// those of more than half of them (Margush and McMorris 1981),
inline constexpr double majority_rule = 0.5;
/// and then those of fewer, the more frequent first, as long as they fit.
inline constexpr double extended_majority_rule = 0;

struct Consensus {
    GeneralTree tree;             // hung up at taxon 0's neighbour
    std::vector<double> support;  // per node: the share of trees that have the edge above it; NaN at tips and the root
};

/// The splits of more than `threshold` of the trees (1: of all), from the most frequent on, each unless it contradicts
/// one before it, which happens below 0.5 only; equally frequent ones go by comes_before. Lengths are means over the
/// trees that have the edge with a length. The order of the trees matters only for the rounding of these.
/// Preconditions: there are trees, all over the same taxa; 0 <= threshold <= 1. O(n) memory per tree; time as for
/// SplitTable::insert per tree, and O(n) per different split.
Consensus consensus(std::span<GeneralTree const> trees, double threshold);

}  // namespace regraft::msa
