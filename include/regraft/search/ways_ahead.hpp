// Speculative computation of escapes: several of them share reductions, before it is known whether the first ones lead
// to a higher maximum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/estimate.hpp"
#include "regraft/search/lookahead.hpp"
#include "regraft/search/tasks/climb.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// A way out of a local maximum that was gone to its end.
struct Way {
    Climb climb;                    // the progress after it
    msa::Tree tree;                 // the tree after it
    double loglh;                   // log-likelihood of the tree
    std::uint64_t steps = 0;        // number of steps of the way
    std::uint64_t evaluations = 0;  // number of evaluations in them
};

/// Goes several ways at the same time, each with a likelihood of its own, and keeps those that are needed later. Most
/// escapes fail and leave the tree as it is, so that the following ones start from the same tree. Each way has the same
/// bits as if it were gone when it is needed. Precondition: one likelihood for all calls.
class WaysAhead {
public:
    using MakeLikelihood = std::function<std::unique_ptr<DistributedLikelihood>()>;

    /// Goes at most `most` ways at the same time. subtrees: how many subtrees each of them looks ahead. make: makes a
    /// likelihood of the same sites, specs and linkage.
    WaysAhead(std::size_t most, std::size_t subtrees, MakeLikelihood make);
    ~WaysAhead();
    WaysAhead(WaysAhead const&) = delete;
    WaysAhead& operator=(WaysAhead const&) = delete;

    /// The escape that follows the progress `climb`. Precondition: the climb is between two escapes, of which at least
    /// one and at most `left` follow if all fail. The tree stays as it is. Collective, unless the way is kept; all PEs
    /// pass the same, and what is kept is the same on all.
    Way next(Climb const& climb, Estimate const& now, DistributedLikelihood& likelihood, SearchOptions const& options,
             std::uint64_t left);
    /// How many more evaluations the likelihood of next() made than the ways returned so far take if each is gone
    /// alone. Modulo 2^64, so that it may be less than 0.
    std::uint64_t evaluations_ahead() const { return evaluations_ahead_; }
    /// The number of steps of the ways returned so far, without the first step of each.
    std::uint64_t further_steps() const { return further_steps_; }

private:
    class Traveller;

    void go(Climb const& climb, Estimate const& now, DistributedLikelihood& likelihood, SearchOptions const& options,
            std::uint64_t left);
    bool holds(DistributedLikelihood const& likelihood, Climb const& climb) const;

    std::size_t most_;
    std::size_t subtrees_;
    MakeLikelihood make_;
    std::vector<std::unique_ptr<Traveller>> travellers_;
    std::deque<Way> ways_;       // those that were not returned yet
    std::uint64_t changes_ = 0;  // DistributedLikelihood::changes when they were gone
    std::uint64_t evaluations_ahead_ = 0;
    std::uint64_t further_steps_ = 0;
};

}  // namespace regraft::search
#pragma GCC visibility pop
