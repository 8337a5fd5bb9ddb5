#include "regraft/core/fixed_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"

namespace regraft {
namespace {

using Limits = std::numeric_limits<double>;

struct Term {
    double value;
    std::uint32_t weight;
};

FixedSum sum(std::vector<Term> const& terms, FixedScale const& scale) {
    FixedSum result;
    for (auto const& [value, weight] : terms) result.add(value, weight, scale);
    return result;
}

std::uint64_t bits(double x) {
    return std::bit_cast<std::uint64_t>(x);
}

void expect_same(FixedSum const& a, FixedSum const& b, FixedScale const& scale) {
    EXPECT_EQ(a.high, b.high);
    EXPECT_EQ(a.low, b.low);
    EXPECT_EQ(a.num_strays, b.num_strays);
    EXPECT_EQ(bits(a.strays.value()), bits(b.strays.value()));
    EXPECT_EQ(bits(a.value(scale)), bits(b.value(scale)));
}

TEST(FixedScale, IsAsFineAsPromised) {
    for (double const bound : {0x1p-20, 1.0, 0x1p12, 0x1p48}) {
        for (std::uint64_t const total : {0ULL, 1ULL, 1000ULL, 1ULL << 20}) {
            auto const scale = FixedScale::of(bound, total);
            EXPECT_EQ(scale.bound, bound);
            EXPECT_LE(std::ldexp(1.0, -scale.high_bits), 0x1p-41 * bound);
            EXPECT_LE(std::ldexp(1.0, -scale.high_bits - scale.low_bits), 0x1p-82 * bound);
        }
    }
}

TEST(FixedSum, IsZeroWithoutTerms) {
    auto const scale = FixedScale::of(1, 1);
    EXPECT_EQ(bits(FixedSum{}.value(scale)), bits(0.0));
    EXPECT_EQ(bits(sum({{5, 0}, {Limits::quiet_NaN(), 0}}, scale).value(scale)), bits(0.0));
}

TEST(FixedSum, GivesBackASingleTerm) {
    auto const scale = FixedScale::of(0x1p10, 1000);
    for (double const x : {0.0, 1.0, -1.0, 0.1, -123.456, 1023.9999, 1024.0, -1024.0}) {
        EXPECT_EQ(sum({{x, 1}}, scale).value(scale), x);
        EXPECT_EQ(sum({{x, 1}}, scale).num_strays, 0);
    }
}

TEST(FixedSum, RoundsValuesToTheGridAndTiesToEven) {
    auto const scale = FixedScale::of(1, 1);
    auto const step = std::ldexp(1.0, -scale.high_bits - scale.low_bits);
    EXPECT_EQ(sum({{step, 1}}, scale).low, 1);
    EXPECT_EQ(sum({{0.5 * step, 1}}, scale).low, 0);
    EXPECT_EQ(sum({{1.5 * step, 1}}, scale).low, 2);
    EXPECT_EQ(sum({{-2.5 * step, 1}}, scale).low, -2);
}

/// Adds the same value this often, in the largest parts that there are.
FixedSum repeated(double value, std::uint64_t total, FixedScale const& scale) {
    FixedSum result;
    while (total > 0) {
        auto const weight = std::min<std::uint64_t>(total, 0xffffffffU);
        result.add(value, static_cast<std::uint32_t>(weight), scale);
        total -= weight;
    }
    return result;
}

TEST(FixedSum, DoesNotOverflowWhereAllTermsAreAtTheBound) {
    for (std::uint64_t const total : {1ULL, 3ULL, 1ULL << 20, (1ULL << 32) - 1, (1ULL << 40) + 5, (1ULL << 50) - 1}) {
        for (double const bound : {0x1p-3, 0x1p17}) {
            auto const scale = FixedScale::of(bound, total);
            auto const step = std::ldexp(1.0, -scale.high_bits - scale.low_bits);
            // Just below the bound, and at a third of it, the low part is large as well.
            for (double const value : {bound, std::nextafter(bound, 0), -bound, -bound / 3}) {
                auto const expected = value * static_cast<double>(total);
                EXPECT_NEAR(repeated(value, total, scale).value(scale), expected,
                            0.5 * step * static_cast<double>(total) + std::abs(expected) * Limits::epsilon());
            }
        }
    }
}

TEST(FixedSum, WeightIsTheSameAsRepeatedTerms) {
    auto const scale = FixedScale::of(0x1p6, 100);
    for (double const x : {0.1, -63.7, 1e-9, 1e100, -Limits::infinity()}) {
        auto const once = sum({{x, 3}, {0.3, 2}}, scale);
        auto const apart = sum({{x, 1}, {0.3, 1}, {x, 1}, {0.3, 1}, {x, 1}}, scale);
        EXPECT_EQ(once.high, apart.high);
        EXPECT_EQ(once.low, apart.low);
        EXPECT_EQ(bits(once.value(scale)), bits(apart.value(scale)));
    }
}

TEST(FixedSum, CountsWhatIsAboveTheBoundOrNotFiniteAsStrays) {
    auto const scale = FixedScale::of(1, 10);
    EXPECT_EQ(sum({{1, 1}, {-1, 1}}, scale).num_strays, 0);
    for (double const x : {1 + Limits::epsilon(), -2.0, Limits::infinity(), Limits::quiet_NaN()}) {
        EXPECT_EQ(sum({{0.5, 1}, {x, 1}}, scale).num_strays, 1) << x;
    }
    EXPECT_EQ(sum({{0.5, 1}, {1e300, 1}, {-1e300, 1}, {7, 1}}, scale).value(scale), 7.5);
    EXPECT_EQ(sum({{0.5, 1}, {-Limits::infinity(), 2}}, scale).value(scale), -Limits::infinity());
    EXPECT_TRUE(std::isnan(sum({{-Limits::infinity(), 1}, {Limits::infinity(), 1}}, scale).value(scale)));
    EXPECT_TRUE(std::isnan(sum({{Limits::quiet_NaN(), 1}}, scale).value(scale)));
}

std::vector<Term> random_terms(Random& random) {
    std::vector<Term> terms(1 + random.below(200));
    for (auto& [value, weight] : terms) {
        value = std::ldexp(random.unit() - 0.5, static_cast<int>(random.below(60)) - 50);
        if (random.below(20) == 0) value *= 1e6;
        weight = static_cast<std::uint32_t>(random.below(1000));
    }
    return terms;
}

TEST(FixedSum, DoesNotDependOnOrderOrGrouping) {
    auto const scale = FixedScale::of(0x1p10, 200'000);
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto terms = random_terms(random);
        auto const expected = sum(terms, scale);
        shuffle(std::span(terms), random);
        std::vector<FixedSum> parts(1 + random.below(9));
        for (auto const& [value, weight] : terms) parts[random.below(parts.size())].add(value, weight, scale);
        FixedSum all;
        for (auto const& part : parts) all.add(part);
        expect_same(all, expected, scale);
    }
}

TEST(FixedSum, IsWithinHalfAStepPerOccurrenceOfTheExactSum) {
    auto const scale = FixedScale::of(0x1p10, 200'000);
    auto const step = std::ldexp(1.0, -scale.high_bits - scale.low_bits);
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const terms = random_terms(random);
        ExactSum error;
        double total_weight = 0;
        for (auto const& [value, weight] : terms) {
            error.add(value, weight);
            total_weight += weight;
        }
        auto const rounded = sum(terms, scale).value(scale);
        error.add(-rounded);
        EXPECT_LE(std::abs(error.value()), 0.5 * step * total_weight + std::abs(rounded) * Limits::epsilon());
    }
}

TEST(FixedScaleDeathTest, WantsABoundThatIsAPowerOfTwo) {
    EXPECT_DEATH(FixedScale::of(3, 1), "bound");
    EXPECT_DEATH(FixedScale::of(0, 1), "bound");
    EXPECT_DEATH(FixedScale::of(Limits::infinity(), 1), "bound");
}

}  // namespace
}  // namespace regraft
