#include "likelihood/models/gamma_rates.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <boost/math/special_functions/gamma.hpp>
#include <gtest/gtest.h>

namespace regraft::likelihood {
namespace {

using Real = long double;

/// The value below which a share p of the gamma distribution of shape alpha and scale 1 lies.
Real quantile(double alpha, Real p) {
    return boost::math::gamma_p_inv(Real{alpha}, p);
}

std::vector<Real> expected_means(double alpha, std::uint32_t categories) {
    std::vector<Real> rates;
    Real below = 0;
    for (std::uint32_t i = 1; i <= categories; ++i) {
        auto const next =
            i == categories ? 1 : boost::math::gamma_p(Real{alpha} + 1, quantile(alpha, Real{1} * i / categories));
        rates.push_back((next - below) * categories);
        below = next;
    }
    return rates;
}

std::vector<Real> expected_medians(double alpha, std::uint32_t categories) {
    std::vector<Real> rates;
    for (std::uint32_t i = 0; i < categories; ++i) rates.push_back(quantile(alpha, (i + Real{0.5}) / categories));
    auto const scale = categories / std::accumulate(rates.begin(), rates.end(), Real{0});
    for (auto& rate : rates) rate *= scale;
    return rates;
}

/// AS 91 stops when a step changes the quantile by less than half of 1e-6, AS 32 when a term is below 1e-8.
void expect_near(double rate, Real right, double alpha, std::uint32_t categories) {
    EXPECT_LE(std::abs(rate - right), 1e-6L * (right + 0.01L)) << alpha << ' ' << categories;
}

TEST(GammaRates, AreNearThoseOfBoost) {
    for (double const alpha :
         {0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 0.9, 1.0, 1.1, 2.0, 5.0, 9.99, 10.0, 11.5, 33.0, 100.0}) {
        for (std::uint32_t const categories : {2U, 3U, 4U, 8U, 25U, 64U}) {
            auto const means = gamma_rates(Heterogeneity::gamma_mean, alpha, categories);
            auto const medians = gamma_rates(Heterogeneity::gamma_median, alpha, categories);
            auto const right_means = expected_means(alpha, categories);
            auto const right_medians = expected_medians(alpha, categories);
            ASSERT_EQ(means.size(), categories);
            ASSERT_EQ(medians.size(), categories);
            for (std::uint32_t i = 0; i < categories; ++i) {
                expect_near(means[i], right_means[i], alpha, categories);
                expect_near(medians[i], right_medians[i], alpha, categories);
            }
        }
    }
}

TEST(GammaRates, RiseAndHaveMeanOne) {
    for (auto const heterogeneity : {Heterogeneity::gamma_mean, Heterogeneity::gamma_median}) {
        for (int step = 0; step <= 38; ++step) {
            auto const alpha = std::clamp(min_alpha * std::pow(1.33, step), min_alpha, max_given_alpha);
            auto const rates = gamma_rates(heterogeneity, alpha, 16);
            EXPECT_TRUE(std::is_sorted(rates.begin(), rates.end())) << alpha;
            EXPECT_GT(rates.front(), 0) << alpha;
            EXPECT_NEAR(std::accumulate(rates.begin(), rates.end(), 0.0), 16, 1e-13) << alpha;
        }
    }
}

TEST(GammaRates, OfOneCategoryAreOne) {
    EXPECT_EQ(gamma_rates(Heterogeneity::gamma_mean, 0.5, 1), std::vector{1.0});
    EXPECT_EQ(gamma_rates(Heterogeneity::gamma_median, 0.5, 1), std::vector{1.0});
}

TEST(GammaRates, OfTheLargestAlphaAreThoseOfANormalDistribution) {
    // The median of the upper half of the normal distribution is 0.6744898 deviations above the mean.
    auto const medians = gamma_rates(Heterogeneity::gamma_median, max_given_alpha, 2);
    EXPECT_NEAR(medians[1] - medians[0], 2 * 0.6744898 / std::sqrt(max_given_alpha), 1e-5);
    // The mean of that half is sqrt(2 / pi) deviations above.
    auto const means = gamma_rates(Heterogeneity::gamma_mean, max_given_alpha, 2);
    EXPECT_NEAR(means[1] - means[0], 2 * 0.7978846 / std::sqrt(max_given_alpha), 1e-5);
}

TEST(GammaRatesDeathTest, RefuseAlphaOutOfRange) {
    EXPECT_DEATH(gamma_rates(Heterogeneity::gamma_mean, 0.01, 4), "precondition");
    EXPECT_DEATH(gamma_rates(Heterogeneity::gamma_mean, 1001, 4), "precondition");
    EXPECT_DEATH(gamma_rates(Heterogeneity::gamma_mean, std::nan(""), 4), "precondition");
}

}  // namespace
}  // namespace regraft::likelihood
