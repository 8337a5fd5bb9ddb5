#include "gamma_rates.hpp"

#include <algorithm>
#include <numeric>

#include "ieee_math.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::likelihood {
namespace {

/// log(1 + x), x > 0: the rounding of 1 + x cancels.
double log_one_plus(double x) {
    double const sum = 1 + x;
    return sum == 1 ? x : log(sum) * (x / (sum - 1));
}

/// log of Gamma(a) over Stirling's approximation of it, sqrt(2 pi / a) (a / e)^a.
double stirling_error(double a) {
    double error = 0;
    while (a < 12) {  // where the series is good to all digits
        error += (a + 0.5) * log_one_plus(1 / a) - 1;
        a += 1;
    }
    double const z = 1 / (a * a);
    double const series =
        1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188 - z * (691.0 / 360360)))));
    return error + series / a;
}

/// The gamma distribution of shape a and scale 1. Its distribution function is P(a, x) = head(x) * series(x) with
/// head(x) = x^a e^-x / Gamma(a + 1) and series(x) = 1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ...
class Gamma {
public:
    explicit Gamma(double a) : a_(a), log_scale_(0.5 * log(two_pi * a) + stirling_error(a)) {}

    double below(double x) const { return exp(log_head(x)) * series(x); }

    /// x with P(a, x) = p, by Newton's method for log P as a function of log x. That is concave, so from the left it
    /// never oversteps. Precondition: 0 < p < 1, start <= x.
    double quantile(double p, double start) const {
        double const log_p = log(p);
        double x = start;
        for (int i = 0; i < max_steps; ++i) {
            double const sum = series(x);
            double const step = (log_p - log_head(x) - log(sum)) * sum / a_;  // d log P / d log x is a / series
            x *= exp(step);
            if (step < converged) break;
        }
        return x;
    }

    /// Not above the quantile of p, because P(a, x) < x^a / Gamma(a + 1).
    double quantile_bound(double p) const { return a_ * exp((log(p) + log_scale_) / a_ - 1); }

private:
    static constexpr double two_pi = 6.283185307179586;
    static constexpr double negligible = 1e-18;
    static constexpr int max_steps = 200;
    static constexpr double converged = 1e-12;  // the step after it is its square

    double log_head(double x) const {
        double const ratio = x / a_;
        return a_ * ((1 - ratio) + log(ratio)) - log_scale_;
    }

    double series(double x) const {
        double sum = 1;
        double term = 1;
        for (int n = 1; term > sum * negligible; ++n) {
            term *= x / (a_ + n);
            sum += term;
        }
        return sum;
    }

    double a_;
    double log_scale_;  // log of Gamma(a + 1) (e / a)^a
};

/// Where the first cuts[i] of the probability end.
std::vector<double> quantiles(Gamma const& gamma, std::vector<double> cuts) {
    double last = 0;
    for (double& cut : cuts) {
        cut = gamma.quantile(cut, std::max(last, gamma.quantile_bound(cut)));
        last = cut;
    }
    return cuts;
}

/// The part of the mean that lies below x is P(a + 1, x).
std::vector<double> means(double alpha, std::uint32_t categories) {
    std::vector<double> cuts;
    for (std::uint32_t i = 1; i < categories; ++i) cuts.push_back(static_cast<double>(i) / categories);
    Gamma const of_mean(alpha + 1);
    std::vector<double> rates;
    double below = 0;
    for (double const cut : quantiles(Gamma(alpha), cuts)) {
        auto const next = of_mean.below(cut);
        rates.push_back((next - below) * categories);
        below = next;
    }
    rates.push_back((1 - below) * categories);
    return rates;
}

std::vector<double> medians(double alpha, std::uint32_t categories) {
    std::vector<double> cuts;
    for (std::uint32_t i = 0; i < categories; ++i) cuts.push_back((i + 0.5) / categories);
    auto rates = quantiles(Gamma(alpha), cuts);
    auto const scale = categories / std::accumulate(rates.begin(), rates.end(), 0.0);
    for (double& rate : rates) rate *= scale;
    return rates;
}

}  // namespace

std::vector<double> gamma_rates(Heterogeneity heterogeneity, double alpha, std::uint32_t categories) {
    REGRAFT_EXPECTS(alpha >= min_alpha && alpha <= max_alpha && categories > 0);
    REGRAFT_EXPECTS(heterogeneity == Heterogeneity::gamma_mean || heterogeneity == Heterogeneity::gamma_median);
    return heterogeneity == Heterogeneity::gamma_mean ? means(alpha, categories) : medians(alpha, categories);
}

}  // namespace regraft::likelihood
