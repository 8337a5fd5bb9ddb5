// Checks of states that all tasks share.
#pragma once

#include <span>

#include "regraft/search/check.hpp"

namespace regraft::search {

/// Throws InputError with "has a search " and `what` unless it is good.
void require(bool good, char const* what);
void check_tree(msa::Tree const& tree, Expected const& expected);
void check_model(ModelSpec const& spec, Model const& model, CountedData const& counted);
/// Checks branch lengths from which an optimiser starts.
void check_lengths(std::span<double const> lengths, char const* what);

}  // namespace regraft::search
