// Checks whether a search can continue from a state that was read from a file, whose bytes may be anything.
#pragma once

#include <cstdint>
#include <optional>

#include "input/input.hpp"
#include "input/options.hpp"
#include "progress/progress.hpp"
#include "regraft/search/search.hpp"

namespace regraft::phylo {

/// The properties that the state of a search must have.
struct Expected {
    Dataset const& dataset;
    BranchLinkage linkage;
    Criterion criterion;
    Constraint const* constraint;  // null: any tree
    std::size_t num_trees = 0;     // trees that are tested
    std::uint32_t num_samples = 0;
    std::uint32_t num_replicates = 0;  // of the ultrafast bootstrap
    std::optional<MergeOptions> merging = std::nullopt;
};

/// Throws InputError, which says what is wrong, if a step from the state would break a precondition. Results in the
/// state are not checked: a checksum protects them. O(size of the state).
void check_state(SearchState const& state, Item item, Expected const& expected);

}  // namespace regraft::phylo
