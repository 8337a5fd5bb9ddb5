#include "search/likelihood/shared_reductions.hpp"

#include <algorithm>

#include "regraft/core/contracts.hpp"

namespace regraft::search {

void SharedReductions::run(std::span<std::function<void()> const> computations) {
    for (auto const& computation : computations) fibers_.push_back(std::make_unique<Fiber>(computation));
    struct End {
        std::vector<std::unique_ptr<Fiber>>& fibers;
        ~End() { fibers.clear(); }
    } const end{fibers_};
    while (run_to_next()) reduce_all();
}

/// Returns whether any computation wants a reduction.
bool SharedReductions::run_to_next() {
    wanted_.clear();
    for (auto& fiber : fibers_) {
        if (fiber->has_ended()) continue;
        running_ = fiber.get();
        fiber->resume();
    }
    return !wanted_.empty();
}

void SharedReductions::reduce_all() {
    std::vector<FixedSum> sums;
    for (auto const& own : wanted_) sums.insert(sums.end(), own.begin(), own.end());
    through_.all_reduce(sums);
    auto next = sums.cbegin();
    for (auto const& own : wanted_) {
        std::copy_n(next, own.size(), own.begin());
        next += static_cast<std::ptrdiff_t>(own.size());
    }
}

void SharedReductions::reduce(std::span<FixedSum> sums) {
    REGRAFT_EXPECTS(running_ != nullptr);
    wanted_.push_back(sums);
    running_->pause();
}

}  // namespace regraft::search
