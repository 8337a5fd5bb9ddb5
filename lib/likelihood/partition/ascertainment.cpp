#include "likelihood/partition/ascertainment.hpp"

#include <algorithm>
#include <cmath>

#include "likelihood/kernels/ieee_math.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::likelihood {
namespace {

/// The least value of 1 - p. If there is no time for changes, rounding leaves less than nothing; such data are
/// impossible, not certain.
constexpr double least_rest = 0x1p-60;
/// The least probability, as in the kernels: a rounded likelihood of 0 must not make NaNs.
constexpr double least_probability = 0x1p-600;

/// log(1 - p), where rest is 1 - p after rounding. The factor restores what rounding took from a small p (Kahan).
double log_of_rest(double p, double rest) {
    return rest == 1 ? -p : log(rest) * (p / (1 - rest));
}

}  // namespace

Unchanging unchanging(std::span<double const> loglh) {
    Unchanging sites;
    auto const largest = *std::max_element(loglh.begin(), loglh.end());
    if (!std::isfinite(largest)) return sites;
    sites.log_scale = largest;
    for (double const value : loglh) sites.probability += exp(value - largest);
    return sites;
}

std::array<double, 3> correction(Ascertainment ascertainment, Unchanging const& sites) {
    if (ascertainment == Ascertainment::felsenstein) {
        auto const probability = std::max(sites.probability, least_probability);
        auto const slope = sites.first / probability;
        return {log(probability) + sites.log_scale, slope, sites.second / probability - slope * slope};
    }
    REGRAFT_EXPECTS(ascertainment == Ascertainment::lewis);
    auto const scale = exp(sites.log_scale);
    auto const probability = sites.probability * scale;
    auto const rest = std::max(1 - probability, least_rest);
    auto const slope = sites.first * scale / rest;
    return {-log_of_rest(probability, rest), slope, sites.second * scale / rest + slope * slope};
}

}  // namespace regraft::likelihood
