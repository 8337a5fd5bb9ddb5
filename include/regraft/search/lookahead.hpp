// Computes moves of several subtrees in the same reductions, before it is known whether the first ones change the tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "regraft/search/constraint.hpp"
#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/optimise.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// The mean loss of likelihood of insertions next to the place of a pruned subtree, over the search so far. Beyond an
/// insertion that loses less, further ones are tried.
struct Losses {
    double sum = 0;           // of their losses of log-likelihood
    std::uint64_t count = 0;  // number of insertions

    /// Counts an insertion that loses so much.
    void add(double loss) {
        sum += loss;
        ++count;
    }
    /// The mean; infinity until enough is known.
    double mean() const;
};

/// An insertion that was tried.
struct Scored {
    Insertion insertion;  // where, and with which lengths
    double loglh;         // log-likelihood of the tree after it
};

/// What a subtree's move would bring.
struct Forecast {
    msa::HalfEdge h;                // the subtree is behind it
    std::vector<Scored> found{};    // the insertions that are worth it, with their best lengths, the likeliest first
    BestLength old_place{};         // of the edge that the subtree leaves behind; only if any insertion was found
    std::vector<double> losses{};   // of the insertions next to its place, for Losses
    std::uint64_t evaluations = 0;  // that it takes alone
};

/// How far subtrees are moved, and from which tree.
struct Reach {
    std::uint32_t radius;                    // in edges
    double loglh;                            // of the tree
    Constraint const* constraint = nullptr;  // the tree complies with it, and all that are found do; null: any tree
    friend bool operator==(Reach const&, Reach const&) = default;
};

/// Keeps forecasts for the subtrees that are tried next, on one likelihood. Most moves fail and leave the tree as it
/// is, so the forecasts for the following subtrees hold. They are the same bits as if each was made when it is needed:
/// how far a search looks ahead changes only its time. It makes a fraction of the reductions. In return it computes
/// more, because subtrees are cut off several times, and because a change of the tree makes the forecasts behind it
/// worthless.
class Lookahead {
public:
    /// Looks ahead at most so many subtrees, the next one included. Precondition: at least 1.
    explicit Lookahead(std::size_t most = 1) : most_(most) {}
    /// The number of edges that are in focus at once if a search looks so far ahead.
    static std::size_t most_in_focus(std::size_t most);

    /// The forecast for the first of the waiting subtrees. They are tried in their order, with these losses so far.
    /// Collective over the PEs of the likelihood, which all pass the same, unless the forecast is known.
    Forecast next(DistributedLikelihood& likelihood, std::deque<msa::HalfEdge> const& waiting, Reach const& reach,
                  Losses const& losses);
    /// The tree was changed, but is as it was before.
    void is_restored(DistributedLikelihood const& likelihood) { changes_ = likelihood.changes(); }
    /// Number of evaluations that were made for steps to come, or in vain, minus those that were saved; modulo 2^64.
    std::uint64_t evaluations_ahead() const { return evaluations_ahead_; }

private:
    bool holds(DistributedLikelihood const& likelihood, msa::HalfEdge h, Reach const& reach) const;
    std::ptrdiff_t width(std::size_t num_waiting) const;

    std::size_t most_;
    std::size_t run_ = 0;             // number of moves since the tree changed
    double mean_run_ = 4;             // the same at the changes so far, the last ones counting most
    std::deque<Forecast> forecasts_;  // those that were not used yet
    std::uint64_t changes_ = 0;       // of the likelihood, when they were made
    Reach reach_{};
    std::uint64_t evaluations_ahead_ = 0;
};

}  // namespace regraft::search
#pragma GCC visibility pop
