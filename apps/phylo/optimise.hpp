// Numerical optimisation of what a fixed topology leaves free: branch lengths and model parameters.
#pragma once

#include <cstddef>

#include "likelihood.hpp"

namespace regraft::phylo {

inline constexpr double min_branch_length = 1e-6;
inline constexpr double max_branch_length = 100;

/// Optimises the length of h's edge, within the bounds above, every length set for itself: Newton-Raphson within a
/// shrinking bracket, never to a lower likelihood. Returns by how much the log-likelihood rose.
double optimise_branch(Likelihood& likelihood, msa::HalfEdge h);

/// One pass over all edges, so ordered that neighbours follow each other. Returns the gain.
double smooth_branches(Likelihood& likelihood);

/// Optimises alpha (Brent), rates and frequencies (BOBYQA, Powell 2009) and the branch scaler of one partition, as far
/// as the spec leaves them free. Returns the gain in the partition's log-likelihood, never negative.
double optimise_model(Likelihood& likelihood, std::size_t partition);

/// Changes scalers and branch lengths such that the mean scaler over the sites becomes 1 and all products stay.
/// `sites`: number of sites per partition.
void normalise_scalers(Likelihood& likelihood, std::span<std::uint64_t const> sites);

}  // namespace regraft::phylo
