// Moves in the space of topologies.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "regraft/search/constraint.hpp"
#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/lookahead.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// What a change of the tree has brought.
struct Outcome {
    double loglh;                       // log-likelihood of the tree after the change
    std::vector<msa::HalfEdge> places;  // where the topology has changed; empty: the tree is as it was, bit by bit
};

/// Tries to move the first of the waiting subtrees by at most reach.radius edges: cuts it off and inserts it at the
/// edge where the log-likelihood is highest, if that is above reach.loglh once the three branches there and the one
/// left behind are optimised, or, where reach.care asks for it, all branches around both places. Insertions are ranked
/// without optimising (lazy SPR, Stamatakis 2006), from the nearest outwards. Those beyond an edge are considered only
/// if the insertion into that edge loses less than a share of the mean of losses (reach.care), to which those of this
/// subtree are added. ahead: may know the moves already, and computes those of the following subtrees meanwhile. The
/// tree keeps complying with the constraint. Collective.
Outcome try_spr(DistributedLikelihood& likelihood, std::deque<msa::HalfEdge> const& waiting, Reach const& reach,
                Losses& losses, Lookahead& ahead);

/// Optimises the branches of these edges in batches, once each, well enough to compare topologies. Collective.
void fit_lengths(DistributedLikelihood& likelihood, std::span<msa::HalfEdge const> edges);
/// Whether fit_lengths may raise the log-likelihood from `now` above `least`: not if that takes more than twice what
/// these edges promise (promised_gain). Collective.
bool fit_may_exceed(DistributedLikelihood& likelihood, std::span<msa::HalfEdge const> edges, double now, double least);

/// Makes four random nearest-neighbour interchanges close to each other that the constraint allows (fewer if it forbids
/// most, and none if it forbids all), and optimises the branches there. The result may be worse than the tree before.
/// The places follow from seed and number; those of successive numbers are spread evenly over the tree. Precondition:
/// at least 4 tips. Collective.
Outcome perturb(DistributedLikelihood& likelihood, std::uint64_t seed, std::uint64_t number,
                Constraint const* constraint = nullptr);

/// A hash of the set of tips behind each half-edge that points towards tip 0, 0 for all others. O(tips).
std::vector<std::uint64_t> clade_hashes(msa::Tree const& tree);
/// A hash of the topology, independent of the numbers of inner nodes: the sum of mix(hash) over the clade_hashes.
/// Different topologies have different hashes, except with probability 2^-64. O(tips).
std::uint64_t fingerprint(msa::Tree const& tree);

/// All subtrees for try_spr, each as the half-edge that it is behind, in pre-order of their edges, so that few CLVs
/// change from one to the next.
std::vector<msa::HalfEdge> all_subtrees(msa::Tree const& tree);
/// The subtrees, as of all_subtrees, whose nodes are at most `steps` edges from the nodes of the places, the farthest
/// first.
std::vector<msa::HalfEdge> subtrees_near(msa::Tree const& tree, std::vector<msa::HalfEdge> const& places,
                                         std::uint32_t steps);
/// The edges at the nodes of these subtrees, one end of each.
std::vector<msa::HalfEdge> edges_near(msa::Tree const& tree, std::vector<msa::HalfEdge> const& places,
                                      std::uint32_t steps);

}  // namespace regraft::search
#pragma GCC visibility pop
