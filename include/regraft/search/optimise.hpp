// Numerical optimisation on a fixed topology: branch lengths and model parameters.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "regraft/search/distributed_likelihood.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// Bounds of all optimised branch lengths, in expected changes per site.
inline constexpr double min_branch_length = 1e-6;
inline constexpr double max_branch_length = 100;  // see min_branch_length

/// The lengths of some edges, which can be restored.
class SavedLengths {
public:
    /// Saves the lengths that these edges have now, in all sets. The likelihood must outlive this object.
    SavedLengths(DistributedLikelihood& likelihood, std::vector<msa::HalfEdge> edges);
    /// Gives the edges these lengths again.
    void restore() const;

private:
    DistributedLikelihood& likelihood_;
    std::vector<msa::HalfEdge> edges_;
    std::vector<double> lengths_;  // [edge][length set]
};

/// Optimises the length of h's edge, within the bounds above, every length set separately. Newton-Raphson within a
/// shrinking bracket, never to a lower likelihood, until a step promises less than `enough`. Returns the gain in
/// log-likelihood.
double optimise_branch(DistributedLikelihood& likelihood, msa::HalfEdge h, double enough = 1e-7);

/// One pass over the edges whose own lengths promise enough for a gain of epsilon in total, in an order in which
/// neighbours follow each other. One evaluation selects them. Returns the gain.
double smooth_branches(DistributedLikelihood& likelihood, double epsilon);

/// Optimises the free parameters of all partitions' models, separately but at the same time, until a step gains much
/// less than epsilon. No partition's log-likelihood falls.
void optimise_models(DistributedLikelihood& likelihood, double epsilon);

/// Changes scalers and branch lengths such that the mean scaler over the sites becomes 1 and all products stay. Does
/// nothing if a model fixes its scaler. `sites`: number of sites per partition.
void normalise_scalers(DistributedLikelihood& likelihood, std::span<std::uint64_t const> sites);

}  // namespace regraft::search
#pragma GCC visibility pop
