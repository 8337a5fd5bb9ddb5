// Sets of trees, computed slowly: splits as sets of taxa, and every definition taken literally. Shares no code with msa
// except the trees themselves.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "regraft/core/random.hpp"
#include "regraft/msa/general_tree.hpp"
#include "regraft/msa/tree.hpp"

namespace regraft::test {

/// Names of n taxa: t0, t1, ...
inline std::vector<std::string> names(std::uint32_t n) {
    std::vector<std::string> result;
    for (std::uint32_t t = 0; t < n; ++t) result.push_back("t" + std::to_string(t));
    return result;
}

using Taxa = std::set<std::uint32_t>;

inline Taxa all_taxa(std::uint32_t n) {
    Taxa taxa;
    for (std::uint32_t t = 0; t < n; ++t) taxa.insert(t);
    return taxa;
}

inline Taxa complement(Taxa const& taxa, std::uint32_t n) {
    Taxa rest;
    for (auto const t : all_taxa(n)) {
        if (!taxa.contains(t)) rest.insert(t);
    }
    return rest;
}

/// One side of a split, always the one without taxon 0.
inline Taxa one_side(Taxa const& taxa, std::uint32_t n) {
    return taxa.contains(0) ? complement(taxa, n) : taxa;
}

/// The taxa below a node, found by going up from each.
inline Taxa taxa_below(msa::GeneralTree const& tree, std::uint32_t node) {
    Taxa taxa;
    for (std::uint32_t v = 0; v < tree.num_nodes(); ++v) {
        if (!tree.is_tip(v)) continue;
        for (auto u = v;; u = tree.parent[u]) {
            if (u == node) taxa.insert(tree.taxon[v]);
            if (u == 0) break;
        }
    }
    return taxa;
}

/// The splits of inner edges with the lengths of these, or of all edges.
inline std::map<Taxa, double> splits(msa::GeneralTree const& tree, bool with_tips = false) {
    std::map<Taxa, double> result;
    for (std::uint32_t v = 1; v < tree.num_nodes(); ++v) {
        if (with_tips || !tree.is_tip(v)) result[one_side(taxa_below(tree, v), tree.num_taxa())] = tree.length[v];
    }
    return result;
}

/// The number of taxa that have to change sides to make one split the other.
inline std::size_t transfers(Taxa const& a, Taxa const& b, std::uint32_t n) {
    std::size_t differences = 0;
    for (auto const t : all_taxa(n)) differences += a.contains(t) != b.contains(t) ? 1 : 0;
    return std::min(differences, n - differences);
}

inline bool are_compatible(Taxa const& a, Taxa const& b) {  // neither has taxon 0
    auto const is_within = [](Taxa const& x, Taxa const& y) { return std::ranges::includes(y, x); };
    auto const are_disjoint = [](Taxa const& x, Taxa const& y) {
        return std::ranges::none_of(x, [&](std::uint32_t t) { return y.contains(t); });
    };
    return is_within(a, b) || is_within(b, a) || are_disjoint(a, b);
}

/// How many of the trees have which split.
inline std::map<Taxa, std::size_t> split_counts(std::vector<msa::GeneralTree> const& trees) {
    std::map<Taxa, std::size_t> counts;
    for (auto const& tree : trees) {
        for (auto const& [split, length] : splits(tree)) ++counts[split];
    }
    return counts;
}

/// The splits of the greedy consensus. Of equally frequent ones, the one with the first taxon in which they differ goes
/// first.
inline std::map<Taxa, std::size_t> greedy_consensus(std::vector<msa::GeneralTree> const& trees, double threshold) {
    std::vector<std::pair<Taxa, std::size_t>> all;
    for (auto const& [split, count] : split_counts(trees)) all.emplace_back(split, count);
    std::ranges::sort(all, [](auto const& a, auto const& b) {
        if (a.second != b.second) return a.second > b.second;
        for (std::uint32_t t = 0;; ++t) {
            if (a.first.contains(t) != b.first.contains(t)) return a.first.contains(t);
        }
    });
    std::map<Taxa, std::size_t> accepted;
    for (auto const& [split, count] : all) {
        auto const share = static_cast<double>(count) / static_cast<double>(trees.size());
        if (count < trees.size() && share < threshold + 1e-9) continue;
        if (std::ranges::all_of(accepted, [&](auto const& other) { return are_compatible(split, other.first); })) {
            accepted[split] = count;
        }
    }
    return accepted;
}

/// Whether the arrays are a tree as GeneralTree promises; empty, or what is wrong.
inline std::string mistake_in(msa::GeneralTree const& tree) {
    auto const n = tree.num_nodes();
    if (tree.taxon.size() != n || tree.length.size() != n || (!tree.label.empty() && tree.label.size() != n)) {
        return "arrays of different lengths";
    }
    std::vector<std::uint32_t> num_children(n);
    for (std::uint32_t v = 1; v < n; ++v) {
        if (tree.parent[v] >= v) return "a parent behind its child";
        ++num_children[tree.parent[v]];
    }
    Taxa taxa;
    for (std::uint32_t v = 0; v < n; ++v) {
        if (tree.is_tip(v)) {
            if (num_children[v] > 0) return "a tip with children";
            if (!taxa.insert(tree.taxon[v]).second) return "a taxon twice";
        } else if (num_children[v] < (v == 0 ? 3U : 2U)) {
            return "an inner node with too few children";
        }
    }
    return taxa == all_taxa(static_cast<std::uint32_t>(taxa.size())) ? "" : "a taxon is missing";
}

/// A tree some moves away from another: random interchanges of neighbours.
inline msa::Tree shaken(msa::Tree tree, std::uint32_t num_moves, Random& random) {
    for (std::uint32_t i = 0; i < num_moves; ++i) {
        std::vector<msa::HalfEdge> inner;
        for (auto const h : tree.edges()) {
            if (!tree.is_tip(h) && !tree.is_tip(tree.back(h))) inner.push_back(h);
        }
        if (!inner.empty()) tree.nni(inner[random.below(inner.size())], static_cast<std::uint32_t>(random.below(2)));
    }
    return tree;
}

/// The tree without some inner edges, drawn with the given probability; each of those that are left has its length.
inline msa::GeneralTree contracted(msa::GeneralTree const& tree, double probability, Random& random) {
    msa::GeneralTree result;
    std::vector<std::uint32_t> number(tree.num_nodes());
    for (std::uint32_t v = 0; v < tree.num_nodes(); ++v) {
        auto const above = number[tree.parent[v]];
        if (v > 0 && !tree.is_tip(v) && random.unit() < probability) {
            number[v] = above;
            continue;
        }
        number[v] = result.num_nodes();
        result.parent.push_back(above);
        result.taxon.push_back(tree.taxon[v]);
        result.length.push_back(tree.length[v]);
    }
    return result;
}

}  // namespace regraft::test
