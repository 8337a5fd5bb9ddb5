// Numerical optimisation of what a fixed topology leaves free: branch lengths and model parameters.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "likelihood.hpp"

namespace regraft::phylo {

inline constexpr double min_branch_length = 1e-6;
inline constexpr double max_branch_length = 100;

/// The lengths of some edges, to be put back.
class SavedLengths {
public:
    SavedLengths(Likelihood& likelihood, std::vector<msa::HalfEdge> edges);
    void restore() const;

private:
    Likelihood& likelihood_;
    std::vector<msa::HalfEdge> edges_;
    std::vector<double> lengths_;  // [edge][length set]
};

/// Optimises the length of h's edge, within the bounds above, every length set for itself: Newton-Raphson within a
/// shrinking bracket, never to a lower likelihood, until a step promises less than `enough`. Returns by how much the
/// log-likelihood rose.
double optimise_branch(Likelihood& likelihood, msa::HalfEdge h, double enough = 1e-7);

/// One pass over the edges whose own lengths promise enough for a gain of epsilon in all, so ordered that neighbours
/// follow each other. Which ones these are is asked for all edges at once. Returns the gain.
double smooth_branches(Likelihood& likelihood, double epsilon);

/// Optimises the models of all partitions, each for itself but at once, as far as their specs leave them free, until
/// a step gains much less than epsilon. No partition's log-likelihood falls.
void optimise_models(Likelihood& likelihood, double epsilon);

/// Changes scalers and branch lengths such that the mean scaler over the sites becomes 1 and all products stay; nothing
/// if a model says what its scaler is. `sites`: number of sites per partition.
void normalise_scalers(Likelihood& likelihood, std::span<std::uint64_t const> sites);

}  // namespace regraft::phylo
