// The rooted tree along which columns are coded: nodes in pre-order, so that the tips below a node are an interval.
#pragma once

#include <cstdint>
#include <vector>

#include "regraft/msa/tree.hpp"

#pragma GCC visibility push(default)
namespace regraft::codec {

/// A rooted tree whose tips are the rows of an alignment. Node 0 is the root. Nodes are numbered in pre-order; among
/// siblings, tips come before inner nodes, and then smaller subtrees come first. Edge v, v >= 1, is the one above node
/// v.
///
/// Inner nodes have two children; the root of three or more tips has three, as the tree is an unrooted binary tree with
/// an inner node as its root. A tree of one tip has one node; two tips are the children of a root.
struct RootedTree {
    std::vector<std::uint32_t> parent;      // per node; the root's is 0
    std::vector<std::uint32_t> first_tip;   // per node: the tips below it are first_tip[v] .. last_tip[v] - 1,
    std::vector<std::uint32_t> last_tip;    //   counted in pre-order
    std::vector<std::uint32_t> row_of_tip;  // per tip: its row in the alignment; a permutation

    std::uint32_t num_tips() const { return static_cast<std::uint32_t>(row_of_tip.size()); }  // rows of the alignment
    std::uint32_t num_nodes() const { return static_cast<std::uint32_t>(parent.size()); }     // tips and inner nodes
    /// Whether the node has no children, which would follow it.
    bool is_tip(std::uint32_t node) const { return node + 1 == num_nodes() || parent[node + 1] != node; }
    friend bool operator==(RootedTree const&, RootedTree const&) = default;
};

/// Roots the tree at its middle: the inner node for which the sum of the sizes of all subtrees is least; ties go to the
/// lowest node. Precondition: the tree is complete. O(n log n), no recursion.
RootedTree hang_up(msa::Tree const& tree);

/// The only tree of one or two tips. Precondition: num_tips is 1 or 2.
RootedTree trivial_tree(std::uint32_t num_tips);

}  // namespace regraft::codec
#pragma GCC visibility pop
