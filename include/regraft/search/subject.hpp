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

/// The trees and models that the next step computes on. While models are chosen these are not state.tree with all
/// models, but the candidates of those partitions that still have some, each with its own branch lengths. While
/// partitions are merged, they are those of unions.
struct Subject {
    std::vector<Subset> subsets;   // of each model: the partitions whose sites it is for
    msa::Tree tree;                // with the lengths to start from
    std::vector<ModelSpec> specs;  // one per subset, like the models
    std::vector<Model> models;     // with the values to start from
    BranchLinkage linkage;         // unlinked while models are chosen
};
Subject subject(SearchState const& state, BranchLinkage linkage);  // linkage: of the search, once models are chosen
/// Whether the next step may need another likelihood than the one before it.
bool changes_subject(Stage stage);

}  // namespace regraft::search
#pragma GCC visibility pop
