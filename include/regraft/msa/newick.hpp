// Trees as Newick text, also in NEXUS. All functions that read trees take the blocks TREES of a NEXUS text, too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/msa/general_tree.hpp"
#include "regraft/msa/tree.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// How to handle nodes that are not binary: with one child, or with more than two (the root: more than three).
enum class Multifurcations : std::uint8_t {
    rejected,
    /// An only child takes its parent's place. If there are too many children, the first two become children of a new
    /// node on an edge of length 0, which becomes the last child; this is repeated until there are few enough.
    resolved,
    /// The same, but two children at random are joined each time.
    at_random,
};

/// A range of lengths, both ends included.
struct LengthLimits {
    double least = 0;  // where shorter edges end
    double most = 0;   // where longer edges end
};

/// What is accepted in a tree, and what is changed in it.
struct NewickOptions {
    Multifurcations multifurcations = Multifurcations::rejected;  // nodes that are not binary
    std::string origin = "the alignment";                         // where the names come from, for messages
    std::uint64_t seed = 1;                                       // of what is at random
    std::optional<LengthLimits> limits{};  // lengths beyond become the nearer limit, also negative ones, and edges that
                                           // are added get the least; none: negative ones are errors
};

/// The tree written in `text`, which has every taxon once; tip t is the one labelled taxon_names[t]. One length set.
///
/// A rooted tree is unrooted: the two edges at its root become one with the sum of their lengths. Edges without a
/// length get Tree::default_length. Labels of inner nodes, comments in [] and a length at the root are ignored. Labels
/// may be 'quoted'. If no taxon has a label, blanks and underscores are the same in it. Throws InputError, with `file`
/// in messages, also for fewer than three taxa. Precondition: taxon_names are distinct. O(text), no recursion.
Tree parse_newick(std::string_view text, std::string const& file, std::span<std::string const> taxon_names,
                  NewickOptions const& options = {});

/// The same from a file that contains one tree.
Tree read_newick(std::filesystem::path const& path, std::span<std::string const> taxon_names,
                 NewickOptions const& options = {});

/// Trees, and what was changed in them.
struct ReadTrees {
    std::vector<Tree> trees;         // in the order of the text
    std::uint64_t num_resolved = 0;  // nodes that had more children than a binary tree allows
    std::uint64_t num_limited = 0;   // lengths that were beyond the limits
    std::uint64_t num_missing = 0;   // edges without a length
};

/// How many trees a file has.
enum class TreeCount : std::uint8_t { one, any };

/// All trees of a file, at least one, each as for parse_newick. O(text + trees * taxa).
ReadTrees read_trees(std::filesystem::path const& path, std::span<std::string const> taxon_names,
                     NewickOptions const& options, TreeCount count);
/// The trees alone.
std::vector<Tree> read_newick_trees(std::filesystem::path const& path, std::span<std::string const> taxon_names,
                                    NewickOptions const& options = {});

/// Reads one or more trees with nodes of any degree, each of which has every taxon once. A tree whose root has two
/// children is unrooted as for parse_newick; an only child takes its parent's place. Edges may lack lengths, or have
/// negative ones. Otherwise as parse_newick; `origin` says in messages where the names come from.
std::vector<GeneralTree> parse_general_trees(std::string_view text, std::string const& file,
                                             std::span<std::string const> taxon_names,
                                             std::string const& origin = "the alignment");
/// The same from a file.
std::vector<GeneralTree> read_general_trees(std::filesystem::path const& path, std::span<std::string const> taxon_names,
                                            std::string const& origin = "the alignment");

/// A tree of some of the taxa.
struct PartialTree {
    std::vector<std::uint32_t> taxa;  // in increasing order
    GeneralTree tree;                 // its taxon t is taxa[t]; without nodes if there are fewer than three taxa
};
/// Reads trees as parse_general_trees does, one at a time, of which each may lack taxa. Calls f with each. Memory is
/// that of the largest tree.
void for_each_partial_tree(std::string_view text, std::string const& file, std::span<std::string const> taxon_names,
                           std::string const& origin, std::function<void(PartialTree const&)> const& f);

/// Trees whose taxa are defined by their own labels.
struct NamedTrees {
    std::vector<std::string> taxa;   // taxa of the first tree, in alphabetical order (of bytes)
    std::vector<GeneralTree> trees;  // in the order of the text; taxon t is the one called taxa[t]
};

/// Parses as parse_general_trees does, over the taxa of the first tree.
NamedTrees parse_named_trees(std::string_view text, std::string const& file);
/// The same from a file.
NamedTrees read_named_trees(std::filesystem::path const& path);

/// The taxa of the first tree in the order of the text. Throws what parse_named_trees throws.
std::vector<std::string> taxa_in_text_order(std::string_view text, std::string const& file);

/// Throws what parse_newick throws, but accepts trees of one and two taxa. If multifurcations are resolved, a tree of
/// one taxon needs no parentheses. Precondition: as for parse_newick, at least one taxon.
void check_newick(std::string_view text, std::string const& file, std::span<std::string const> taxon_names,
                  NewickOptions const& options = {});

/// The label for a name: quoted if it has a character with a meaning in Newick or NEXUS, such as blanks, brackets and
/// quotes, so that other programs can read it. Underscores stay as they are, which most programs read as such.
std::string newick_label(std::string_view name);

/// The canonical text, without a line end. It is rooted at tip 0's neighbour, children are ordered by their smallest
/// tip, and lengths of one set have 17 significant digits. Trees that differ only in the numbers of inner nodes give
/// the same text, and parsing it gives the same lengths, bit by bit. Preconditions: the tree is complete; one name per
/// tip, without control characters.
std::string to_newick(Tree const& tree, std::span<std::string const> taxon_names, std::uint32_t set = 0);

/// Optional features of the text of a tree.
struct NewickFeatures {
    std::uint32_t set = 0;  // the set of lengths that is written
    /// Labels per edge, in the order of Tree::edges(), for example its support; written for inner edges, at the node
    /// below. Empty: no labels.
    std::span<std::string const> labels = {};
    /// Taxa of an outgroup: the text is rooted where they are attached, with them as one child. Empty: no outgroup.
    std::span<std::uint32_t const> outgroup = {};
};

/// The same with these features. Throws InputError as hung_up_at if the outgroup is not a clade. Preconditions: as
/// above and as for hung_up_at; labels have no control characters.
std::string to_newick(Tree const& tree, std::span<std::string const> taxon_names, NewickFeatures const& features);

/// The text of a general tree: rooted at its node 0, with its labels and lengths; otherwise as above. If node 0 has a
/// label, it is the name of the root.
std::string to_newick(GeneralTree const& tree, std::span<std::string const> taxon_names);

}  // namespace regraft::msa
#pragma GCC visibility pop
