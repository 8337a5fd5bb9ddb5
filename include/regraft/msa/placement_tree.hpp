// Trees of nearly equal rows: each row is placed where it costs the fewest changes (Turakhia et al. 2021, UShER), and
// the place is found by an index of changes, without visiting the tree.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "regraft/core/csr.hpp"
#include "regraft/msa/difference_rows.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// The value of PlacementTree::row at inner nodes.
inline constexpr std::uint32_t no_row = ~std::uint32_t{0};

/// A rooted tree whose inner nodes have any number of children, with changes of letters on its edges. Nodes are
/// numbered in pre-order; node 0 is the root, which has the reference. Among siblings, tips without changes come first,
/// then other tips, then inner nodes; within these groups, the lowest row below them decides. No inner node but the
/// root has fewer than two children or no changes on the edge above it.
///
/// A row's differences are those of its tip, except where the row has runs: there the tip may have any letter.
struct PlacementTree {
    std::vector<std::uint32_t> parent;  // per node; the root's is 0
    std::vector<std::uint32_t> row;     // per node; no_row for inner nodes
    Csr<SiteLetter> changes;            // per node: the new letters on the edge above it, by site

    /// The number of tips and inner nodes.
    std::uint32_t num_nodes() const { return static_cast<std::uint32_t>(parent.size()); }
    /// Whether it is a row. Precondition: node < num_nodes().
    bool is_tip(std::uint32_t node) const { return row[node] != no_row; }
    friend bool operator==(PlacementTree const&, PlacementTree const&) = default;
};

/// How much time the placement may take, for fewer changes.
struct PlacementOptions {
    std::uint32_t most_hits = 2000;  // edges that are looked at for a row, those with its rarest changes first
    std::uint32_t rounds = 1;        // passes in which tips and subtrees are pruned and placed again
    std::function<void(double)> reached = [](double) {};  // is told now and then which part is done, 0 to 1
};

/// Places all rows, those with few differences first. The same tree for any number of threads. O(rows * most_hits *
/// changes per edge) at most, far less where changes are rare. Precondition: at least one row.
PlacementTree placement_tree(DifferenceRows const& rows, PlacementOptions const& options = {});

/// Places the rows that a tree does not have in it, then goes on as placement_tree does. If it has all rows, that are
/// the passes alone. Precondition: the tree has the first rows, each once.
PlacementTree extended_tree(PlacementTree const& tree, DifferenceRows const& rows,
                            PlacementOptions const& options = {});

/// The tree as Newick, without lengths. A root with one child is left out. Precondition: one name per row.
std::string to_newick(PlacementTree const& tree, std::span<std::string const> names);

/// The differences to the reference that a tree gives to rows. Letters in runs are left out. O(rows * differences per
/// row
/// + changes). Throws InputError if there are more than `most`. Preconditions: the tree has each row of `runs` once;
/// the reference has all its sites.
Csr<SiteLetter> differences_of(PlacementTree const& tree, std::span<std::uint8_t const> reference,
                               CsrView<CharacterRun> runs, std::uint64_t most = ~std::uint64_t{0});

/// The same for one tip, with the runs of its row. O(changes on the path * log(changes)).
std::vector<SiteLetter> letters_at(PlacementTree const& tree, std::uint32_t tip,
                                   std::span<std::uint8_t const> reference, std::span<CharacterRun const> runs);

}  // namespace regraft::msa
#pragma GCC visibility pop
