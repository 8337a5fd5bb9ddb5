#include "regraft/msa/splits.hpp"

#include <algorithm>

#include "regraft/core/contracts.hpp"
#include "regraft/core/random.hpp"

namespace regraft::msa {
namespace {

constexpr SplitId no_split = ~SplitId{0};

/// A part of a list.
struct Range {
    std::uint32_t first;
    std::uint32_t last;
};

/// Per node, the range of the taxa below it in a list of all taxa in which these are neighbours.
std::vector<Range> ranges_below(GeneralTree const& tree) {
    std::vector<Range> below(tree.num_nodes(), {0, 0});  // first the number of taxa, then the range
    for (auto v = tree.num_nodes(); v-- > 0;) {
        if (tree.is_tip(v)) below[v].last = 1;
        if (v > 0) below[tree.parent[v]].last += below[v].last;
    }
    std::vector<std::uint32_t> next(tree.num_nodes());
    for (std::uint32_t v = 1; v < tree.num_nodes(); ++v) {
        auto const first = next[tree.parent[v]];
        next[tree.parent[v]] += below[v].last;
        below[v] = {first, first + below[v].last};
        next[v] = first;
    }
    return below;
}

/// The split of the edge above a range, in the list that is rotated to begin at position `zero`, where taxon 0 is.
Range side_without(std::uint32_t zero, Range below, std::uint32_t num_taxa) {
    auto const size = below.last - below.first;
    bool const has_zero = below.first <= zero && zero < below.last;
    auto const first = has_zero ? below.last : below.first;
    auto const turned = first >= zero ? first - zero : first + num_taxa - zero;
    return {turned, turned + (has_zero ? num_taxa - size : size)};
}

std::vector<std::uint32_t> sorted(SplitView split) {
    std::vector<std::uint32_t> taxa(split.begin(), split.end());
    std::ranges::sort(taxa);
    return taxa;
}

}  // namespace

bool comes_before(SplitView a, SplitView b) {
    auto const in_a = sorted(a);
    auto const in_b = sorted(b);
    auto const [at_a, at_b] = std::ranges::mismatch(in_a, in_b);
    if (at_a == in_a.end()) return false;  // all taxa of a are in b, too
    return at_b == in_b.end() || *at_a < *at_b;
}

TreeSplits::TreeSplits(GeneralTree const& tree) : taxa_(tree.num_taxa()) {
    auto const num_taxa = tree.num_taxa();
    auto const below = ranges_below(tree);
    std::uint32_t zero = 0;
    for (std::uint32_t v = 0; v < tree.num_nodes(); ++v) {
        if (tree.taxon[v] == 0) zero = below[v].first;
    }
    for (std::uint32_t v = 0; v < tree.num_nodes(); ++v) {
        if (tree.is_tip(v)) taxa_[(below[v].first + num_taxa - zero) % num_taxa] = tree.taxon[v];
    }
    std::vector<std::uint64_t> hash_before{0};  // hash of the taxa before each position
    for (auto const taxon : taxa_) hash_before.push_back(hash_before.back() ^ mix(taxon));
    for (auto const v : inner_edges(tree)) {
        auto const [first, last] = side_without(zero, below[v], num_taxa);
        parts_.push_back({first, last, hash_before[first] ^ hash_before[last]});
    }
}

SplitView TreeSplits::operator[](std::size_t i) const {
    return SplitView(taxa_).subspan(parts_[i].first, parts_[i].last - parts_[i].first);
}

SplitTable::SplitTable(std::uint32_t num_taxa) : num_taxa_(num_taxa), slots_(64, no_split) {
    REGRAFT_EXPECTS(num_taxa >= 1);
}

SplitView SplitTable::operator[](SplitId id) const {
    auto const& [source, part] = splits_[id];
    return SplitView(sources_[source].taxa).subspan(part.first, part.last - part.first);
}

/// Splits of the same size are equal if all taxa of one are in the other; for the complement, if none are.
bool SplitTable::is_same(Split const& known, TreeSplits const& splits, std::size_t i) const {
    auto const& part = splits.parts_[i];
    auto const size = part.last - part.first;
    if (known.part.hash != part.hash || known.part.last - known.part.first != size) return false;
    auto const& position = sources_[known.source].position;
    auto const is_in = [&](std::uint32_t taxon) { return position[taxon] - known.part.first < size; };
    auto const all = SplitView(splits.taxa_);
    if (size <= num_taxa_ / 2) return std::ranges::all_of(splits[i], is_in);
    return std::ranges::none_of(all.first(part.first), is_in) && std::ranges::none_of(all.subspan(part.last), is_in);
}

/// The slot of the split, or the one where it would go.
std::size_t SplitTable::slot_of(TreeSplits const& splits, std::size_t i) const {
    auto const mask = slots_.size() - 1;
    for (auto slot = static_cast<std::size_t>(splits.hash(i)) & mask;; slot = (slot + 1) & mask) {
        auto const id = slots_[slot];
        if (id == no_split || is_same(splits_[id], splits, i)) return slot;
    }
}

void SplitTable::grow() {
    slots_.assign(2 * slots_.size(), no_split);
    auto const mask = slots_.size() - 1;
    for (SplitId id = 0; id < splits_.size(); ++id) {
        auto slot = static_cast<std::size_t>(splits_[id].part.hash) & mask;
        while (slots_[slot] != no_split) slot = (slot + 1) & mask;
        slots_[slot] = id;
    }
}

void SplitTable::add_source(TreeSplits const& splits) {
    Source source{splits.taxa_, std::vector<std::uint32_t>(num_taxa_)};
    for (std::uint32_t i = 0; i < num_taxa_; ++i) source.position[source.taxa[i]] = i;
    sources_.push_back(std::move(source));
}

std::vector<SplitId> SplitTable::insert(TreeSplits const& splits) {
    REGRAFT_EXPECTS(splits.taxa_.size() == num_taxa_);
    std::vector<SplitId> ids;
    bool has_source = false;
    for (std::size_t i = 0; i < splits.size(); ++i) {
        auto const slot = slot_of(splits, i);
        if (slots_[slot] == no_split) {
            REGRAFT_EXPECTS(splits_.size() < no_split);
            if (!has_source) add_source(splits);
            has_source = true;
            slots_[slot] = static_cast<SplitId>(splits_.size());
            splits_.push_back({static_cast<std::uint32_t>(sources_.size() - 1), splits.parts_[i]});
        }
        ids.push_back(slots_[slot]);
        if (2 * splits_.size() > slots_.size()) grow();
    }
    return ids;
}

std::optional<SplitId> SplitTable::find(TreeSplits const& splits, std::size_t i) const {
    REGRAFT_EXPECTS(splits.taxa_.size() == num_taxa_);
    auto const id = slots_[slot_of(splits, i)];
    return id == no_split ? std::nullopt : std::optional(id);
}

void SplitSets::add(GeneralTree const& tree) {
    REGRAFT_EXPECTS(tree.num_taxa() == table_.num_taxa());
    for (auto const id : table_.insert(TreeSplits(tree))) sets_.push_value(id);
    sets_.end_row();
}

}  // namespace regraft::msa
