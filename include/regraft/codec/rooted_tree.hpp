// The rooted tree along which columns are coded: nodes in pre-order, so that the tips below a node are an interval.
#pragma once

#include <cstdint>
#include <vector>

#include "regraft/msa/tree.hpp"

namespace regraft::codec {

/// A rooted tree whose tips are the rows of an alignment. Node 0 is the root, nodes are numbered in pre-order, tips
/// before inner nodes among siblings, then the smaller subtrees first. Edge v, v >= 1, is the one above node v.
///
/// Inner nodes have two children, the root of three or more tips has three: it is an unrooted binary tree hung up at an
/// inner node. One tip is a tree of one node; two tips hang at a root.
struct RootedTree {
    std::vector<std::uint32_t> parent;      // per node; the root's is 0
    std::vector<std::uint32_t> first_tip;   // per node: the tips below it are first_tip[v] .. last_tip[v] - 1,
    std::vector<std::uint32_t> last_tip;    //   counted in pre-order
    std::vector<std::uint32_t> row_of_tip;  // per tip: its row in the alignment; a permutation

    std::uint32_t num_tips() const { return static_cast<std::uint32_t>(row_of_tip.size()); }
    std::uint32_t num_nodes() const { return static_cast<std::uint32_t>(parent.size()); }
    /// True if no node follows as a child.
    bool is_tip(std::uint32_t node) const { return node + 1 == num_nodes() || parent[node + 1] != node; }
    friend bool operator==(RootedTree const&, RootedTree const&) = default;
};

/// The tree hung up at its middle: the inner node from which the sum of the sizes of all subtrees is least, the lowest
/// one among equals. Precondition: complete. O(n log n), no recursion.
RootedTree hang_up(msa::Tree const& tree);

/// The only tree of one or two tips. Precondition: num_tips is 1 or 2.
RootedTree trivial_tree(std::uint32_t num_tips);

}  // namespace regraft::codec
