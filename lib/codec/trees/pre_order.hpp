// Builds rooted trees node by node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "regraft/codec/rooted_tree.hpp"

namespace regraft::codec {

/// Receives the nodes of a tree in pre-order, the root first; the root may have any parent.
class PreOrder {
public:
    explicit PreOrder(std::size_t num_nodes) {
        tree_.parent.reserve(num_nodes);
        tree_.first_tip.reserve(num_nodes);
    }
    /// Adds an inner node and returns its number.
    std::uint32_t add(std::uint32_t parent) {
        tree_.parent.push_back(parent);
        tree_.first_tip.push_back(tree_.num_tips());
        return tree_.num_nodes() - 1;
    }
    void add_tip(std::uint32_t parent, std::uint32_t row) {
        add(parent);
        tree_.row_of_tip.push_back(row);
    }
    std::uint32_t parent(std::uint32_t node) const { return tree_.parent[node]; }
    RootedTree take() {
        tree_.last_tip = tree_.first_tip;
        for (auto v = tree_.num_nodes(); v-- > 0;) {
            if (tree_.is_tip(v)) ++tree_.last_tip[v];
            if (v > 0) tree_.last_tip[parent(v)] = std::max(tree_.last_tip[parent(v)], tree_.last_tip[v]);
        }
        return std::move(tree_);
    }

private:
    RootedTree tree_;
};

}  // namespace regraft::codec
