// Numerical optimisation on a fixed topology: branch lengths and model parameters. All functions that optimise are
// collective over the PEs of the likelihood.
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
    /// Gives the edges the saved lengths again.
    void restore() const { set_lengths(likelihood_, edges_, lengths_); }

private:
    DistributedLikelihood& likelihood_;
    std::vector<msa::HalfEdge> edges_;
    std::vector<double> lengths_;
};

/// The best length of an edge, if all others stay.
struct BestLength {
    std::vector<double> lengths;    // per length set
    double gain = 0;                // gain in log-likelihood, >= 0
    std::uint32_t evaluations = 0;  // number of evaluations that it takes alone
};

/// Finds the best length of each edge in focus, at places 0, 1, ..., within the bounds above, every length set
/// separately. starts: [place][length set]. Steps by two derivatives within a shrinking bracket until a step promises a
/// gain in log-likelihood below `enough`, and returns the best length seen, so that no likelihood falls. The edges
/// share reductions: there are as many as the slowest edge needs. The tree stays as it is.
std::vector<BestLength> best_lengths(DistributedLikelihood& likelihood, std::span<double const> starts, double enough);

/// Gives an edge its best length. Returns the gain in log-likelihood.
double optimise_branch(DistributedLikelihood& likelihood, msa::HalfEdge h, double enough = 1e-7);

/// Gives edges their best lengths, each once. enough: as for best_lengths. At most six that have no node in common make
/// a batch, and share reductions. The likelihood can fall where edges of a batch are close and depend on each other.
/// Returns the sum of their gains in log-likelihood, each as if the others of its batch stayed.
double optimise_branches(DistributedLikelihood& likelihood, std::span<msa::HalfEdge const> edges, double enough);

/// The gain in log-likelihood that one step by two derivatives promises in each of these edges while all others stay,
/// in sum, as far as the bounds leave room; at most 1 where the function is not concave. Measured where subtrees were
/// inserted, optimising the edges gained 0.8 of the promise in the median, and 1.5 times as much at most. The lengths
/// stay as they are. One evaluation.
double promised_gain(DistributedLikelihood& likelihood, std::span<msa::HalfEdge const> edges);

/// Which edges a pass tries: those whose own lengths promise enough, which one evaluation selects, or all. The
/// selection takes one reduction, and computes nearly as much as a pass over all edges.
enum class Pass : std::uint8_t { promising, all };

/// One pass of optimise_branches for a gain of epsilon in total. Returns the sum of the edges' gains.
double smooth_branches(DistributedLikelihood& likelihood, double epsilon, Pass pass = Pass::promising);

/// Optimises all branch lengths together by their gradient, every length set separately, until a step gains less than
/// `tolerance` in log-likelihood (L-BFGS within bounds, by NLopt); then the few edges alone that promise more, and all
/// together again. No set's log-likelihood falls. Takes one evaluation per step, usually 4 to 20, where one edge after
/// the other takes several per edge. Returns the gain. Collective.
double optimise_lengths(DistributedLikelihood& likelihood, double tolerance);

/// Multiplies all lengths of a set by the best of some factors between an eighth and five, if one gains epsilon in
/// log-likelihood; otherwise all lengths stay as they are. With discrete site rates the likelihood may have two maxima
/// in the scale of the whole tree, about the ratio of neighbouring rates apart, and no single branch leads from one to
/// the other. If partitions have scalers, each scaler then tries the same factors by itself. Ten evaluations, and two
/// for scalers. Returns whether lengths or scalers have changed.
bool rescale_branches(DistributedLikelihood& likelihood, double epsilon);

/// Whether branch lengths are optimised in turn with the models. rescale: they are, and the models' scalers change with
/// the other parameters, because the scale of a tree depends on its rates over sites; stay: lengths are not optimised
/// now; fixed: they never are, and neither are scalers, which would change them.
enum class Lengths : std::uint8_t { change, rescale, stay, fixed };

/// Optimises the free parameters of all partitions' models, separately but at the same time, until a step gains less
/// than a tenth of epsilon in log-likelihood. No partition's log-likelihood falls. Scalers are free if branch lengths
/// are scaled and not fixed. If lengths just change, the scaler of an only partition is not free, since it has the same
/// effect as they.
void optimise_models(DistributedLikelihood& likelihood, double epsilon, Lengths lengths = Lengths::change);

/// Divides all scalers by their mean over the sites and multiplies all branch lengths by it, so that the likelihood
/// stays. Does nothing if a model fixes its scaler. sites: number of sites per partition. Not collective.
void normalise_scalers(DistributedLikelihood& likelihood, std::span<std::uint64_t const> sites);

}  // namespace regraft::search
#pragma GCC visibility pop
