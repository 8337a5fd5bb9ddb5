// Transitions between stages of a search, and steps that several stages share.
#pragma once

#include <vector>

#include "regraft/search/optimise.hpp"
#include "regraft/search/search.hpp"

namespace regraft::search {

/// The stage with which a search begins whose models are given.
Stage first_stage(Goal goal);

/// Begins a stage, or another round of it: resets round, position and waiting subtrees.
void enter(SearchState& state, Stage stage);

/// Makes the next step of a round of optimisation, of which there are two: all branches, then all models. Returns
/// whether this was the last one. Collective.
bool optimise_next(SearchState& state, DistributedLikelihood& likelihood, double epsilon, Pace pace);

/// Makes a step of Stage::merging: fits the unions of partitions that are tried, or the best scheme, and merges the
/// pair that lowers the score most. Collective.
void advance_merging(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options);

/// Pointers to the choices whose trials have not all ended, in their order. Choices: a vector of PartitionChoice.
template <class Choices>
auto unfinished(Choices& choices) {
    std::vector<decltype(&choices.front())> result;
    for (auto& choice : choices) {
        if (choice.running) result.push_back(&choice);
    }
    return result;
}

}  // namespace regraft::search
