// How a search gets from stage to stage.
#pragma once

#include <vector>

#include "regraft/search/optimise.hpp"
#include "regraft/search/search.hpp"

namespace regraft::search {

/// The stage with which a search begins whose models are given.
Stage first_stage(Goal goal);

/// Begins a stage, or another round of it.
void enter(SearchState& state, Stage stage);

/// The steps of a round: all branches, then all models. Returns whether this was the last one.
bool optimise_next(SearchState& state, DistributedLikelihood& likelihood, double epsilon, Pace pace);

/// Fits the unions of partitions that are tried, or the best scheme, and merges those that lower the score.
void advance_merging(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options);

/// The choices that still have candidates, in their order.
template <class Choices>
auto unfinished(Choices& choices) {
    std::vector<decltype(&choices.front())> result;
    for (auto& choice : choices) {
        if (choice.running) result.push_back(&choice);
    }
    return result;
}

}  // namespace regraft::search
