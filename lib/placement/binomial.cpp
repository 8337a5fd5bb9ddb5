#include "placement/binomial.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "regraft/core/contracts.hpp"

namespace regraft::placement {
namespace {

/// ln n! - ln(sqrt(2 pi n) (n / e)^n), computed without cancellation. Precondition: n > 0.
double stirling_error(std::uint64_t n) {
    constexpr std::array<double, 15> exact{0.081061466795327258,  0.041340695955409294,  0.027677925684998339,
                                           0.020790672103765093,  0.016644691189821192,  0.013876128823070748,
                                           0.011896709945891770,  0.010411265261972096,  0.0092554621827127329,
                                           0.0083305634333628713, 0.0075736754879518408, 0.0069428401072095299,
                                           0.0064089941880042071, 0.0059513701127588477, 0.0055547335519628014};
    if (n <= exact.size()) return exact[n - 1];
    auto const x = 1 / static_cast<double>(n);
    auto const y = x * x;
    return x * (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y / 1188))));
}

/// x ln(x / mean) + mean - x, computed without cancellation; excess = mean - x. Precondition: x, mean > 0.
double deviance(double x, double mean, double excess) {
    auto const v = -excess / (x + mean);  // x / mean = (1 + v) / (1 - v)
    if (std::abs(v) > 0.3) return x * std::log(x / mean) + excess;
    auto sum = -excess * v;
    auto power = 2 * x * v;
    for (int k = 3;; k += 2) {
        power *= v * v;
        auto const next = sum + power / k;
        if (next == sum) return sum;
        sum = next;
    }
}

/// ln(chance.yes).
double log_of(Chance chance) {
    return chance.no < 0.5 ? std::log1p(-chance.no) : std::log(chance.yes);
}

}  // namespace

Chance chance_of_log_odds(double log_odds) {
    // The smaller one is computed first, so that both add up to 1 as exactly as possible.
    auto const smaller = 1 / (1 + std::exp(std::abs(log_odds)));
    return log_odds < 0 ? Chance{smaller, 1 - smaller} : Chance{1 - smaller, smaller};
}

double Scaled::get() const {
    return std::exp(log) * factor;
}

Scaled binomial_probability(std::uint64_t n, std::uint64_t k, Chance chance) {
    REGRAFT_EXPECTS(k <= n);
    auto const trials = static_cast<double>(n);
    if (k == 0) return {trials * log_of({chance.no, chance.yes}), 1};
    if (k == n) return {trials * log_of(chance), 1};
    auto const hits = static_cast<double>(k);
    auto const misses = static_cast<double>(n - k);
    // The smaller of the two means is more exact.
    auto const excess = chance.yes <= 0.5 ? trials * chance.yes - hits : misses - trials * chance.no;
    auto const log = stirling_error(n) - stirling_error(k) - stirling_error(n - k) -
                     deviance(hits, trials * chance.yes, excess) - deviance(misses, trials * chance.no, -excess);
    return {log, std::sqrt(trials / (2 * std::numbers::pi * hits * misses))};
}

std::uint64_t sample_binomial(std::uint64_t n, Chance chance, Random& random) {
    // Inversion from the mode outwards: most of the probability is within a few standard deviations.
    auto const mode = std::min(n, static_cast<std::uint64_t>((static_cast<double>(n) + 1) * chance.yes));
    auto const odds = chance.yes / chance.no;
    auto below = mode;
    auto above = mode;
    auto probability_below = binomial_probability(n, mode, chance).get();
    auto probability_above = probability_below;
    auto rest = random.unit() - probability_below;
    while (rest >= 0 && (below > 0 || above < n)) {
        if (above < n) {
            probability_above *= static_cast<double>(n - above) / static_cast<double>(above + 1) * odds;
            ++above;
            rest -= probability_above;
            if (rest < 0) return above;
        }
        if (below > 0) {
            probability_below *= static_cast<double>(below) / static_cast<double>(n - below + 1) / odds;
            --below;
            rest -= probability_below;
            if (rest < 0) return below;
        }
    }
    return mode;  // reached if rounding has left a rest
}

}  // namespace regraft::placement
