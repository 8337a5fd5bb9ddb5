// An ultrafast bootstrap (after Minh et al. 2013, Mol. Biol. Evol. 30:1188, and Hoang et al. 2018, 35:518): the trees
// of resampled alignments, found without searching on each of them. Log-likelihoods of sites are computed once, for the
// rearrangements of one tree, and resampled (RELL). Each replicate climbs by these to a tree of its own.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "regraft/search/constraint.hpp"
#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/resampling.hpp"
#include "regraft/search/tested_trees.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// The tree of a replicate, and its inner edges around which something has changed.
struct ReplicateTree {
    msa::Tree tree;                      // with branch lengths for all sites
    std::vector<msa::HalfEdge> waiting;  // inner edges that are to be looked at

    /// Writes both, for checkpoints and messages.
    void write(ByteWriter& out) const;
    /// Reads what write wrote. Throws InputError.
    static ReplicateTree read(ByteReader& in);
};

/// What replicates are made of: this PE's patterns, with their weights in each replicate.
struct Replicates {
    /// mine: numbers of this PE's patterns, per partition. seed: of the replicates, as for ReplicateWeights, and of
    /// choices between resolutions that are equally good. `sites` must live as long as this.
    Replicates(SiteSampler const& sites, std::vector<std::vector<std::uint64_t>> mine, std::uint32_t count,
               std::uint64_t its_seed)
        : patterns{sites, std::move(mine)}, weights(sites, patterns.mine, count, its_seed), seed(its_seed) {}

    LocalPatterns patterns;    // this PE's
    ReplicateWeights weights;  // their weights in each replicate
    std::uint64_t seed;        // of random choices
};

/// The number of rounds after which replicates stay as they are. Hardly any change so late.
inline constexpr std::uint32_t most_rounds = 16;

/// The trees from which replicates start: that of the likelihood, with rearrangements that raise the likelihood of the
/// replicate: of subtrees, and those parts of the other trees. All inner edges wait. The likelihood stays as it is.
/// Collective.
std::vector<ReplicateTree> first_trees(DistributedLikelihood& likelihood, Replicates const& replicates,
                                       std::span<msa::Tree const> others, Constraint const* constraint);

/// Gives waiting edges of all replicates the resolution that the replicate prefers. Those between the same four
/// clusters of taxa are looked at once for all replicates, in the likelihood's tree with as little of the replicate's
/// as that needs. Afterwards the edges around changes wait. The likelihood stays as it is. Collective.
void improve(std::vector<ReplicateTree>& trees, DistributedLikelihood& likelihood, Replicates const& replicates,
             Constraint const* constraint);

}  // namespace regraft::search
#pragma GCC visibility pop
