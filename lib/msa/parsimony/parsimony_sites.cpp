// Alignments as bit planes, reduced to the sites that distinguish trees.
#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "msa/parsimony/fitch.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::msa {
namespace {

/// The mask of all states, for any alphabet.
constexpr StateMask any_state = ~StateMask{0};

/// Gives the sets of states of a taxon's cells.
class CellSets {
public:
    virtual ~CellSets() = default;
    virtual std::uint32_t num_taxa() const = 0;
    virtual std::size_t num_sites() const = 0;
    virtual std::uint32_t weight(std::size_t site) const = 0;
    /// Reads the sets of the sites from `first` on, as many as fit into out.
    virtual void read(std::uint32_t taxon, std::size_t first, std::span<StateMask> out) const = 0;
};

/// The sets by character, with `any_state` for undetermined ones.
using SetOfCharacter = std::array<StateMask, 256>;

SetOfCharacter sets_of(Alphabet alphabet, SetCharacters const& characters) {
    auto sets = state_masks(alphabet, characters);
    std::ranges::replace(sets, undetermined(alphabet), any_state);
    return sets;
}

class PatternCells final : public CellSets {
public:
    explicit PatternCells(Patterns const& patterns) : patterns_(patterns) {
        for (std::uint32_t q = 0; q < patterns.num_partitions(); ++q) {
            partition_.resize(patterns.partition_begin[q + 1], q);
            sets_.push_back(sets_of(patterns.alphabet[q], patterns.sets));
        }
    }
    std::uint32_t num_taxa() const override { return patterns_.num_taxa; }
    std::size_t num_sites() const override { return patterns_.num_patterns(); }
    std::uint32_t weight(std::size_t site) const override { return patterns_.weight[site]; }
    void read(std::uint32_t taxon, std::size_t first, std::span<StateMask> out) const override {
        auto const* cell = patterns_.columns.data() + first * num_taxa() + taxon;
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = sets_[partition_[first + i]][static_cast<unsigned char>(cell[i * num_taxa()])];
        }
    }

private:
    Patterns const& patterns_;
    std::vector<std::uint32_t> partition_;  // per pattern
    std::vector<SetOfCharacter> sets_;      // per partition
};

class AlignmentCells final : public CellSets {
public:
    AlignmentCells(Alignment const& alignment, CharacterTable const& characters)
        : alignment_(alignment), sets_(characters.states) {
        std::ranges::replace(sets_, characters.undetermined(), any_state);
    }
    std::uint32_t num_taxa() const override { return static_cast<std::uint32_t>(alignment_.num_taxa()); }
    std::size_t num_sites() const override { return alignment_.num_sites(); }
    std::uint32_t weight(std::size_t) const override { return 1; }
    void read(std::uint32_t taxon, std::size_t first, std::span<StateMask> out) const override {
        std::ranges::transform(alignment_.row(taxon).substr(first, out.size()), out.begin(),
                               [&](char symbol) { return sets_[static_cast<unsigned char>(symbol)]; });
    }

private:
    Alignment const& alignment_;
    SetOfCharacter sets_;
};

/// The determined cells of a site. A state that only one cell may have does not matter for the tree: if the cell has no
/// other state, it costs a change wherever the taxon is; otherwise no shortest labelling needs the state.
struct Summary {
    StateMask once = 0;                // states that occur
    StateMask twice = 0;               // states that occur in two or more cells
    StateMask everywhere = any_state;  // states that occur in all cells
    std::uint32_t num_lonely = 0;      // cells with no state that occurs twice

    void add(StateMask set) {
        if (set == any_state) return;
        twice |= once & set;
        once |= set;
        everywhere &= set;
    }
    void count_if_lonely(StateMask set) { num_lonely += set != any_state && (set & twice) == 0 ? 1 : 0; }
    std::uint32_t num_states() const { return static_cast<std::uint32_t>(std::popcount(twice)); }
    /// Whether different trees may have different costs for the site.
    bool is_informative() const { return num_states() >= 2 && everywhere == 0; }
    /// The cost of lonely cells: the first one costs nothing if there are no others.
    std::uint32_t constant() const { return num_lonely - (num_lonely > 0 && twice == 0 ? 1 : 0); }
};

/// Number of sites that one thread summarises together.
constexpr std::size_t sites_at_once = 1024;

void summarise(CellSets const& cells, std::size_t first, std::span<Summary> out) {
    std::vector<StateMask> sets(out.size());
    for (std::uint32_t taxon = 0; taxon < cells.num_taxa(); ++taxon) {
        cells.read(taxon, first, sets);
        for (std::size_t i = 0; i < out.size(); ++i) out[i].add(sets[i]);
    }
    for (std::uint32_t taxon = 0; taxon < cells.num_taxa(); ++taxon) {
        cells.read(taxon, first, sets);
        for (std::size_t i = 0; i < out.size(); ++i) out[i].count_if_lonely(sets[i]);
    }
}

std::vector<Summary> summaries(CellSets const& cells) {
    std::vector<Summary> out(cells.num_sites());
    auto const num_parts = (out.size() + sites_at_once - 1) / sites_at_once;
#pragma omp parallel for schedule(static)
    for (std::size_t part = 0; part < num_parts; ++part) {
        auto const first = part * sites_at_once;
        summarise(cells, first, std::span(out).subspan(first, std::min(sites_at_once, out.size() - first)));
    }
    return out;
}

/// A site with a bit in the planes, whose position is that of the site in the sequence of all such sites. It has the
/// numbers of the site's states.
struct PlacedSite {
    std::size_t site;
    StateMask states;
};

/// The informative sites, repeated by their weight, those with most states first.
std::vector<PlacedSite> informative_sites(CellSets const& cells, std::span<Summary const> of_site) {
    std::vector<PlacedSite> placed;
    for (std::size_t site = 0; site < of_site.size(); ++site) {
        if (of_site[site].is_informative()) {
            placed.resize(placed.size() + cells.weight(site), {site, of_site[site].twice});
        }
    }
    std::ranges::stable_sort(placed, std::ranges::greater{},
                             [](PlacedSite const& s) { return std::popcount(s.states); });
    return placed;
}

std::vector<std::uint32_t> planes_of_groups(std::span<PlacedSite const> placed) {
    std::vector<std::uint32_t> groups;
    for (std::size_t i = 0; i < placed.size(); i += Plane::num_sites) {
        groups.push_back(static_cast<std::uint32_t>(std::popcount(placed[i].states)));
    }
    return groups;
}

std::uint64_t constant_score(CellSets const& cells, std::span<Summary const> of_site) {
    std::uint64_t score = 0;
    for (std::size_t site = 0; site < of_site.size(); ++site) {
        score += std::uint64_t{cells.weight(site)} * of_site[site].constant();
    }
    return score;
}

/// Puts the set of a site, which is not empty, into planes that still have all states.
void put_set(std::span<Plane> planes, std::size_t bit, StateMask states, StateMask set) {
    auto const others = ~(std::uint64_t{1} << bit % 64);
    auto rest = states;
    for (auto& plane : planes) {
        auto const state = rest & -rest;  // no bit in planes that this site does not need
        if ((set & state) == 0) plane.words[bit / 64] &= others;
        rest ^= state;
    }
}

void put_taxon(std::span<PlacedSite const> placed, std::span<StateMask const> sets,
               std::span<std::uint32_t const> groups, Plane* planes) {
    for (std::size_t g = 0; g < groups.size(); planes += groups[g++]) {
        auto const first = g * Plane::num_sites;
        auto const sites = placed.subspan(first, std::min<std::size_t>(Plane::num_sites, placed.size() - first));
        for (std::size_t i = 0; i < sites.size(); ++i) {
            auto const set = sets[sites[i].site] & sites[i].states;
            if (set != 0) put_set({planes, groups[g]}, i, sites[i].states, set);
        }
    }
}

}  // namespace

ParsimonySites::Planes::Planes(std::uint32_t num_taxa, std::vector<std::uint32_t> groups, std::uint64_t constant_score)
    : num_taxa_(num_taxa),
      groups_(std::move(groups)),
      num_planes_(std::accumulate(groups_.begin(), groups_.end(), std::size_t{0})),
      constant_score_(constant_score) {
    Plane all;
    std::ranges::fill(all.words, ~std::uint64_t{0});
    tips_.assign(num_taxa * num_planes_, all);
}

namespace {

std::unique_ptr<ParsimonySites::Planes const> make_planes(CellSets const& cells) {
    auto const of_site = summaries(cells);
    auto const placed = informative_sites(cells, of_site);
    auto const groups = planes_of_groups(placed);
    auto planes = std::make_unique<ParsimonySites::Planes>(cells.num_taxa(), groups, constant_score(cells, of_site));
#pragma omp parallel
    {
        std::vector<StateMask> sets(cells.num_sites());
#pragma omp for schedule(static)
        for (std::uint32_t taxon = 0; taxon < cells.num_taxa(); ++taxon) {
            cells.read(taxon, 0, sets);
            put_taxon(placed, sets, groups, planes->tip(taxon));
        }
    }
    return planes;
}

}  // namespace

ParsimonySites::ParsimonySites(Patterns const& patterns) : planes_(make_planes(PatternCells(patterns))) {}
ParsimonySites::ParsimonySites(Alignment const& alignment, CharacterTable const& characters)
    : planes_(make_planes(AlignmentCells(alignment, characters))) {}
ParsimonySites::ParsimonySites(ParsimonySites&&) noexcept = default;
ParsimonySites& ParsimonySites::operator=(ParsimonySites&&) noexcept = default;
ParsimonySites::~ParsimonySites() = default;

std::uint32_t ParsimonySites::num_taxa() const {
    return planes_->num_taxa();
}

}  // namespace regraft::msa
