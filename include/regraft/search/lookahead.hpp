// Speculative computation of moves: those of several subtrees share reductions, before it is known whether the first
// ones change the tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "regraft/search/constraint.hpp"
#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/effort.hpp"
#include "regraft/search/optimise.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// How much log-likelihood an insertion next to the old place of a subtree loses, as a mean over the search so far. A
/// search looks as closely and as far as shares of it say (Care).
struct Losses {
    double sum = 0;           // sum of the losses, in units of log-likelihood
    std::uint64_t count = 0;  // number of insertions

    /// Counts an insertion with this loss. Precondition: it is finite and positive.
    void add(double loss) {
        sum += loss;
        ++count;
    }
    /// The mean; infinity until 20 insertions are counted.
    double mean() const;
};

/// An insertion that was tried.
struct Scored {
    Insertion insertion;  // where, and with which lengths
    double loglh;         // log-likelihood of the tree after it, without a new length for the edge at the old place
};

/// The best moves of one subtree.
struct Forecast {
    msa::HalfEdge h;                // the subtree is behind it
    std::vector<Scored> found{};    // at most Care::candidates insertions with their best lengths, the likeliest first
    BestLength old_place{};         // length of the edge that the subtree leaves behind; only if found is not empty
    std::vector<double> losses{};   // losses of the insertions next to its place, for Losses::add
    std::uint64_t evaluations = 0;  // number of evaluations that this forecast takes if it is made alone
};

/// How far subtrees are moved, with how much care, and in which tree.
struct Reach {
    std::uint32_t radius;                    // most edges between the old and the new place of a subtree
    Care care;                               // of each subtree
    double loglh;                            // log-likelihood of the tree
    Constraint const* constraint = nullptr;  // the tree complies with it, and so do all moves; null: any tree
    friend bool operator==(Reach const&, Reach const&) = default;
};

/// Keeps forecasts for the subtrees that are tried next. Most moves fail and leave the tree as it is, so the forecasts
/// for the following subtrees hold. Each has the same bits as if it were made when it is needed, so how far a search
/// looks ahead changes only its time: it makes fewer reductions and computes more. Subtrees are cut off several times,
/// and a change of the tree makes the remaining forecasts worthless. Precondition: one likelihood for all calls.
class Lookahead {
public:
    /// Looks ahead at most `most` subtrees, the next one included. Precondition: at least 1.
    explicit Lookahead(std::size_t most = 1) : most_(most) {}
    /// PartitionOptions::most_in_focus that a likelihood needs at least if a search looks so far ahead.
    static std::size_t most_in_focus(std::size_t most);

    /// The forecast for the first of the waiting subtrees, which are tried in their order. losses: those so far. The
    /// tree stays as it is. Precondition: !waiting.empty(). Collective over the PEs of the likelihood, unless the
    /// forecast is kept. All PEs pass the same; what is kept is the same on all.
    Forecast next(DistributedLikelihood& likelihood, std::deque<msa::HalfEdge> const& waiting, Reach const& reach,
                  Losses const& losses);
    /// The forecasts stay: the tree was changed since next(), but is as it was before, bit by bit.
    void is_restored(DistributedLikelihood const& likelihood) { changes_ = likelihood.changes(); }
    /// How many more evaluations were made than the forecasts returned so far take if each is made alone: those for
    /// steps to come and in vain, minus those that were saved. Modulo 2^64, so that it may be less than 0.
    std::uint64_t evaluations_ahead() const { return evaluations_ahead_; }

private:
    bool holds(DistributedLikelihood const& likelihood, msa::HalfEdge h, Reach const& reach) const;
    std::ptrdiff_t width(std::size_t num_waiting) const;

    std::size_t most_;
    std::size_t run_ = 0;             // number of forecasts returned since the tree changed
    double mean_run_ = 4;             // moving average of run_ at the changes so far
    std::deque<Forecast> forecasts_;  // those that were not returned yet
    std::uint64_t changes_ = 0;       // DistributedLikelihood::changes when they were made
    Reach reach_{};                   // for which they were made
    std::uint64_t evaluations_ahead_ = 0;
};

}  // namespace regraft::search
#pragma GCC visibility pop
