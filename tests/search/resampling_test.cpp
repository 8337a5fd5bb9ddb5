#include "regraft/search/resampling.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace regraft::phylo {

using namespace search;

namespace {

std::vector<std::uint32_t> const weights{3, 1, 6, 2, 8};
std::vector<std::uint64_t> const partition_begin{0, 3, 5};

TEST(Resampling, DrawsAsManySitesOfEachPartitionAsItHas) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(seed);
        auto const drawn = resampled_weights(weights, partition_begin, seed);
        EXPECT_EQ(std::accumulate(drawn.begin(), drawn.begin() + 3, 0U), 10U);
        EXPECT_EQ(std::accumulate(drawn.begin() + 3, drawn.end(), 0U), 10U);
        EXPECT_EQ(drawn, resampled_weights(weights, partition_begin, seed));
    }
}

TEST(Resampling, DrawsEverySiteAsOftenAsAnyOther) {
    constexpr int replicates = 20'000;
    std::vector<double> sums(weights.size(), 0);
    for (int seed = 0; seed < replicates; ++seed) {
        auto const drawn = resampled_weights(weights, partition_begin, static_cast<std::uint64_t>(seed));
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += drawn[i];
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
        // Binomial: variance n p (1 - p) per replicate, n = 10 sites.
        double const p = weights[i] / 10.0;
        double const deviation = std::sqrt(10 * p * (1 - p) / replicates);
        EXPECT_NEAR(sums[i] / replicates, weights[i], 5 * deviation + 1e-12) << i;
    }
}

TEST(Resampling, DrawsNothingOfWhatHasNoSites) {
    std::vector<std::uint32_t> const some{1, 0, 7};
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        EXPECT_EQ(resampled_weights(some, std::vector<std::uint64_t>{0, 0, 3}, seed)[1], 0U);  // the first is empty
    }
    EXPECT_TRUE(resampled_weights({}, std::vector<std::uint64_t>{0, 0}, 1).empty());
}

TEST(Resampling, DrawsOthersWithAnotherSeed) {
    EXPECT_NE(resampled_weights(weights, partition_begin, 1), resampled_weights(weights, partition_begin, 2));
}

TEST(Resampling, DrawsPartitionsInProportionToTheirSites) {
    SiteSampler const sites(weights, partition_begin);
    for (std::uint32_t tenths = 5; tenths <= 14; ++tenths) {
        auto const drawn = sites.draw(tenths, {tenths});
        EXPECT_EQ(std::accumulate(drawn.begin(), drawn.begin() + 3, 0U), tenths);
        EXPECT_EQ(std::accumulate(drawn.begin(), drawn.end(), 0U), 2 * tenths);
    }
    // Partitions of one site each: the sizes are rounded for all together.
    std::vector<std::uint32_t> const ones(7, 1);
    std::vector<std::uint64_t> const begin{0, 1, 2, 3, 4, 5, 6, 7};
    for (std::uint32_t tenths = 5; tenths <= 14; ++tenths) {
        auto const drawn = SiteSampler(ones, begin).draw(1, {tenths});
        EXPECT_EQ(std::accumulate(drawn.begin(), drawn.end(), 0U), num_drawn(7, {tenths}));
    }
}

TEST(Resampling, DrawsLargeWeightsInLittleMemory) {
    // As many sites as would not fit a table, in patterns of which some have none.
    std::vector<std::uint32_t> const large{300, 0, 100, 560, 30, 10, 0, 40, 60};
    std::vector<std::uint64_t> const begin{0, 6, 9};
    constexpr int replicates = 1000;
    std::vector<double> sums(large.size(), 0);
    std::vector<double> squares(large.size(), 0);
    for (std::uint64_t seed = 0; seed < replicates; ++seed) {
        auto const drawn = SiteSampler(large, begin).draw(seed);
        EXPECT_EQ(std::accumulate(drawn.begin(), drawn.begin() + 6, 0U), 1000U);
        EXPECT_EQ(std::accumulate(drawn.begin() + 6, drawn.end(), 0U), 100U);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] += drawn[i];
            squares[i] += std::pow(double(drawn[i]) - large[i], 2);
        }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
        auto const n = i < 6 ? 1000.0 : 100.0;
        auto const variance = large[i] * (1 - large[i] / n);
        EXPECT_NEAR(sums[i] / replicates, large[i], 5 * std::sqrt(variance / replicates) + 1e-12) << i;
        EXPECT_NEAR(squares[i] / replicates, variance, 0.3 * variance) << i;
    }
}

TEST(Resampling, LeavesAPartitionOfOnePatternAsItIs) {
    EXPECT_EQ(resampled_weights(std::vector<std::uint32_t>{9}, std::vector<std::uint64_t>{0, 1}, 5),
              (std::vector<std::uint32_t>{9}));
}

}  // namespace
}  // namespace regraft::phylo
