// Results of tests of trees, and log-likelihoods of sites, as text.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "input/input.hpp"
#include "regraft/search/tree_tests.hpp"

namespace regraft::phylo {

using namespace search;

/// The number with the digits that are told of a p-value that is computed, not counted.
double rounded(double value);

/// A table for people: a line per tree, with a mark at each value that rejects the tree.
std::vector<std::string> test_lines(std::span<TreeTest const> tests);

/// The text of PREFIX.test: a line per tree, and one above them; columns are separated by tabs.
std::string test_table(std::span<TreeTest const> tests);

/// The text of PREFIX.siteLH, in the format of TREE-PUZZLE: a line per tree with the value of each site, in the order
/// of the alignment. loglh: [tree][pattern].
std::string site_table(Dataset const& dataset, std::span<std::vector<double> const> loglh);

}  // namespace regraft::phylo
