// Where the root and the nodes of a drawn tree are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/msa/tree.hpp"

namespace regraft::phylo {

/// The root of a drawing: a point on the edge of h, at a distance from its node.
struct DrawnRoot {
    msa::HalfEdge h = 0;
    double distance = 0;
};

/// The midpoint of the longest path between tips. O(tips).
DrawnRoot midpoint(msa::Tree const& tree);
/// The middle of the edge that separates the smallest subtree with all of these tips; h is on their side. O(tips).
/// Precondition: some tips, not all.
DrawnRoot above(msa::Tree const& tree, std::span<std::uint32_t const> outgroup);

/// Positions in units of branch lengths and of rows, of the nodes of half-edges that point towards the root.
struct Layout {
    std::vector<msa::HalfEdge> order;  // children before parents; the last two are at the root
    std::vector<double> depth;
    std::vector<double> row;
    double deepest = 0;
    double root_row = 0;
};

/// The smaller of two subtrees is above the larger one. O(tips).
Layout make_layout(msa::Tree const& tree, DrawnRoot const& root);

}  // namespace regraft::phylo
