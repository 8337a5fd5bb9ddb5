#include "regraft/search/tree_tests.hpp"

#include <cmath>
#include <numeric>

#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"

namespace regraft::search {
namespace {

boost::math::normal const normal;

/// The wins that a tree with distance d and curvature c has on average.
std::vector<ScaledWins> mean_wins(double d, double c, std::uint64_t samples = 1'000'000'000) {
    std::vector<ScaledWins> wins;
    for (std::uint32_t k = 0; k < num_sample_sizes; ++k) {
        auto const scale = sample_size(k).tenths / 10.0;
        auto const share = 1 - boost::math::cdf(normal, d * std::sqrt(scale) + c / std::sqrt(scale));
        wins.push_back(
            {scale, static_cast<std::uint64_t>(std::llround(share * static_cast<double>(samples))), samples});
    }
    return wins;
}

TEST(FitScaledWins, FindsDistanceAndCurvature) {
    for (double const d : {-2.0, -0.3, 0.0, 0.7, 2.0, 3.5}) {
        for (double const c : {-0.5, 0.0, 0.4, 1.0}) {
            SCOPED_TRACE(testing::Message() << d << ' ' << c);
            auto const fit = fit_scaled_wins(mean_wins(d, c));
            ASSERT_TRUE(fit.is_fitted);
            EXPECT_NEAR(fit.d, d, 2e-4);
            EXPECT_NEAR(fit.c, c, 2e-4);
            EXPECT_NEAR(fit.p, 1 - boost::math::cdf(normal, d - c), 1e-4);
            EXPECT_GT(fit.fit, 0.9);
        }
    }
}

TEST(FitScaledWins, TellsHowFarItsValueVaries) {
    constexpr int repetitions = 400;
    constexpr std::uint64_t samples = 1000;
    auto const means = mean_wins(1.2, 0.3, samples);
    std::vector<double> values;
    double error = 0;
    int poor = 0;
    for (std::uint64_t seed = 0; seed < repetitions; ++seed) {
        Random random(seed);
        auto wins = means;
        for (auto& some : wins) {
            auto const share = static_cast<double>(some.wins) / samples;
            some.wins = 0;
            for (std::uint64_t i = 0; i < samples; ++i) some.wins += random.unit() < share;
        }
        auto const fit = fit_scaled_wins(wins);
        values.push_back(fit.p);
        error += fit.error / repetitions;
        poor += fit.fit < 0.05;
    }
    auto const mean = std::accumulate(values.begin(), values.end(), 0.0) / repetitions;
    double squares = 0;
    for (auto const value : values) squares += (value - mean) * (value - mean);
    EXPECT_NEAR(mean, 1 - boost::math::cdf(normal, 0.9), 0.005);
    EXPECT_NEAR(std::sqrt(squares / (repetitions - 1)) / error, 1, 0.15);
    EXPECT_NEAR(poor, 0.05 * repetitions, 20);  // the fits are as good as chance allows
}

TEST(FitScaledWins, SeesWhenTheModelDoesNotHold) {
    auto wins = mean_wins(0.5, 0.2, 10'000);
    wins[4].wins += 500;
    EXPECT_LT(fit_scaled_wins(wins).fit, 1e-6);
}

TEST(FitScaledWins, DecidesWhereNothingCanBeFitted) {
    auto const of = [](std::vector<std::uint64_t> const& numbers, double step) {
        std::vector<ScaledWins> wins;
        for (auto const number : numbers) wins.push_back({0.5 + step * static_cast<double>(wins.size()), number, 100});
        return fit_scaled_wins(wins);
    };
    for (auto const& [numbers, step, p] : {std::tuple{std::vector<std::uint64_t>{0, 0, 0}, 0.1, 0.0},
                                           {{100, 100, 100}, 0.1, 1.0},
                                           {{3, 0, 0}, 0.1, 0.0},
                                           {{99, 100, 100}, 0.1, 1.0},
                                           {{30, 20, 25}, 0.0, 0.0}}) {  // all of one size
        auto const fit = of(numbers, step);
        EXPECT_FALSE(fit.is_fitted);
        EXPECT_EQ(fit.p, p);
    }
    EXPECT_TRUE(of({3, 1, 0}, 0.1).is_fitted);
    EXPECT_LT(of({3, 1, 0}, 0.1).p, 0.05);
}

/// Trees with log-likelihoods -10, -12 and -11 whose differences deviate by 1, 2 and 4.
Contest contest() {
    std::vector<double> const deviations{0, 1, 2,  //
                                         1, 0, 4,  //
                                         2, 4, 0};
    return {{-10, -12, -11}, deviations};
}

TEST(Contest, ComparesEachTreeWithTheBestOther) {
    EXPECT_EQ(contest().opponent, (std::vector<std::size_t>{2, 0, 0}));
    // Of the first tree: -2 / 1 or -1 / 2; of the third: 1 / 2 or -1 / 4.
    EXPECT_EQ(contest().weighted_opponent, (std::vector<std::size_t>{2, 0, 0}));
    EXPECT_EQ(contest().weighted_difference, (std::vector<double>{0, 2, 0.5}));
    std::vector<double> const other{0, 1, 9, 1, 0, 9, 9, 9, 0};
    EXPECT_EQ(Contest({-10, -12, -9}, other).opponent[1], 2U);
    EXPECT_EQ(Contest({-10, -12, -9}, other).weighted_opponent[1], 0U);
    std::vector<double> const none{0};
    EXPECT_EQ(Contest({-5}, none).opponent, (std::vector<std::size_t>{0}));
}

TEST(SampleCounts, CountWhatASampleShows) {
    SampleCounts counts;
    auto const size = sample_size(usual_size);
    counts.add(std::vector<double>{-10, -9.995, -20}, contest(), size);  // centred: 0, 2.005, -9
    EXPECT_EQ(counts.wins, (std::vector<std::uint64_t>{1, 1, 0}));       // too close to tell
    EXPECT_EQ(counts.shares, (std::vector<double>{0.5, 0.5, 0}));
    EXPECT_NEAR(counts.weights[0], 1 / (1 + std::exp(0.005) + std::exp(-10)), 1e-12);
    // Differences in the data: -1 to the third, 2 to the first, 1 to the first; in the sample: -9, -2.005, 9.
    EXPECT_EQ(counts.kh, (std::vector<std::uint64_t>{0, 0, 1}));
    // The greatest in the data: 0, 2, 1; in the sample: 2.005, 0, 11.005.
    EXPECT_EQ(counts.sh, (std::vector<std::uint64_t>{1, 0, 1}));
    // In deviations, in the data: 0, 2, 0.5; in the sample: 2.005, 0, 4.5.
    EXPECT_EQ(counts.weighted_sh, (std::vector<std::uint64_t>{1, 0, 1}));
}

TEST(SampleCounts, OfOtherSizesCountWinsAlone) {
    SampleCounts counts;
    for (int i = 0; i < 3; ++i) counts.add(std::vector<double>{-4, -3, -5}, contest(), sample_size(0));
    EXPECT_EQ(counts.wins, (std::vector<std::uint64_t>{0, 3, 0}));
    EXPECT_TRUE(counts.shares.empty() && counts.kh.empty() && counts.weighted_sh.empty());
}

TEST(SampleCounts, ComeBackFromBytes) {
    SampleCounts counts;
    counts.add(std::vector<double>{-4, -3, -5}, contest(), sample_size(usual_size));
    ByteWriter out;
    counts.write(out);
    auto const bytes = out.take();
    ByteReader in(bytes);
    auto const read = SampleCounts::read(in);
    EXPECT_EQ(read.wins, counts.wins);
    EXPECT_EQ(read.shares, counts.shares);
    EXPECT_EQ(read.weights, counts.weights);
    EXPECT_EQ(read.kh, counts.kh);
    EXPECT_EQ(read.sh, counts.sh);
    EXPECT_EQ(read.weighted_kh, counts.weighted_kh);
    EXPECT_EQ(read.weighted_sh, counts.weighted_sh);
    ByteReader cut(std::span<std::byte const>(bytes).first(bytes.size() - 1));
    EXPECT_THROW(SampleCounts::read(cut), InputError);
}

TEST(TreeTests, AreSharesOfTheSamples) {
    std::vector<SampleCounts> counts(num_sample_sizes);
    for (std::uint32_t k = 0; k < num_sample_sizes; ++k) {
        for (int i = 0; i < 8; ++i) {
            counts[k].add(std::vector<double>{-10, i < 2 ? -9.0 : -12.0, -11}, contest(), sample_size(k));
        }
    }
    auto const tests = tree_tests(contest().loglh, counts, 8, 100);
    EXPECT_EQ(tests[1].difference, 2);
    EXPECT_EQ(tests[0].bp, 0.75);
    EXPECT_EQ(tests[1].bp, 0.25);
    EXPECT_EQ(tests[1].sh, 0);  // no tree ever gains 2 on it
    EXPECT_EQ(tests[0].sh, 1);
    EXPECT_EQ(tests[0].kh, 1);
    EXPECT_NEAR(tests[1].au.p, 0.5, 0.05);  // as many wins at all sizes: d and c are equal
    EXPECT_EQ(tests[2].au.p, 0);
}

TEST(ConfidenceSet, HasTheGreatestValuesUpToTheLevel) {
    EXPECT_EQ(confidence_set(std::vector{0.1, 0.6, 0.02, 0.28}, 0.95), (std::vector{true, true, false, true}));
    EXPECT_EQ(confidence_set(std::vector{0.5, 0.5}, 0.5), (std::vector{true, false}));
    EXPECT_EQ(confidence_set(std::vector{1.0}, 0.95), (std::vector{true}));
    EXPECT_TRUE(confidence_set({}, 0.95).empty());
}

}  // namespace
}  // namespace regraft::search
