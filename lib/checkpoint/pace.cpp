#include "regraft/checkpoint/pace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "regraft/core/contracts.hpp"

namespace regraft::checkpoint {

double young_interval(double cost, double mtbf) {
    REGRAFT_EXPECTS(cost >= 0 && mtbf > 0);
    return std::sqrt(2 * cost * mtbf);
}

double daly_interval(double cost, double mtbf) {
    REGRAFT_EXPECTS(cost >= 0 && mtbf > 0);
    auto const x = cost / (2 * mtbf);
    return x < 1 ? young_interval(cost, mtbf) * (1 + std::sqrt(x) / 3 + x / 9) - cost : mtbf;
}

double expected_overhead(double interval, double cost, double mtbf) {
    REGRAFT_EXPECTS(interval > 0 && mtbf > 0);
    return cost / interval + interval / (2 * mtbf);
}

Pace::Pace(PaceOptions const& options) : options_(options) {
    REGRAFT_EXPECTS(options.mtbf_hours > 0);
    if (options.steps != 0) interval_ = options.steps;
}

bool Pace::due() {
    return ++steps_ >= interval_;
}

void Pace::committed(std::span<Cost const> costs) {
    committed();
    commits_ = 0;
    if (options_.steps != 0) return;
    Cost slowest;
    for (auto const& [step_ms, commit_ms] : costs) {
        slowest.step_ms = std::max(slowest.step_ms, step_ms);
        slowest.commit_ms = std::max(slowest.commit_ms, commit_ms);
    }
    if (slowest.step_ms > 0) cost_.step_ms = slowest.step_ms;
    if (slowest.commit_ms > 0) cost_.commit_ms = slowest.commit_ms;
    constexpr std::uint64_t far_away = std::uint64_t{1} << 40;
    auto const most = std::min(2 * interval_, far_away);
    auto const best = best_steps();
    grows_ = best >= static_cast<double>(most);
    interval_ = grows_ ? most : std::max<std::uint64_t>(1, static_cast<std::uint64_t>(best));
}

/// The number of steps by the estimate; infinite as long as nothing is known.
double Pace::best_steps() const {
    if (cost_.step_ms == 0 || cost_.commit_ms == 0) return std::numeric_limits<double>::infinity();
    auto const mtbf_ms = options_.mtbf_hours * 3'600'000;
    auto const best_ms = options_.estimate == PaceOptions::Estimate::young ? young_interval(cost_.commit_ms, mtbf_ms)
                                                                           : daly_interval(cost_.commit_ms, mtbf_ms);
    return best_ms / cost_.step_ms;
}

void Pace::committed() {
    steps_ = 0;
    ++commits_;
}

bool Pace::wants_costs() const {
    constexpr std::uint64_t most_without = 16;
    // A program that commits without counting steps does not ask when a commit is due.
    return options_.steps == 0 && steps_ > 0 && (grows_ || commits_ >= most_without);
}

}  // namespace regraft::checkpoint
