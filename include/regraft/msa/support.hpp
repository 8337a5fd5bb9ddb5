// How much of a tree its bootstrap replicates support, edge by edge.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/msa/general_tree.hpp"
#include "regraft/msa/tree.hpp"

namespace regraft::msa {

enum class SupportMetric : std::uint8_t {
    /// The share of replicates that have the edge's split (Felsenstein 1985: bootstrap proportions).
    felsenstein,
    /// 1 - d / (p - 1): d is the mean over the replicates of the least number of taxa that have to change sides to make
    /// the edge's split one of the replicate's splits, those of tips included; p is the number of taxa on the lighter
    /// side (Lemoine et al. 2018: transfer bootstrap expectation). At least the share of replicates with the split.
    transfer,
};

/// Per node of the reference the support of the edge above it, from 0 to 1; NaN where that is no inner edge.
/// Preconditions: all trees are over the same taxa; there are replicates. Per replicate: felsenstein as for
/// SplitTable::find, transfer O(n) per edge whose split the replicate lacks. The same for any order of the replicates.
std::vector<double> edge_support(GeneralTree const& reference, std::span<GeneralTree const> replicates,
                                 SupportMetric metric);

/// The same per edge in the order of reference.edges(); NaN at the edges of tips.
std::vector<double> edge_support(Tree const& reference, std::span<Tree const> replicates, SupportMetric metric);

}  // namespace regraft::msa
