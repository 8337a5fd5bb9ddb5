// Trees as Newick text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "regraft/msa/tree.hpp"

namespace regraft::msa {

/// The tree written in `text`, which has every taxon once; tip t is the one labelled taxon_names[t]. One length set.
///
/// A rooted tree is unrooted: the two edges at its root become one with the sum of their lengths. Edges without a
/// length get Tree::default_length. Labels of inner nodes, comments in [] and a length at the root are ignored. Labels
/// may be 'quoted'; underscores stay underscores. Throws InputError, with `file` in messages, also for nodes that are
/// not binary. Precondition: taxon_names are distinct. O(text), no recursion.
Tree parse_newick(std::string_view text, std::string const& file, std::span<std::string const> taxon_names);

/// The same from a file that contains one tree.
Tree read_newick(std::filesystem::path const& path, std::span<std::string const> taxon_names);

/// The canonical text, without a line end: rooted at tip 0's neighbour, children by their smallest tip, lengths of one
/// set with 17 significant digits. Trees that differ only in the numbers of inner nodes give the same text, and parsing
/// it gives the same lengths, bit by bit. Preconditions: the tree is complete; one name per tip, without control
/// characters.
std::string to_newick(Tree const& tree, std::span<std::string const> taxon_names, std::uint32_t set = 0);

}  // namespace regraft::msa
