// Trees as Newick text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "regraft/msa/tree.hpp"

namespace regraft::msa {

/// What to do with nodes that are not binary: that have one child, or more than two (the root: more than three).
enum class Multifurcations : std::uint8_t {
    rejected,
    /// An only child takes its parent's place. Of too many children, the first two become children of a new node on an
    /// edge of length 0, the last child now; and so on until they are few enough.
    resolved,
};

struct NewickOptions {
    Multifurcations multifurcations = Multifurcations::rejected;
};

/// The tree written in `text`, which has every taxon once; tip t is the one labelled taxon_names[t]. One length set.
///
/// A rooted tree is unrooted: the two edges at its root become one with the sum of their lengths. Edges without a
/// length get Tree::default_length. Labels of inner nodes, comments in [] and a length at the root are ignored. Labels
/// may be 'quoted'; underscores stay underscores. Throws InputError, with `file` in messages, also for fewer than three
/// taxa. Precondition: taxon_names are distinct. O(text), no recursion.
Tree parse_newick(std::string_view text, std::string const& file, std::span<std::string const> taxon_names,
                  NewickOptions const& options = {});

/// The same from a file that contains one tree.
Tree read_newick(std::filesystem::path const& path, std::span<std::string const> taxon_names,
                 NewickOptions const& options = {});

/// Throws what parse_newick throws, but trees of one and two taxa are right here; of one also without parentheses, if
/// multifurcations are resolved. Precondition: as for parse_newick, at least one taxon.
void check_newick(std::string_view text, std::string const& file, std::span<std::string const> taxon_names,
                  NewickOptions const& options = {});

/// A name as a label: quoted if it has to be.
std::string newick_label(std::string_view name);

/// The canonical text, without a line end: rooted at tip 0's neighbour, children by their smallest tip, lengths of one
/// set with 17 significant digits. Trees that differ only in the numbers of inner nodes give the same text, and parsing
/// it gives the same lengths, bit by bit. Preconditions: the tree is complete; one name per tip, without control
/// characters.
std::string to_newick(Tree const& tree, std::span<std::string const> taxon_names, std::uint32_t set = 0);

}  // namespace regraft::msa
