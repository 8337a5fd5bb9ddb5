#include "regraft/msa/splits.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "regraft/core/bytes.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::msa {
namespace {

constexpr SplitId no_split = ~SplitId{0};

std::uint64_t hash_of(SplitView split) {
    return hash(std::as_bytes(split));
}

/// Swaps the sides if the row has taxon 0.
void normalise(std::span<std::uint64_t> row, std::uint32_t num_taxa) {
    if ((row[0] & 1) == 0) return;
    for (auto& word : row) word = ~word;
    if (num_taxa % 64 != 0) row.back() &= (std::uint64_t{1} << num_taxa % 64) - 1;
}

}  // namespace

std::uint32_t count_taxa(SplitView split) {
    std::uint32_t count = 0;
    for (auto const word : split) count += static_cast<std::uint32_t>(std::popcount(word));
    return count;
}

bool comes_before(SplitView a, SplitView b) {
    auto const [at_a, at_b] = std::ranges::mismatch(a, b);
    if (at_a == a.end()) return false;
    return std::countr_zero(*at_a & ~*at_b) < std::countr_zero(*at_b & ~*at_a);
}

SplitRows splits_of(GeneralTree const& tree) {
    auto const edges = inner_edges(tree);
    auto const num_taxa = tree.num_taxa();
    std::vector<std::uint32_t> row_of(tree.num_nodes());
    for (std::uint32_t i = 0; i < edges.size(); ++i) row_of[edges[i]] = i;
    SplitRows rows{.words = split_words(num_taxa), .bits = {}};
    rows.bits.resize(edges.size() * rows.words);
    auto const row = [&](std::uint32_t v) { return std::span(rows.bits).subspan(row_of[v] * rows.words, rows.words); };
    for (auto v = tree.num_nodes(); v-- > 1;) {
        auto const above = tree.parent[v];
        if (above == 0) continue;
        if (tree.is_tip(v)) {
            row(above)[tree.taxon[v] / 64] |= std::uint64_t{1} << tree.taxon[v] % 64;
        } else {
            std::ranges::transform(row(above), row(v), row(above).begin(), std::bit_or{});
        }
    }
    for (auto const v : edges) normalise(row(v), num_taxa);
    return rows;
}

SplitTable::SplitTable(std::uint32_t num_taxa)
    : num_taxa_(num_taxa), rows_{.words = split_words(num_taxa), .bits = {}}, slots_(64, no_split) {
    REGRAFT_EXPECTS(num_taxa >= 1);
}

/// Where the split is, or where it would go.
std::size_t SplitTable::slot_of(SplitView split, std::uint64_t hash) const {
    REGRAFT_EXPECTS(split.size() == rows_.words);
    auto const mask = slots_.size() - 1;
    for (auto slot = static_cast<std::size_t>(hash) & mask;; slot = (slot + 1) & mask) {
        auto const id = slots_[slot];
        if (id == no_split || (hashes_[id] == hash && std::ranges::equal(rows_[id], split))) return slot;
    }
}

void SplitTable::grow() {
    slots_.assign(2 * slots_.size(), no_split);
    auto const mask = slots_.size() - 1;
    for (SplitId id = 0; id < hashes_.size(); ++id) {
        auto slot = static_cast<std::size_t>(hashes_[id]) & mask;
        while (slots_[slot] != no_split) slot = (slot + 1) & mask;
        slots_[slot] = id;
    }
}

SplitId SplitTable::insert(SplitView split) {
    auto const hash = hash_of(split);
    auto const slot = slot_of(split, hash);
    if (slots_[slot] != no_split) return slots_[slot];
    REGRAFT_EXPECTS(hashes_.size() < no_split);
    auto const id = static_cast<SplitId>(hashes_.size());
    slots_[slot] = id;
    hashes_.push_back(hash);
    rows_.bits.insert(rows_.bits.end(), split.begin(), split.end());
    if (2 * hashes_.size() > slots_.size()) grow();
    return id;
}

std::optional<SplitId> SplitTable::find(SplitView split) const {
    auto const id = slots_[slot_of(split, hash_of(split))];
    return id == no_split ? std::nullopt : std::optional(id);
}

void SplitSets::add(GeneralTree const& tree) {
    REGRAFT_EXPECTS(tree.num_taxa() == table_.num_taxa());
    auto const rows = splits_of(tree);
    for (std::size_t i = 0; i < rows.size(); ++i) sets_.push_value(table_.insert(rows[i]));
    sets_.end_row();
}

}  // namespace regraft::msa
