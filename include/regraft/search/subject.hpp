// What the next step of a search computes on.
#pragma once

#include <cstdint>
#include <vector>

#include "regraft/msa/tree.hpp"
#include "regraft/search/likelihood_values.hpp"
#include "regraft/search/merging.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

struct SearchState;
enum class Stage : std::uint8_t;

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
/// The subject of the next step of a state. linkage: that of the search, which holds once models are chosen.
Subject subject(SearchState const& state, BranchLinkage linkage);
/// Whether a step of this stage may change the subject, so that the next step needs a new DistributedLikelihood.
bool changes_subject(Stage stage);

}  // namespace regraft::search
#pragma GCC visibility pop
