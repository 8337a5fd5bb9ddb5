// Computations whose reductions are made together.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "regraft/search/distributed_likelihood.hpp"
#include "search/likelihood/fiber.hpp"

namespace regraft::search {

/// Runs several computations in turns. Each runs until its next reduction; then one reduction is made for all of them.
/// What a computation finds does not depend on the others.
class SharedReductions : public Reducer {
public:
    /// through: makes the reductions. Keeps a reference.
    explicit SharedReductions(DistributedLikelihood& through) : through_(through) {}

    /// Runs them all, in their order from reduction to reduction. Their likelihoods reduce by this object. If one
    /// throws, or a reduction does, the others are ended. Collective.
    void run(std::span<std::function<void()> const> computations);
    /// Called by a computation.
    void reduce(std::span<FixedSum> sums) override;

private:
    bool run_to_next();
    void reduce_all();

    DistributedLikelihood& through_;
    std::vector<std::unique_ptr<Fiber>> fibers_;
    Fiber* running_ = nullptr;
    std::vector<std::span<FixedSum>> wanted_;  // the sums of those that pause
};

}  // namespace regraft::search
