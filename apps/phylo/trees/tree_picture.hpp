// A tree as a drawing with branches to scale, names, supports, and a scale.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "regraft/msa/tree.hpp"

namespace regraft::phylo {

struct PictureOptions {
    std::string title;                    // line above the tree; empty: none
    std::vector<std::uint32_t> outgroup;  // tips; empty: the root is the midpoint of the longest path
    std::string numbers;                  // name of the supports; a line below the tree gives it, and explains the root
};

/// An SVG drawing, the same bytes everywhere. It has a row of fixed height for each tip; the smaller of two subtrees is
/// above the larger one; names are as wide as they need. Supports are texts, one per edge, in the order of
/// tree.edges(), empty for none. They are drawn at inner edges; where there is no room for one, there is a dot that
/// shows it when pointed at.
///
/// Lengths are those of the first set. Preconditions: the tree is complete; one name per tip; supports are one per
/// edge, or empty. O(tips).
std::string tree_svg(msa::Tree const& tree, std::span<std::string const> taxa, std::span<std::string const> supports,
                     PictureOptions const& options);

}  // namespace regraft::phylo
