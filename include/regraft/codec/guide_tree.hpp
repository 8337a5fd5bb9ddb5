// The tree along which an alignment is compressed: found by parsimony, or given by the user.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "regraft/codec/rooted_tree.hpp"
#include "regraft/msa/alignment.hpp"

#pragma GCC visibility push(default)
namespace regraft::codec {

/// How long to search for a better tree. With 1288 taxa and 1200 sites, moves over up to 10 nodes make the tree of
/// stepwise addition 1.3 % shorter and take four times as long as stepwise addition; {5, 2} gives 1.1 % in half the
/// time of that; beyond {20, 20} nothing more is found.
struct GuideOptions {
    std::uint64_t seed = 1;         // seed of the order in which taxa are added
    std::uint32_t spr_radius = 10;  // largest distance of a move of a subtree, in nodes; 0: no moves
    std::uint32_t spr_rounds = 10;  // largest number of passes over all subtrees; 0: no moves
};

/// A tree that explains the alignment by few changes: stepwise addition, then moves of subtrees as long as they pay.
/// Any characters and any number of sites, even none, are allowed; the same tree for any number of threads.
/// Precondition: at least one taxon, fewer than 2^30.
RootedTree guide_tree(msa::Alignment const& alignment, GuideOptions const& options = {});

/// The tree in a Newick text, in which tip t is the taxon names[t]. As msa::parse_newick, but nodes may have any number
/// of children: they are resolved as NewickOptions says. Trees of one and two taxa are allowed. Precondition: names are
/// distinct, at least one.
RootedTree guide_tree_from_newick(std::string_view text, std::string const& file, std::span<std::string const> names);

/// The topology as Newick text on one line, without a line end: children in the order of the nodes, no lengths.
/// Precondition: one name per tip, by row, without control characters. O(text), no recursion.
std::string to_newick(RootedTree const& tree, std::span<std::string const> names);

}  // namespace regraft::codec
#pragma GCC visibility pop
