// What the next step of a search computes on.
#pragma once

#include <cstdint>
#include <vector>

#include "regraft/search/estimate.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// Partitions that share a model: their indices, in increasing order.
using Subset = std::vector<std::uint32_t>;

/// The tree and models that the next step computes on. Usually these are the tree and models of the state. While models
/// are chosen, they are the candidates of the partitions whose choice is not over, each with its own branch lengths.
/// While partitions are merged, they are the models of unions or of the scheme.
struct Subject {
    std::vector<Subset> subsets;   // for each model: the partitions whose sites it is for
    msa::Tree tree;                // with the lengths to start from
    std::vector<ModelSpec> specs;  // one per subset, like the models
    std::vector<Model> models;     // with the values to start from
    BranchLinkage linkage;         // unlinked while models are chosen
};
/// The subject of most steps: the tree and the models of all partitions.
Subject whole_subject(Estimate const& estimate, BranchLinkage linkage);

}  // namespace regraft::search
#pragma GCC visibility pop
