// Whether a search can go on from a state that was read from a file, whose bytes may be anything.
#pragma once

#include <cstdint>

#include "board.hpp"
#include "input.hpp"
#include "options.hpp"
#include "search.hpp"

namespace regraft::phylo {

/// What the state of a search must fit.
struct Expected {
    Dataset const& dataset;
    BranchLinkage linkage;
    Criterion criterion;
    Constraint const* constraint;  // none: any tree
};

/// Throws InputError, which says what is wrong, if a step from the state would meet a broken precondition. What it came
/// to is not looked at: a checksum is for that. O(size of the state).
void check_state(SearchState const& state, Purpose purpose, Expected const& expected);

}  // namespace regraft::phylo
