// Splits: the bipartitions of the taxa that the inner edges of trees make.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "regraft/core/csr.hpp"
#include "regraft/msa/general_tree.hpp"
#include "regraft/msa/tree.hpp"

namespace regraft::msa {

/// The side without taxon 0: bit t % 64 of word t / 64 for taxon t. So a split has one form.
using SplitView = std::span<std::uint64_t const>;
/// The number of a split in a SplitTable.
using SplitId = std::uint32_t;

/// The words of a split.
constexpr std::size_t split_words(std::size_t num_taxa) {
    return (num_taxa + 63) / 64;
}
/// How many taxa are on the side without taxon 0.
std::uint32_t count_taxa(SplitView split);
/// Calls visit(taxon) for each of these, in increasing order.
template <class Visit>
void for_each_taxon(SplitView split, Visit&& visit) {
    for (std::uint32_t i = 0; i < split.size(); ++i) {
        for (auto word = split[i]; word != 0; word &= word - 1) {
            visit(64 * i + static_cast<std::uint32_t>(std::countr_zero(word)));
        }
    }
}
/// Whether the first taxon that is on this side in only one of them is in a. A strict order.
bool comes_before(SplitView a, SplitView b);

/// Splits in rows of equal width.
struct SplitRows {
    std::size_t words = 0;
    std::vector<std::uint64_t> bits;  // [row][word]

    std::size_t size() const { return words == 0 ? 0 : bits.size() / words; }
    SplitView operator[](std::size_t row) const { return SplitView(bits).subspan(row * words, words); }
};

/// The splits of a tree's inner edges, in the order of inner_edges(tree), all different. O(n) words per edge.
SplitRows splits_of(GeneralTree const& tree);

/// Different splits, numbered in the order in which they came. Exact: hashes only find them. O(n) words per call.
class SplitTable {
public:
    explicit SplitTable(std::uint32_t num_taxa);

    std::uint32_t num_taxa() const { return num_taxa_; }
    std::size_t size() const { return rows_.size(); }
    SplitView operator[](SplitId id) const { return rows_[id]; }
    /// The number of a split, which it gets if it has none.
    SplitId insert(SplitView split);
    std::optional<SplitId> find(SplitView split) const;

private:
    std::size_t slot_of(SplitView split, std::uint64_t hash) const;
    void grow();

    std::uint32_t num_taxa_;
    SplitRows rows_;
    std::vector<std::uint64_t> hashes_;  // per split
    std::vector<SplitId> slots_;         // a power of two of them, at most half of which are taken
};

/// Trees over the same taxa as sets of numbered splits; what trees share is kept once.
class SplitSets {
public:
    explicit SplitSets(std::uint32_t num_taxa) : table_(num_taxa) {}

    /// Precondition: a tree of table().num_taxa() taxa. O(n^2 / 64).
    void add(GeneralTree const& tree);
    void add(Tree const& tree) { add(to_general(tree).tree); }

    /// How many trees were added.
    std::size_t size() const { return sets_.size(); }
    /// The splits of a tree, in the order of inner_edges(tree).
    std::span<SplitId const> operator[](std::size_t tree) const { return sets_[tree]; }
    SplitTable const& table() const { return table_; }

private:
    SplitTable table_;
    Csr<SplitId> sets_;
};

}  // namespace regraft::msa
