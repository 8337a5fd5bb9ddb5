#include "regraft/core/exact_sum.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"

namespace regraft {
namespace {

using Limits = std::numeric_limits<double>;
std::uint64_t bits(double x) {
    return std::bit_cast<std::uint64_t>(x);
}

double sum(std::vector<double> const& terms) {
    ExactSum total;
    for (double term : terms) total.add(term);
    return total.value();
}

TEST(ExactSum, IsZeroWithoutTerms) {
    EXPECT_EQ(bits(ExactSum{}.value()), bits(0.0));
}

TEST(ExactSum, GivesBackASingleTermOfEveryMagnitude) {
    for (double x : {1.0, -1.0, 0.1, Limits::max(), Limits::lowest(), Limits::min(), Limits::denorm_min(),
                     -Limits::denorm_min(), Limits::min() / 4, 1e-300, 1e300, 0x1.fffffffffffffp-1022}) {
        EXPECT_EQ(bits(sum({x})), bits(x)) << x;
    }
}

TEST(ExactSum, LosesNothingToCancellation) {
    EXPECT_EQ(sum({1e308, 1.0, -1e308}), 1.0);
    EXPECT_EQ(sum({Limits::max(), Limits::max(), -Limits::max(), Limits::denorm_min(), -Limits::max()}),
              Limits::denorm_min());
    EXPECT_EQ(sum({0.1, -0.1}), 0.0);
}

TEST(ExactSum, RoundsToNearestEven) {
    EXPECT_EQ(sum({1.0, 0x1p-53}), 1.0);
    EXPECT_EQ(sum({1.0, 0x1p-53, Limits::denorm_min()}), 1.0 + 0x1p-52);
    EXPECT_EQ(sum({1.0 + 0x1p-52, 0x1p-53}), 1.0 + 0x1p-51);
    EXPECT_EQ(sum({-1.0, -0x1p-53, -Limits::denorm_min()}), -1.0 - 0x1p-52);
}

TEST(ExactSum, FollowsIeeeForInfinitiesAndNan) {
    EXPECT_EQ(sum({1.0, Limits::infinity()}), Limits::infinity());
    EXPECT_EQ(sum({1.0, -Limits::infinity()}), -Limits::infinity());
    EXPECT_TRUE(std::isnan(sum({Limits::infinity(), -Limits::infinity()})));
    EXPECT_TRUE(std::isnan(sum({1.0, Limits::quiet_NaN()})));
    EXPECT_EQ(sum({Limits::max(), Limits::max()}), Limits::infinity());
}

TEST(ExactSum, WeightIsTheSameAsRepeatedTerms) {
    for (double x : {0.1, -1234.5678e10, Limits::denorm_min(), Limits::max() / 8}) {
        ExactSum weighted;
        weighted.add(x, 7);
        EXPECT_EQ(bits(weighted.value()), bits(sum(std::vector(7, x)))) << x;
    }
    ExactSum large;
    large.add(-0.1, 0xffffffffU);
    EXPECT_DOUBLE_EQ(large.value(), -0.1 * 4294967295.0);
}

double spread(Random& random) {
    double const x = std::ldexp(random.unit() - 0.5, static_cast<int>(random.below(200)) - 100);
    return random.below(10) == 0 ? std::ldexp(x, -950) : x;
}

TEST(ExactSum, DoesNotDependOnOrderOrGrouping) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        std::vector<double> terms(1 + random.below(300));
        for (auto& term : terms) term = spread(random);
        double const expected = sum(terms);

        shuffle(std::span(terms), random);
        EXPECT_EQ(bits(sum(terms)), bits(expected));

        std::vector<ExactSum> ranks(1 + random.below(9));
        for (double term : terms) ranks[random.below(ranks.size())].add(term);
        ExactSum merged;
        std::vector<std::int64_t> limbs(ExactSum::num_limbs);  // as MPI_SUM does
        for (auto& rank : ranks) {
            merged.add(rank);
            rank.normalize();
            for (std::size_t i = 0; i < limbs.size(); ++i) limbs[i] += rank.limbs()[i];
        }
        ExactSum reduced;
        std::copy(limbs.begin(), limbs.end(), reduced.limbs().begin());
        EXPECT_EQ(bits(merged.value()), bits(expected));
        EXPECT_EQ(bits(reduced.value()), bits(expected));
    }
}

TEST(ExactSum, AgreesWithLongDoubleWhereThatIsExact) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Random random(seed);
        ExactSum total;
        long double expected = 0;  // 64 bits hold these terms exactly: 20-bit integers with weights
        for (int i = 0; i < 100; ++i) {
            auto const x = static_cast<double>(random.below(1 << 20)) - (1 << 19);
            auto const weight = static_cast<std::uint32_t>(random.below(1000));
            total.add(x, weight);
            expected += static_cast<long double>(x) * weight;
        }
        EXPECT_EQ(total.value(), static_cast<double>(expected)) << seed;
    }
}

TEST(ExactSum, NormalizingKeepsTheValue) {
    ExactSum total;
    for (int i = 0; i < 1000; ++i) total.add(-0.3, static_cast<std::uint32_t>(i));
    double const before = total.value();
    total.normalize();
    EXPECT_EQ(bits(total.value()), bits(before));
    for (std::size_t i = 0; i + 1 < ExactSum::num_digits; ++i) {
        EXPECT_GE(total.limbs()[i], 0);
        EXPECT_LT(total.limbs()[i], std::int64_t{1} << 32);
    }
}

}  // namespace
}  // namespace regraft
