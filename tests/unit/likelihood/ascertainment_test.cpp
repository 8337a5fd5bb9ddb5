#include "likelihood/partition/ascertainment.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

namespace regraft::likelihood {
namespace {

constexpr double accuracy = 4e-16;

TEST(Correction, OfLewisKeepsItsDigitsWherePIsNear0And1) {
    for (double const p : {1e-300, 1e-17, 1e-9, 0.1, 0.5, 0.9, 1 - 0x1p-30, 1 - 0x1p-52}) {
        auto const terms = correction(Ascertainment::lewis, {.probability = p, .first = -0.25, .second = 0.5});
        auto const rest = 1 - static_cast<long double>(p);
        auto const expect = [](double term, long double expected) {
            EXPECT_NEAR(term / static_cast<double>(expected), 1, accuracy);
        };
        expect(terms[0], -std::log1p(-static_cast<long double>(p)));
        expect(terms[1], -0.25L / rest);
        expect(terms[2], 0.5L / rest + 0.0625L / (rest * rest));
    }
}

TEST(Correction, OfLewisIsNothingWhereAllSitesVary) {
    EXPECT_EQ(correction(Ascertainment::lewis, {}), (std::array{0.0, 0.0, 0.0}));
    EXPECT_EQ(correction(Ascertainment::lewis, {1, 1, 1, -5000}), (std::array{0.0, 0.0, 0.0}));
}

TEST(Correction, OfLewisStaysFiniteWhereNothingCanChange) {
    for (double const p : {1.0, 1 + 0x1p-50}) {
        auto const terms = correction(Ascertainment::lewis, {.probability = p});
        EXPECT_TRUE(std::isfinite(terms[0])) << p;
        EXPECT_GT(terms[0], 36) << p;
    }
}

TEST(Correction, OfFelsensteinIsExactBelowTheRangeOfDouble) {
    std::array const loglh{-2000.0, -2000.0, -2001.0, -9000.0};
    auto const terms = correction(Ascertainment::felsenstein, unchanging(loglh));
    EXPECT_NEAR(terms[0], -2000 + static_cast<double>(std::log(2 + std::exp(-1.0L))), 1e-12);
    auto const derivatives = correction(Ascertainment::felsenstein, {0.5, -0.25, 0.75, -3000});
    EXPECT_EQ(derivatives[1], -0.5);
    EXPECT_EQ(derivatives[2], 1.25);
}

}  // namespace
}  // namespace regraft::likelihood
