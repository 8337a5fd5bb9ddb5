// Computes how much the bootstrap replicates of a tree support each of its edges.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/msa/general_tree.hpp"
#include "regraft/msa/tree.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// How an edge is compared with a replicate.
enum class SupportMetric : std::uint8_t {
    /// The fraction of replicates that have the edge's split (Felsenstein 1985: bootstrap proportions).
    felsenstein,
    /// 1 - d / (p - 1), where p is the number of taxa on the lighter side. d is the mean over the replicates of the
    /// least number of taxa that have to change sides to turn the edge's split into one of the replicate's splits,
    /// including those of tips (Lemoine et al. 2018: transfer bootstrap expectation). It is at least the fraction of
    /// replicates with the split.
    transfer,
};

/// The support of the edge above each node of the reference, from 0 to 1; NaN where that is no inner edge.
/// Preconditions: all trees are over the same taxa; there are replicates. Time per replicate: felsenstein as
/// SplitTable::find, transfer O(n) per edge whose split the replicate lacks. The same for any order of the replicates.
std::vector<double> edge_support(GeneralTree const& reference, std::span<GeneralTree const> replicates,
                                 SupportMetric metric);

/// The same per edge in the order of reference.edges(); NaN at the edges of tips.
std::vector<double> edge_support(Tree const& reference, std::span<Tree const> replicates, SupportMetric metric);

}  // namespace regraft::msa
#pragma GCC visibility pop
