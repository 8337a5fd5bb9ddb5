// A tree as a drawing: branches as long as they are, names, support, a scale.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "regraft/msa/tree.hpp"

namespace regraft::phylo {

struct PictureOptions {
    std::string title;                    // a line above the tree; empty: none
    std::vector<std::uint32_t> outgroup;  // tips; empty: the root is the midpoint of the longest path
    std::string numbers;                  // what the supports are; a line below the tree tells it, and what the root is
};

/// Where a drawing is rooted: on the edge of h, so far from its node.
struct DrawnRoot {
    msa::HalfEdge h = 0;
    double distance = 0;
};

/// The midpoint of the longest path between tips. O(tips).
DrawnRoot midpoint(msa::Tree const& tree);
/// The middle of the edge that cuts off the smallest subtree with all of these tips; h is on their side. O(tips).
/// Precondition: some tips, not all.
DrawnRoot above(msa::Tree const& tree, std::span<std::uint32_t const> outgroup);

/// An SVG drawing, the same bytes everywhere: a row of fixed height for each tip, the smaller of two subtrees above the
/// larger one, the names as wide as they need. Supports are one per edge, in the order of tree.edges(), NaN for none;
/// they stand at inner edges, and where there is no room for them is a dot that tells when it is pointed at.
///
/// Lengths are those of the first set. Preconditions: the tree is complete; one name per tip; supports are one per
/// edge, or none at all. O(tips).
std::string tree_svg(msa::Tree const& tree, std::span<std::string const> taxa, std::span<double const> supports,
                     PictureOptions const& options);

}  // namespace regraft::phylo
