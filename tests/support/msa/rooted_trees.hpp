// Checks of rooted trees, which follow parents from every tip.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "regraft/codec/rooted_tree.hpp"

namespace regraft::test {

/// What is wrong with a tree as codec::RootedTree describes it, except for the order among inner siblings; empty if
/// nothing is.
inline std::string mistake_in(codec::RootedTree const& tree) {
    auto const n = tree.row_of_tip.size();
    auto const num_nodes = tree.parent.size();
    if (n == 0 || num_nodes != (n == 1 ? 1 : n == 2 ? 3 : 2 * n - 2)) return "number of nodes";
    if (tree.first_tip.size() != num_nodes || tree.last_tip.size() != num_nodes) return "sizes";
    auto rows = tree.row_of_tip;
    std::ranges::sort(rows);
    for (std::size_t row = 0; row < n; ++row) {
        if (rows[row] != row) return "rows are no permutation";
    }

    if (tree.parent[0] != 0) return "parent of the root";
    std::vector<std::vector<std::uint32_t>> children(num_nodes);
    for (std::uint32_t v = 1; v < num_nodes; ++v) {
        // In pre-order a parent is the node before, or above it.
        auto above = v - 1;
        while (above != tree.parent[v] && above != 0) above = tree.parent[above];
        if (above != tree.parent[v]) return "not in pre-order";
        children[tree.parent[v]].push_back(v);
    }

    std::vector<std::vector<std::uint32_t>> tips(num_nodes);
    std::uint32_t num_tips = 0;
    for (std::uint32_t v = 0; v < num_nodes; ++v) {
        auto const arity = children[v].size();
        if (arity != 0 && arity != (v == 0 && n > 2 ? 3U : 2U)) return "number of children";
        if (tree.is_tip(v) != (arity == 0)) return "is_tip";
        auto const is_inner = [&](std::uint32_t child) { return !children[child].empty(); };
        if (!std::ranges::is_sorted(children[v], {}, is_inner)) return "a tip after an inner sibling";
        if (arity != 0) continue;
        for (auto above = v; above != 0; above = tree.parent[above]) tips[above].push_back(num_tips);
        tips[0].push_back(num_tips++);
    }
    for (std::uint32_t v = 0; v < num_nodes; ++v) {
        std::vector<std::uint32_t> interval(tips[v].size());
        std::iota(interval.begin(), interval.end(), tree.first_tip[v]);
        if (tips[v] != interval || tree.last_tip[v] != tree.first_tip[v] + interval.size()) return "tips of a node";
    }
    return "";
}

/// A set of rows, or its complement, whichever lacks row 0.
using Split = std::vector<std::uint32_t>;

/// The splits at the inner edges of a tree.
inline std::set<Split> splits(codec::RootedTree const& tree) {
    auto const n = tree.num_tips();
    std::set<Split> found;
    for (std::uint32_t v = 1; v < tree.num_nodes(); ++v) {
        std::vector<bool> below(n);
        for (auto tip = tree.first_tip[v]; tip < tree.last_tip[v]; ++tip) below[tree.row_of_tip[tip]] = true;
        Split split;
        for (std::uint32_t row = 0; row < n; ++row) {
            if (below[row] != below[0]) split.push_back(row);
        }
        if (split.size() > 1 && split.size() + 1 < n) found.insert(split);
    }
    return found;
}

}  // namespace regraft::test
