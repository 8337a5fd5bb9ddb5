#include "likelihood/kernels/ieee_math.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "likelihood/kernels/kernels.hpp"
#include "regraft/core/random.hpp"
#include "regraft/likelihood/instructions.hpp"

namespace regraft::likelihood {
namespace {

using Limits = std::numeric_limits<double>;
constexpr double infinity = Limits::infinity();
constexpr long double promised = 0x1p-50L;

long double relative_error(double value, long double expected) {
    return expected == 0 ? std::abs(value) : std::abs((value - expected) / expected);
}

/// Arguments of all magnitudes, dense where functions change.
std::vector<double> arguments(double least, double most) {
    Random random(1);
    std::vector<double> result{least, most, 0, 1, -1, 0.5, -0.5};
    for (int i = 0; i < 200'000; ++i) {
        auto const x = least + (most - least) * random.unit();
        result.push_back(x);
        result.push_back(std::ldexp(x, -static_cast<int>(random.below(60))));
        result.push_back(1 + std::ldexp(random.unit() - 0.5, -static_cast<int>(random.below(52))));
    }
    return result;
}

TEST(Exp, IsWithinThePromisedError) {
    for (auto const x : arguments(-708, 709)) {
        ASSERT_LT(relative_error(exp(x), std::exp(static_cast<long double>(x))), promised) << x;
    }
}

TEST(Exp, EndsWhereItSays) {
    EXPECT_EQ(exp(0), 1);
    EXPECT_EQ(exp(-0.0), 1);
    EXPECT_EQ(exp(std::nextafter(-708, -infinity)), 0);
    EXPECT_GT(exp(-708), 0);
    EXPECT_EQ(exp(-infinity), 0);
    EXPECT_LT(exp(709), infinity);
    EXPECT_EQ(exp(std::nextafter(709, infinity)), infinity);
    EXPECT_EQ(exp(infinity), infinity);
    EXPECT_TRUE(std::isnan(exp(Limits::quiet_NaN())));
}

/// exp(x) - 1.
void minus_one(std::span<double> x) {
    std::vector<double> const minus(x.size() + kernels::block_sites, 1);
    kernels::exponentials_minus(x, minus.data());
}

TEST(ExpMinusOne, IsWithinThePromisedError) {
    for (auto x : arguments(-708, 0)) {
        auto const expected = std::expm1(static_cast<long double>(x));
        minus_one(std::span(&x, 1));
        ASSERT_LT(relative_error(x, expected), promised) << expected;
    }
    std::array edges{0.0, -infinity, infinity, Limits::quiet_NaN()};
    minus_one(edges);
    EXPECT_EQ(edges[0], 0);
    EXPECT_EQ(edges[1], -1);
    EXPECT_EQ(edges[2], infinity);
    EXPECT_TRUE(std::isnan(edges[3]));
}

TEST(Log, IsWithinThePromisedError) {
    Random random(2);
    auto all = arguments(0, 10);
    for (int i = 0; i < 200'000; ++i) {
        all.push_back(std::ldexp(1 + random.unit(), static_cast<int>(random.below(2098)) - 1074));
    }
    all.insert(all.end(), {Limits::min(), Limits::max(), Limits::denorm_min(), 0x1.fffffffffffffp-1022 / 2});
    for (auto const x : all) {
        if (x <= 0) continue;
        ASSERT_LT(relative_error(log(x), std::log(static_cast<long double>(x))), promised) << x;
    }
}

TEST(Log, FollowsIeeeAtItsEnds) {
    EXPECT_EQ(log(1), 0);
    EXPECT_EQ(log(0), -infinity);
    EXPECT_EQ(log(-0.0), -infinity);
    EXPECT_EQ(log(infinity), infinity);
    for (double const x : {-1.0, -infinity, -Limits::denorm_min(), Limits::quiet_NaN()}) {
        EXPECT_TRUE(std::isnan(log(x))) << x;
    }
}

TEST(ExpMinusZero, IsExp) {
    auto x = arguments(-800, 800);
    auto expected = x;
    kernels::exponentials(expected);
    kernels::exponentials_minus(x, std::vector<double>(x.size() + kernels::block_sites).data());
    EXPECT_EQ(x, expected);
}

struct Results {
    std::vector<double> exponentials;
    std::vector<double> exponentials_minus_one;
    std::vector<double> logarithms;
};

Results results(std::vector<double> const& x) {
    Results all{x, x, x};
    kernels::exponentials(all.exponentials);
    minus_one(all.exponentials_minus_one);
    kernels::logarithms(all.logarithms);
    return all;
}

/// All NaNs count as equal.
void expect_same_bits(std::vector<double> const& a, std::vector<double> const& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (std::isnan(a[i]) && std::isnan(b[i])) continue;
        ASSERT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << i;
    }
}

TEST(IeeeMath, HasTheSameBitsForEveryInstructionSet) {
    auto x = arguments(-800, 800);
    x.insert(x.end(), {infinity, -infinity, Limits::quiet_NaN(), -0.0, Limits::denorm_min(), Limits::max()});
    auto const expected = results(x);
    auto const before = used_instructions();
    for (auto const name : available_instructions()) {
        SCOPED_TRACE(name);
        use_instructions(name);
        auto const again = results(x);
        expect_same_bits(again.exponentials, expected.exponentials);
        expect_same_bits(again.exponentials_minus_one, expected.exponentials_minus_one);
        expect_same_bits(again.logarithms, expected.logarithms);
    }
    use_instructions(before);
}

/// A change of bits that all instruction sets share is noticed here.
TEST(IeeeMath, HasBitsThatStay) {
    EXPECT_EQ(exp(1), 0x1.5bf0a8b145769p+1);
    EXPECT_EQ(exp(-20.5), 0x1.57a3afeed00acp-30);
    EXPECT_EQ(log(10), 0x1.26bb1bbb55516p+1);
    EXPECT_EQ(log(1e-300), -0x1.5963447f87fb5p+9);
}

}  // namespace
}  // namespace regraft::likelihood
