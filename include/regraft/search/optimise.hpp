// Numerical optimisation on a fixed topology: branch lengths and model parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "regraft/search/distributed_likelihood.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// Bounds of all optimised branch lengths, in expected changes per site.
inline constexpr double min_branch_length = 1e-6;
inline constexpr double max_branch_length = 100;  // see min_branch_length

/// The lengths of these edges in a tree: [edge][length set].
std::vector<double> lengths_of(msa::Tree const& tree, std::span<msa::HalfEdge const> edges);
/// Gives the edges these lengths: [edge][length set].
void set_lengths(DistributedLikelihood& likelihood, std::span<msa::HalfEdge const> edges,
                 std::span<double const> lengths);

/// The lengths of some edges, which can be restored.
class SavedLengths {
public:
    /// Saves the lengths that these edges have now, in all sets. The likelihood must outlive this object.
    SavedLengths(DistributedLikelihood& likelihood, std::vector<msa::HalfEdge> edges)
        : likelihood_(likelihood), edges_(std::move(edges)), lengths_(lengths_of(likelihood.tree(), edges_)) {}
    /// Gives the edges these lengths again.
    void restore() const { set_lengths(likelihood_, edges_, lengths_); }

private:
    DistributedLikelihood& likelihood_;
    std::vector<msa::HalfEdge> edges_;
    std::vector<double> lengths_;
};

/// The best length of an edge, if all others stay.
struct BestLength {
    std::vector<double> lengths;    // per length set
    double gain = 0;                // of log-likelihood
    std::uint32_t evaluations = 0;  // that it took
};

/// Finds the best length of each edge in focus, at places 0, 1, ..., within the bounds above, every length set
/// separately. starts: [place][length set]. Steps by two derivatives within a shrinking bracket, never to a lower
/// likelihood, until a step promises less than `enough`. The edges share reductions: there are as many as the slowest
/// edge needs.
std::vector<BestLength> best_lengths(DistributedLikelihood& likelihood, std::span<double const> starts, double enough);

/// Gives an edge its best length. Returns the gain in log-likelihood.
double optimise_branch(DistributedLikelihood& likelihood, msa::HalfEdge h, double enough = 1e-7);

/// How many branches are optimised in the same reductions. by_batch: a few that have no node in common. That takes a
/// fraction of the reductions, but the likelihood can fall where edges that are close depend on each other.
enum class Pace : std::uint8_t { one_by_one, by_batch };

/// Gives edges their best lengths, each once. Returns the sum of their gains, each as if the others of its batch
/// stayed.
double optimise_branches(DistributedLikelihood& likelihood, std::span<msa::HalfEdge const> edges, double enough,
                         Pace pace = Pace::by_batch);

/// One pass of optimise_branches over the edges whose own lengths promise enough for a gain of epsilon in total. One
/// evaluation selects them. Returns the sum of their gains.
double smooth_branches(DistributedLikelihood& likelihood, double epsilon, Pace pace = Pace::by_batch);

/// Whether branch lengths are optimised in turn with the models.
enum class Lengths : std::uint8_t { change, stay };

/// Optimises the free parameters of all partitions' models, separately but at the same time, until a step gains much
/// less than epsilon. No partition's log-likelihood falls. Scalers are free if branch lengths are scaled; that of the
/// only partition just if lengths stay as they are, because they would have the same effect.
void optimise_models(DistributedLikelihood& likelihood, double epsilon, Lengths lengths = Lengths::change);

/// Changes scalers and branch lengths such that the mean scaler over the sites becomes 1 and all products stay. Does
/// nothing if a model fixes its scaler. `sites`: number of sites per partition.
void normalise_scalers(DistributedLikelihood& likelihood, std::span<std::uint64_t const> sites);

}  // namespace regraft::search
#pragma GCC visibility pop
