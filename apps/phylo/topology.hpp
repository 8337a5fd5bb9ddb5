// Moves in the space of topologies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "constraint.hpp"
#include "likelihood.hpp"

namespace regraft::phylo {

/// How much likelihood insertions next to the place of a pruned subtree lose, on average over the search so far. What
/// loses less than that is worth a look beyond.
struct Losses {
    double sum = 0;
    std::uint64_t count = 0;

    void add(double loss) {
        sum += loss;
        ++count;
    }
    /// Infinity until enough is known.
    double mean() const;
};

/// What became of the tree.
struct Climb {
    double loglh;                       // afterwards
    std::vector<msa::HalfEdge> places;  // where the topology changed; none: the tree is as it was, bit by bit
};

/// Cuts off the subtree behind h and moves it at most `radius` edges away, if that raises the likelihood `loglh` once
/// the three branches there and the one left behind are optimised. Insertions are ranked without optimising (lazy SPR,
/// Stamatakis 2006), from the nearest outwards, beyond an edge only if the insertion there did not lose too much. The
/// tree keeps complying with the constraint.
Climb try_spr(Likelihood& likelihood, msa::HalfEdge h, std::uint32_t radius, double loglh, Losses& losses,
              Constraint const* constraint = nullptr);

/// Optimises the branches of these edges, one after the other, well enough to compare topologies.
void settle(Likelihood& likelihood, std::span<msa::HalfEdge const> edges);

/// Some random nearest-neighbour interchanges close to each other, of those that the constraint allows, and the
/// branches there optimised; no change if it allows none of many. Precondition: at least 4 tips.
Climb perturb(Likelihood& likelihood, std::uint64_t seed, Constraint const* constraint = nullptr);

/// Per half-edge that points towards tip 0: a hash of the set of tips behind it, 0 for all others. O(tips).
std::vector<std::uint64_t> clade_hashes(msa::Tree const& tree);
/// Of the topology alone: the same however inner nodes are numbered. Topologies that differ have different ones, but
/// for a chance of 2^-64. The sum of mix(hash) over the clades. O(tips).
std::uint64_t fingerprint(msa::Tree const& tree);

/// For try_spr: all, in pre-order of their edges, so that few CLVs change from one to the next.
std::vector<msa::HalfEdge> all_subtrees(msa::Tree const& tree);
/// Those whose nodes are at most `steps` edges from the nodes of some half-edges.
std::vector<msa::HalfEdge> subtrees_near(msa::Tree const& tree, std::vector<msa::HalfEdge> const& places,
                                         std::uint32_t steps);

}  // namespace regraft::phylo
