// Splits: the bipartitions of the taxa that the inner edges of trees make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "regraft/core/csr.hpp"
#include "regraft/msa/general_tree.hpp"
#include "regraft/msa/tree.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// The taxa on the side of a split without taxon 0, in any order. Two splits are the same if these taxa are.
using SplitView = std::span<std::uint32_t const>;
/// The number of a split in a SplitTable.
using SplitId = std::uint32_t;

/// A strict order of splits: a comes before b if the lowest taxon that is in only one of them is in a. O(taxa in both).
bool comes_before(SplitView a, SplitView b);

/// The splits of a tree's inner edges, in the order of inner_edges(tree), all different. O(n) memory: each is a part of
/// one list of the taxa.
class TreeSplits {
public:
    /// O(n).
    explicit TreeSplits(GeneralTree const& tree);

    /// The number of inner edges.
    std::size_t size() const { return parts_.size(); }
    /// The split of an inner edge. Valid as long as this object.
    SplitView operator[](std::size_t i) const;
    /// All taxa, taxon 0 first. Each split is a part of this list. Valid as long as this object.
    SplitView taxa() const { return taxa_; }
    /// The xor of mix(taxon) over the split.
    std::uint64_t hash(std::size_t i) const { return parts_[i].hash; }

private:
    friend class SplitTable;
    /// A part of taxa_.
    struct TaxonRange {
        std::uint32_t first;
        std::uint32_t last;
        std::uint64_t hash;
    };
    std::vector<std::uint32_t> taxa_;  // taxon 0 is the first
    std::vector<TaxonRange> parts_;
};

/// Different splits, numbered in the order in which they came. The comparison is exact: hashes only find candidates,
/// and then the taxa are compared. O(n) memory per tree that brought a new split.
class SplitTable {
public:
    /// Makes an empty table for trees over the taxa 0 .. num_taxa - 1.
    explicit SplitTable(std::uint32_t num_taxa);

    /// The number of taxa of every tree.
    std::uint32_t num_taxa() const { return num_taxa_; }
    /// The number of different splits so far.
    std::size_t size() const { return splits_.size(); }
    /// The split with this number. Valid until the next insert. Precondition: id < size().
    SplitView operator[](SplitId id) const;
    /// The number of each split of a tree; a new split gets the next number. Precondition: a tree of num_taxa() taxa.
    /// O(n + taxa on the lighter sides of known splits).
    std::vector<SplitId> insert(TreeSplits const& splits);
    /// The number of split i of a tree, if it is known. Precondition and complexity as above.
    std::optional<SplitId> find(TreeSplits const& splits, std::size_t i) const;

private:
    /// A tree whose list of taxa contains splits of the table.
    struct Source {
        std::vector<std::uint32_t> taxa;
        std::vector<std::uint32_t> position;  // of each taxon in the list
    };
    struct Split {
        std::uint32_t source;
        TreeSplits::TaxonRange part;
    };
    bool is_same(Split const& known, TreeSplits const& splits, std::size_t i) const;
    std::size_t slot_of(TreeSplits const& splits, std::size_t i) const;
    void add_source(TreeSplits const& splits);
    void grow();

    std::uint32_t num_taxa_;
    std::vector<Source> sources_;
    std::vector<Split> splits_;
    std::vector<SplitId> slots_;  // hash table; its size is a power of two, and at most half of it is taken
};

/// Trees over the same taxa as sets of numbered splits; common splits are kept once.
class SplitSets {
public:
    /// Starts without trees, for trees over the taxa 0 .. num_taxa - 1.
    explicit SplitSets(std::uint32_t num_taxa) : table_(num_taxa) {}

    /// Precondition: a tree of table().num_taxa() taxa. Complexity as SplitTable::insert.
    void add(GeneralTree const& tree);
    /// The same for a binary tree. O(n) more.
    void add(Tree const& tree) { add(to_general(tree).tree); }

    /// The number of trees that were added.
    std::size_t size() const { return sets_.size(); }
    /// The splits of a tree, in the order of inner_edges(tree).
    std::span<SplitId const> operator[](std::size_t tree) const { return sets_[tree]; }
    /// The different splits of all trees.
    SplitTable const& table() const { return table_; }

private:
    SplitTable table_;
    Csr<SplitId> sets_;
};

}  // namespace regraft::msa
#pragma GCC visibility pop
