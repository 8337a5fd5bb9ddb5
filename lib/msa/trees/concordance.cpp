#include "regraft/msa/concordance.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "regraft/core/contracts.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/random.hpp"
#include "regraft/msa/splits.hpp"

namespace regraft::msa {
namespace {

constexpr auto not_listed = std::numeric_limits<std::uint32_t>::max();

/// Some positions in a list: the first, the last, and how many there are.
struct Positions {
    std::uint32_t first = not_listed;
    std::uint32_t last = 0;
    std::uint32_t count = 0;

    bool are_interval() const { return count > 0 && last - first + 1 == count; }
};

/// Unites two sets without common positions.
Positions operator+(Positions const& a, Positions const& b) {
    return {std::min(a.first, b.first), std::max(a.last, b.last), a.count + b.count};
}

/// The intervals of a list of taxa that are splits of a gene tree; the first taxon is in none.
class Intervals {
public:
    explicit Intervals(TreeSplits const& splits) : slots_(std::bit_ceil(2 * splits.size() + 2), empty) {
        for (std::size_t i = 0; i < splits.size(); ++i) {
            auto const first = static_cast<std::uint32_t>(splits[i].data() - splits.taxa().data());
            auto const last = first + static_cast<std::uint32_t>(splits[i].size()) - 1;
            slots_[slot_of(key(first, last))] = key(first, last);
        }
    }

    /// Whether a set of taxa or its complement is such an interval.
    bool have(Positions const& set, Positions const& complement) const {
        auto const& side = set.first == 0 ? complement : set;
        if (!side.are_interval()) return false;
        auto const wanted = key(side.first, side.last);
        return slots_[slot_of(wanted)] == wanted;
    }

private:
    static constexpr auto empty = std::numeric_limits<std::uint64_t>::max();
    static std::uint64_t key(std::uint32_t first, std::uint32_t last) { return std::uint64_t{first} << 32U | last; }
    /// The slot of the key, or the one where it would go.
    std::size_t slot_of(std::uint64_t wanted) const {
        auto const mask = slots_.size() - 1;
        auto slot = static_cast<std::size_t>(mix(wanted)) & mask;
        while (slots_[slot] != empty && slots_[slot] != wanted) slot = (slot + 1) & mask;
        return slot;
    }

    std::vector<std::uint64_t> slots_;  // hash table; at most half of it is taken
};

/// Positions of the taxa below each node of a tree, and of all others.
class PositionsAtNodes {
public:
    /// position: of each taxon in a list; not_listed if it is not in it.
    PositionsAtNodes(GeneralTree const& tree, std::span<std::uint32_t const> position)
        : below_(tree.num_nodes()), above_(tree.num_nodes()) {
        for (auto v = tree.num_nodes(); v-- > 1;) {
            if (tree.is_tip(v) && position[tree.taxon[v]] != not_listed)
                below_[v] = {position[tree.taxon[v]], position[tree.taxon[v]], 1};
            below_[tree.parent[v]] = below_[tree.parent[v]] + below_[v];
        }
        // What is above a node is what is above its parent and below its siblings: those before it, and those behind.
        auto const children = tree.children();
        for (std::uint32_t v = 0; v < tree.num_nodes(); ++v) {
            auto before = above_[v];
            for (auto const child : children[v]) {
                above_[child] = before;
                before = before + below_[child];
            }
            Positions behind;
            for (auto i = children[v].size(); i-- > 0;) {
                auto const child = children[v][i];
                above_[child] = above_[child] + behind;
                behind = behind + below_[child];
            }
        }
    }

    Positions const& below(std::uint32_t v) const { return below_[v]; }
    Positions const& above(std::uint32_t v) const { return above_[v]; }
    Positions const& of(EdgeEnds::Subtree subtree) const {
        return subtree.is_below ? below_[subtree.node] : above_[subtree.node];
    }

private:
    std::vector<Positions> below_;
    std::vector<Positions> above_;
};

/// The smallest taxon below each node, and among all others.
PositionsAtNodes smallest_taxa(GeneralTree const& tree) {
    std::vector<std::uint32_t> taxa(tree.num_taxa());
    std::iota(taxa.begin(), taxa.end(), 0);
    return {tree, taxa};
}

/// Draws taxa of subtrees.
class TaxonDraw {
public:
    explicit TaxonDraw(GeneralTree const& tree) : first_(tree.num_nodes()), size_(tree.num_nodes()) {
        for (auto v = tree.num_nodes(); v-- > 1;) {
            if (tree.is_tip(v)) size_[v] = 1;
            size_[tree.parent[v]] += size_[v];
        }
        taxa_.resize(size_[0]);
        std::vector<std::uint32_t> next(tree.num_nodes());
        for (std::uint32_t v = 1; v < tree.num_nodes(); ++v) {
            first_[v] = next[v] = next[tree.parent[v]];
            next[tree.parent[v]] += size_[v];
            if (tree.is_tip(v)) taxa_[first_[v]] = tree.taxon[v];
        }
    }

    std::uint32_t from(EdgeEnds::Subtree subtree, Random& random) const {
        auto const first = first_[subtree.node];
        auto const size = size_[subtree.node];
        if (subtree.is_below) return taxa_[first + random.below(size)];
        auto const i = random.below(taxa_.size() - size);
        return taxa_[i < first ? i : i + size];
    }

private:
    std::vector<std::uint32_t> taxa_;   // those below a node are neighbours
    std::vector<std::uint32_t> first_;  // per node: the position of the first taxon below it
    std::vector<std::uint32_t> size_;   // per node: the number of taxa below it
};

/// Two different subtrees at random; if there are only two, in their order.
std::array<EdgeEnds::Subtree, 2> two_of(std::span<EdgeEnds::Subtree const> subtrees, Random& random) {
    if (subtrees.size() == 2) return {subtrees[0], subtrees[1]};
    auto const a = random.below(subtrees.size());
    auto const b = random.below(subtrees.size() - 1);
    return {subtrees[a], subtrees[b < a ? b : b + 1]};
}

SiteFactors factors_of(EdgeEnds const& ends, TaxonDraw const& draw, SiteStates const& states, std::uint32_t quartets,
                       Random& random) {
    SiteFactors sum;
    for (std::uint32_t i = 0; i < quartets; ++i) {
        auto const lower = two_of(ends.lower, random);
        auto const upper = two_of(ends.upper, random);
        std::array<std::uint32_t, 4> quartet{};
        for (std::size_t k = 0; k < 4; ++k) quartet[k] = draw.from(k < 2 ? lower[k] : upper[k - 2], random);
        auto const count = states.pairings(quartet);
        auto const all = static_cast<double>(count[0] + count[1] + count[2]);
        if (all == 0) continue;
        for (std::size_t k = 0; k < count.size(); ++k) {
            sum.sites[k] += static_cast<double>(count[k]);
            sum.share[k] += static_cast<double>(count[k]) / all;
        }
        ++sum.decisive;
    }
    for (auto& share : sum.share) share /= quartets;
    for (auto& sites : sum.sites) sites /= quartets;
    return sum;
}

}  // namespace

std::vector<EdgeEnds> edge_ends(GeneralTree const& tree) {
    auto const smallest = smallest_taxa(tree);
    auto const children = tree.children();
    auto const sort = [&](std::vector<EdgeEnds::Subtree>& subtrees) {
        std::ranges::sort(subtrees, {}, [&](auto subtree) { return smallest.of(subtree).first; });
    };
    std::vector<EdgeEnds> result;
    for (auto const v : inner_edges(tree)) {
        auto& ends = result.emplace_back();
        for (auto const child : children[v]) ends.lower.push_back({child, true});
        auto const parent = tree.parent[v];
        for (auto const sibling : children[parent]) {
            if (sibling != v) ends.upper.push_back({sibling, true});
        }
        if (parent != 0) ends.upper.push_back({parent, false});
        sort(ends.lower);
        sort(ends.upper);
    }
    return result;
}

GeneConcordance::GeneConcordance(GeneralTree const& reference)
    : reference_(reference), ends_(edge_ends(reference)), counts_(ends_.size()) {}

void GeneConcordance::add(PartialTree const& gene) {
    ++num_trees_;
    if (gene.taxa.size() < 4) return;
    TreeSplits const splits(gene.tree);
    Intervals const intervals(splits);
    std::vector<std::uint32_t> position(reference_.num_taxa(), not_listed);
    for (std::uint32_t i = 0; i < splits.taxa().size(); ++i) {
        REGRAFT_EXPECTS(gene.taxa[splits.taxa()[i]] < position.size());
        position[gene.taxa[splits.taxa()[i]]] = i;
    }
    PositionsAtNodes const at(reference_, position);
    auto const edges = inner_edges(reference_);
    auto const has_two = [&](std::vector<EdgeEnds::Subtree> const& subtrees) {
        return std::ranges::count_if(subtrees, [&](auto subtree) { return at.of(subtree).count > 0; }) >= 2;
    };
    for (std::size_t i = 0; i < edges.size(); ++i) {
        auto const& [lower, upper] = ends_[i];
        if (!has_two(lower) || !has_two(upper)) continue;
        ++counts_[i].decisive;
        if (intervals.have(at.below(edges[i]), at.above(edges[i]))) ++counts_[i].concordant;
        if (lower.size() > 2 || upper.size() > 2) continue;
        for (std::size_t k = 0; k < 2; ++k) {
            auto const together = at.of(lower[0]) + at.of(upper[k]);
            auto const others = at.of(lower[1]) + at.of(upper[1 - k]);
            if (intervals.have(together, others)) ++counts_[i].alternative[k];
        }
    }
}

SiteStates::SiteStates(std::span<std::vector<StateMask> const> rows) : words_(0), num_bits_(1) {
    StateMask all = 0;
    for (auto const& row : rows) {
        words_ = (row.size() + 63) / 64;
        for (auto const mask : row) all |= mask;
    }
    num_bits_ =
        std::max<std::uint32_t>(1, std::bit_width(static_cast<std::uint32_t>(std::bit_width(all)) - (all != 0)));
    auto const num_planes = num_bits_ + 1;
    planes_.resize(rows.size() * num_planes * words_);
    for (std::size_t taxon = 0; taxon < rows.size(); ++taxon) {
        auto* const planes = &planes_[taxon * num_planes * words_];
        for (std::size_t site = 0; site < rows[taxon].size(); ++site) {
            auto const mask = rows[taxon][site];
            if (!std::has_single_bit(mask)) continue;
            auto const state = static_cast<std::uint32_t>(std::countr_zero(mask));
            auto const bit = std::uint64_t{1} << site % 64;
            for (std::uint32_t k = 0; k < num_bits_; ++k) {
                if ((state >> k & 1U) != 0) planes[k * words_ + site / 64] |= bit;
            }
            planes[num_bits_ * words_ + site / 64] |= bit;
        }
    }
}

std::array<std::uint64_t, 3> SiteStates::pairings(std::array<std::uint32_t, 4> const& quartet) const {
    auto const plane = [&](std::size_t i, std::uint32_t k) {
        return &planes_[(std::size_t{quartet[i]} * (num_bits_ + 1) + k) * words_];
    };
    std::array<std::uint64_t, 3> count{};
    for (std::size_t word = 0; word < words_; ++word) {
        auto known = ~std::uint64_t{0};
        for (std::size_t i = 0; i < 4; ++i) known &= plane(i, num_bits_)[word];
        // Where the states of taxa 0 and 1 differ, and so on.
        std::uint64_t d01 = 0;
        std::uint64_t d02 = 0;
        std::uint64_t d03 = 0;
        std::uint64_t d12 = 0;
        std::uint64_t d13 = 0;
        std::uint64_t d23 = 0;
        for (std::uint32_t k = 0; k < num_bits_; ++k) {
            auto const a = plane(0, k)[word];
            auto const b = plane(1, k)[word];
            auto const c = plane(2, k)[word];
            auto const d = plane(3, k)[word];
            d01 |= a ^ b;
            d02 |= a ^ c;
            d03 |= a ^ d;
            d12 |= b ^ c;
            d13 |= b ^ d;
            d23 |= c ^ d;
        }
        count[0] += static_cast<std::uint64_t>(std::popcount(known & ~d01 & ~d23 & d02));
        count[1] += static_cast<std::uint64_t>(std::popcount(known & ~d02 & ~d13 & d01));
        count[2] += static_cast<std::uint64_t>(std::popcount(known & ~d03 & ~d12 & d01));
    }
    return count;
}

std::vector<SiteFactors> site_concordance(GeneralTree const& reference, SiteStates const& states,
                                          SiteConcordanceOptions const& options) {
    REGRAFT_EXPECTS(options.quartets > 0);
    TaxonDraw const draw(reference);
    auto const ends = edge_ends(reference);
    std::vector<SiteFactors> result;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        Random random(mix(options.seed) + i);
        result.push_back(factors_of(ends[i], draw, states, options.quartets, random));
    }
    return result;
}

}  // namespace regraft::msa
