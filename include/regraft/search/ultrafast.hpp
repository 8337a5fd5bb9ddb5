// An ultrafast bootstrap (after Minh et al. 2013, Mol. Biol. Evol. 30:1188, and Hoang et al. 2018, 35:518): finds the
// trees of resampled alignments without a search on each of them. Log-likelihoods of sites are computed once, for
// rearrangements of a few trees, and then resampled (RELL). By these, each replicate climbs to a tree of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// The tree of a replicate, and the inner edges that the next round has to look at.
struct ReplicateTree {
    msa::Tree tree;                      // with the branch lengths that are best for the data, not for the replicate
    std::vector<msa::HalfEdge> waiting;  // inner edges around which something has changed, one end of each
    double gain = 0;  // in log-likelihood of the replicate over the best tree, when the replicate began there

    /// Writes all, for checkpoints and messages.
    void write(ByteWriter& out) const;
    /// Reads what write wrote. Throws InputError.
    static ReplicateTree read(ByteReader& in);
};

/// What replicates are made of: this PE's patterns, with their weights in each replicate.
struct Replicates {
    /// mine: the numbers of this PE's patterns, [partition][local pattern]. count: number of replicates. its_seed: that
    /// of ReplicateWeights; choices between equally good resolutions follow from it, too. `sites` must live as long as
    /// this.
    Replicates(SiteSampler const& sites, std::vector<std::vector<std::uint64_t>> mine, std::uint32_t count,
               std::uint64_t its_seed)
        : patterns{sites, std::move(mine)}, weights(sites, patterns.mine, count, its_seed), seed(its_seed) {}

    LocalPatterns patterns;    // this PE's
    ReplicateWeights weights;  // their weights in each replicate
    std::uint64_t seed;        // of choices between equally good resolutions
};

/// The number of rounds, that is, of calls of improve, after which replicates stay as they are. Hardly any replicate
/// changes so late.
inline constexpr std::uint32_t most_rounds = 16;

/// With so many trees, replicates are offered no further ones that are typical of them.
inline constexpr std::size_t most_starts = 10;
/// Replicates do not start from a further tree if the last one raised their log-likelihood by less, on average.
inline constexpr double least_raise_of_start = 0.5;

/// The tree, then those of the others that differ from all before in more than a twentieth of the splits: less is
/// reached by rearrangements.
std::vector<msa::Tree> different_trees(msa::Tree const& tree, std::span<msa::Tree const> others);

/// Offers each replicate another tree to start from: `start`, with those rearrangements that raise the likelihood of
/// the replicate: moves of subtrees, and parts of the tree of the likelihood and of the others. A replicate takes it if
/// that is likelier than what it has; all do if `trees` is empty. The tree of the likelihood stays as it is. Returns by
/// how much the log-likelihood of a replicate was raised on average. others, constraint: as in SearchOptions.
/// Collective.
double offer(std::vector<ReplicateTree>& trees, msa::Tree const& start, DistributedLikelihood& likelihood,
             Replicates const& replicates, std::span<msa::Tree const> others, Constraint const* constraint);

/// The tree of a replicate from which most replicates are nearer than from any of the starts: with it, the sum of their
/// distances from the nearest is the least. None if no tree of the first 100 replicates makes the sum less.
std::optional<msa::Tree> typical_tree(std::span<ReplicateTree const> trees, std::span<msa::Tree const> starts);

/// Lets all inner edges of the replicates wait.
void wait_everywhere(std::span<ReplicateTree> trees);

/// One round: gives each waiting edge of each replicate the one of its three resolutions that the replicate prefers.
/// Edges between the same four clusters of taxa are looked at once for all replicates. For this, the tree of the
/// likelihood is changed only as far as is needed to contain the edge, and restored. Edges that fewer than 1 in 100
/// replicates ask for are left as they are. Afterwards the edges around changes wait. Collective.
void improve(std::vector<ReplicateTree>& trees, DistributedLikelihood& likelihood, Replicates const& replicates,
             Constraint const* constraint);

}  // namespace regraft::search
#pragma GCC visibility pop
