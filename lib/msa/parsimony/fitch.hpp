// Fitch's sets for many sites at once, as bits: a plane per state, in which each site has a bit (Fitch 1971;
// bit-parallel as in Goloboff 2002).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "regraft/msa/parsimony.hpp"

namespace regraft::msa {

/// 256 sites of one state.
struct alignas(32) Plane {
    static constexpr std::uint32_t num_words = 4;
    static constexpr std::uint32_t num_sites = 64 * num_words;
    std::uint64_t words[num_words];
};

/// The sets of all sites at one place of a tree, group by group; a group has as many planes as states.
using FitchSets = Plane const*;

/// Sites in groups of 256, those with many states first; states are numbered by site. The sites that fill up the last
/// group have all states everywhere, so that they cost nothing.
class ParsimonySites::Planes {
public:
    Planes(std::uint32_t num_taxa, std::vector<std::uint32_t> groups, std::uint64_t constant_score);

    std::uint32_t num_taxa() const { return num_taxa_; }
    /// The number of planes of each group.
    std::span<std::uint32_t const> groups() const { return groups_; }
    /// The number of planes at one place of a tree.
    std::size_t num_planes() const { return num_planes_; }
    /// The cost on every tree of the sites that are left out, and of cells that are left out of other sites.
    std::uint64_t constant_score() const { return constant_score_; }
    FitchSets tip(std::uint32_t taxon) const { return tips_.data() + taxon * num_planes_; }
    Plane* tip(std::uint32_t taxon) { return tips_.data() + taxon * num_planes_; }

private:
    std::uint32_t num_taxa_;
    std::vector<std::uint32_t> groups_;
    std::size_t num_planes_;
    std::uint64_t constant_score_;
    std::vector<Plane> tips_;  // [taxon][plane]
};

// Below, `groups` has the number of planes of each group.

/// Computes the sets of a node from those of its children: the intersection if it is not empty, otherwise the union.
/// Returns whether they differ from the previous contents of `out`.
bool combine(std::span<std::uint32_t const> groups, FitchSets a, FitchSets b, Plane* out);

/// The number of sites at which the sets have nothing in common.
std::uint64_t count_disjoint(std::span<std::uint32_t const> groups, FitchSets a, FitchSets b);

/// Adds to each of these counts the same number in one group. sets: those of all counts, one behind the other.
void add_disjoint(std::uint32_t num_states, FitchSets sets, FitchSets b, std::span<std::uint64_t> counts);

/// The increase in length of a tree when a subtree is inserted in an edge between parts with sets a and b; any number
/// >= limit if it is not below limit.
std::uint64_t insertion_cost(std::span<std::uint32_t const> groups, FitchSets a, FitchSets b, FitchSets subtree,
                             std::uint64_t limit);

}  // namespace regraft::msa
