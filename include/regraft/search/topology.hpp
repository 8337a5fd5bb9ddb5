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

/// The effect of a change on the tree.
struct Climb {
    double loglh;                       // after the change
    std::vector<msa::HalfEdge> places;  // where the topology changed; empty: the tree is as it was, bit by bit
};

/// Cuts off the first of the waiting subtrees and moves it at most `reach.radius` edges away, if that raises the
/// likelihood `reach.loglh` once the three branches there and the one left behind are optimised. Insertions are ranked
/// without optimising (lazy SPR, Stamatakis 2006), from the nearest outwards. Those beyond an edge are considered only
/// if the insertion there did not lose too much. The tree keeps complying with the constraint.
Climb try_spr(DistributedLikelihood& likelihood, std::deque<msa::HalfEdge> const& waiting, Reach const& reach,
              Losses& losses, Lookahead& ahead);

/// Optimises the branches of these edges, one after the other, well enough to compare topologies.
void fit_lengths(DistributedLikelihood& likelihood, std::span<msa::HalfEdge const> edges);

/// Makes some random nearest-neighbour interchanges close to each other that the constraint allows, and optimises the
/// branches there. Changes with successive numbers are spread evenly over the tree. Makes no change if the constraint
/// allows none of many. Precondition: at least 4 tips.
Climb perturb(DistributedLikelihood& likelihood, std::uint64_t seed, std::uint64_t number,
              Constraint const* constraint = nullptr);

/// A hash of the set of tips behind each half-edge that points towards tip 0, 0 for all others. O(tips).
std::vector<std::uint64_t> clade_hashes(msa::Tree const& tree);
/// A hash of the topology, independent of the numbers of inner nodes. Different topologies have different hashes,
/// except with probability 2^-64. It is the sum of mix(hash) over the clades. O(tips).
std::uint64_t fingerprint(msa::Tree const& tree);

/// The move that makes one tree the other, for Tree::undo. Precondition: the same number of tips and length sets.
msa::TreeUndo difference(msa::Tree const& from, msa::Tree const& to);

/// All subtrees for try_spr, in pre-order of their edges, so that few CLVs change from one to the next.
std::vector<msa::HalfEdge> all_subtrees(msa::Tree const& tree);
/// The subtrees whose nodes are at most `steps` edges from the nodes of some half-edges, the farthest first.
std::vector<msa::HalfEdge> subtrees_near(msa::Tree const& tree, std::vector<msa::HalfEdge> const& places,
                                         std::uint32_t steps);

}  // namespace regraft::search
#pragma GCC visibility pop
