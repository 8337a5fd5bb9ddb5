// Rooted trees given by the parents of their nodes: lists of children, and the order in which a walk meets the nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/csr.hpp"

namespace regraft::msa {

/// The children of each node in increasing order; the root is its own parent. O(nodes).
Csr<std::uint32_t> children_of(std::span<std::uint32_t const> parent);

/// A node, and its parent's position in the order; the root's is 0.
struct Visit {
    std::uint32_t node;
    std::uint32_t parent_position;
};

/// The nodes in pre-order, children in increasing order. Precondition: parents lead to the root from all nodes.
/// O(nodes).
std::vector<Visit> preorder(std::span<std::uint32_t const> parent, std::uint32_t root);

}  // namespace regraft::msa
