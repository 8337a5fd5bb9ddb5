// The quantiles are computed by the approximations that programs of phylogenetics have used since Yang's PAML. They are
// off by up to 1e-6 of a rate, but log-likelihoods are compared between programs, and with these all print the same
// digits.
#include "likelihood/models/gamma_rates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "likelihood/kernels/ieee_math.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::likelihood {
namespace {

constexpr double log_2 = .6931471805;  // with as many digits as AS 91

double power(double base, double exponent) {
    return base <= 0 ? 0 : exp(exponent * log(base));
}

/// c[0] + c[1] x + ...
template <std::size_t size>
double polynomial(std::array<double, size> const& c, double x) {
    double sum = 0;
    for (auto i = size; i-- > 0;) sum = sum * x + c[i];
    return sum;
}

/// ln(gamma(x)) by Stirling's series from 7 on (Pike, Hill 1966, Algorithm 291).
double log_gamma(double x) {
    double product = 1;
    for (; x < 7; ++x) product *= x;
    constexpr std::array series{.083333333333333, -.002777777777778, .000793650793651, -.000595238095238};
    constexpr double log_root_2_pi = .918938533204673;
    return (x - 0.5) * log(x) - x + log_root_2_pi + polynomial(series, 1 / (x * x)) / x - log(product);
}

/// The regularised incomplete gamma function P(shape, x), to 1e-8 (Bhattacharjee 1970, AS 32).
class IncompleteGamma {
public:
    explicit IncompleteGamma(double shape) : shape_(shape), log_gamma_(log_gamma(shape)) {}

    double operator()(double x) const {
        if (x == 0) return 0;
        auto const factor = exp(shape_ * log(x) - x - log_gamma_);
        return x > 1 && x >= shape_ ? 1 - factor * fraction(x) : factor * series(x) / shape_;
    }

private:
    static constexpr double accuracy = 1e-8;

    double series(double x) const {
        double sum = 1;
        double term = 1;
        for (double n = shape_ + 1; term > accuracy; ++n) {
            term *= x / n;
            sum += term;
        }
        return sum;
    }

    double fraction(double x) const {
        constexpr double overflow = 1e30;
        double a = 1 - shape_;
        double b = a + x + 1;
        double before = 1;  // numerators and denominators of the last two convergents
        double before_below = x;
        double last = x + 1;
        double last_below = x * b;
        double value = last / last_below;
        for (double n = 1;; ++n) {
            ++a;
            b += 2;
            auto const next = b * last - a * n * before;
            auto const next_below = b * last_below - a * n * before_below;
            if (next_below != 0) {
                auto const ratio = next / next_below;
                auto const difference = std::abs(value - ratio);
                if (difference <= accuracy && difference <= accuracy * ratio) return value;
                value = ratio;
            }
            before = last;
            before_below = last_below;
            last = next;
            last_below = next_below;
            if (std::abs(before) < overflow && std::abs(last) < overflow) continue;
            for (auto* part : {&before, &before_below, &last, &last_below}) *part /= overflow;
        }
    }

    double shape_;
    double log_gamma_;
};

/// The quantile of the normal distribution (Odeh, Evans 1974, AS 70).
double normal_quantile(double p) {
    constexpr std::array a{-.322232431088, -1.0, -.342242088547, -.0204231210245, -.453642210148e-4};
    constexpr std::array b{.0993484626060, .588581570495, .531103462366, .103537752850, .38560700634e-2};
    auto const tail = std::min(p, 1 - p);
    auto const y = std::sqrt(log(1 / (tail * tail)));
    auto const z = y + polynomial(a, y) / polynomial(b, y);
    return p < 0.5 ? -z : z;
}

/// The chi-square distribution (Best, Roberts 1975, AS 91).
class ChiSquare {
public:
    explicit ChiSquare(double freedom) : freedom_(freedom), half_(freedom / 2), below_(half_) {}

    double quantile(double p) const {
        constexpr double least = 1e-6;
        constexpr double accuracy = 0.5e-6;
        if (p < least) return 0;
        auto x = start(p);
        if (freedom_ < -1.24 * log(p) && x < accuracy) return x;
        for (;;) {
            auto const before = x;
            x = improved(x, p);
            if (!(std::abs(before / x - 1) > accuracy)) return x;
        }
    }

private:
    double start(double p) const {
        if (freedom_ < -1.24 * log(p)) return power(p * half_ * exp(log_gamma_ + half_ * log_2), 1 / half_);
        if (freedom_ <= 0.32) return start_of_little_freedom(p);
        auto const ninth = 0.222222 / freedom_;
        auto const root = normal_quantile(p) * std::sqrt(ninth) + 1 - ninth;
        auto const x = freedom_ * power(root, 3);
        return x > 2.2 * freedom_ + 6 ? -2 * (log(1 - p) - (half_ - 1) * log(x / 2) + log_gamma_) : x;
    }

    double start_of_little_freedom(double p) const {
        double x = 0.4;
        for (;;) {
            auto const before = x;
            auto const p1 = 1 + x * (4.67 + x);
            auto const p2 = x * (6.73 + x * (6.66 + x));
            auto const t = -0.5 + (4.67 + 2 * x) / p1 - (6.73 + x * (13.32 + 3 * x)) / p2;
            x -= (1 - exp(log(1 - p) + log_gamma_ + x / 2 + (half_ - 1) * log_2) * p2 / p1) / t;
            if (std::abs(before / x - 1) <= 0.01) return x;
        }
    }

    /// A step by seven terms of Taylor's series.
    double improved(double x, double p) const {
        auto const c = half_ - 1;
        auto const t = (p - below_(x / 2)) * exp(half_ * log_2 + log_gamma_ + x / 2 - c * log(x));
        auto const b = t / x;
        auto const a = t / 2 - b * c;
        auto const s1 = polynomial(std::array{210.0, 140.0, 105.0, 84.0, 70.0, 60.0}, a) / 420;
        auto const s2 = polynomial(std::array{420.0, 735.0, 966.0, 1141.0, 1278.0}, a) / 2520;
        auto const s3 = polynomial(std::array{210.0, 462.0, 707.0, 932.0}, a) / 2520;
        auto const s4 =
            (polynomial(std::array{252.0, 672.0, 1182.0}, a) + c * polynomial(std::array{294.0, 889.0, 1740.0}, a)) /
            5040;
        auto const s5 = (84 + 264 * a + c * (175 + 606 * a)) / 2520;
        auto const s6 = (120 + c * (346 + 127 * c)) / 5040;
        return x + t * (1 + t / 2 * s1 - b * c * (s1 - b * (s2 - b * (s3 - b * (s4 - b * (s5 - b * s6))))));
    }

    double freedom_;
    double half_;
    IncompleteGamma below_;
    double log_gamma_ = log_gamma(half_);
};

/// The quantile of the gamma distribution with mean 1.
double quantile(double alpha, double p) {
    return ChiSquare(2 * alpha).quantile(p) / (2 * alpha);
}

/// The means of the categories: the part of the mean that lies below a cut x is P(alpha + 1, alpha x).
std::vector<double> means(double alpha, std::uint32_t categories) {
    IncompleteGamma const of_mean(alpha + 1);
    std::vector<double> rates;
    double below = 0;
    for (std::uint32_t i = 1; i < categories; ++i) {
        auto const next = of_mean(alpha * quantile(alpha, static_cast<double>(i) / categories));
        rates.push_back((next - below) * categories);
        below = next;
    }
    rates.push_back((1 - below) * categories);
    return rates;
}

std::vector<double> medians(double alpha, std::uint32_t categories) {
    std::vector<double> rates;
    for (std::uint32_t i = 0; i < categories; ++i) rates.push_back(quantile(alpha, (i + 0.5) / categories));
    auto const mean = std::accumulate(rates.begin(), rates.end(), 0.0) / categories;
    for (double& rate : rates) rate /= mean;
    return rates;
}

}  // namespace

std::vector<double> gamma_rates(Heterogeneity heterogeneity, double alpha, std::uint32_t categories) {
    REGRAFT_EXPECTS(alpha >= min_alpha && alpha <= max_given_alpha && categories > 0);
    REGRAFT_EXPECTS(heterogeneity == Heterogeneity::gamma_mean || heterogeneity == Heterogeneity::gamma_median);
    return heterogeneity == Heterogeneity::gamma_mean ? means(alpha, categories) : medians(alpha, categories);
}

}  // namespace regraft::likelihood
