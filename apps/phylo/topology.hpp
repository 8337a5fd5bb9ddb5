// Moves in the space of topologies, each taken only if the likelihood rises.
#pragma once

#include "likelihood.hpp"

namespace regraft::phylo {

/// Tries both nearest-neighbour interchanges across the inner edge of h and takes the first that raises the likelihood
/// once the five branches around are optimised. `loglh` is the tree's before; returns it after (equal bits if neither
/// was taken: then the tree is as it was).
double try_nni(Likelihood& likelihood, msa::HalfEdge h, double loglh);

/// Cuts off the subtree behind h and moves it to the best edge at most `radius` edges away, if that raises the
/// likelihood once the three branches there and the one left behind are optimised. Insertions are ranked without
/// optimising (lazy SPR, Stamatakis 2006).
double try_spr(Likelihood& likelihood, msa::HalfEdge h, std::uint32_t radius, double loglh);

}  // namespace regraft::phylo
