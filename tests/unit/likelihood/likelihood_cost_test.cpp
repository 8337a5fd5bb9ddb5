#include <gtest/gtest.h>

#include "regraft/likelihood/cost.hpp"

namespace regraft::likelihood {
namespace {

TEST(CostPerPattern, GrowsWithStatesAndCategories) {
    for (std::uint32_t states = 2; states < 64; ++states) {
        for (std::uint32_t categories = 1; categories <= 64; ++categories) {
            auto const cost = cost_per_pattern(states, categories);
            EXPECT_LT(cost, cost_per_pattern(states, categories + 1)) << states;
            EXPECT_LT(cost, cost_per_pattern(states + 1, categories)) << states;
        }
    }
}

TEST(CostPerPattern, OfAminoAcidsIsWellAboveThatOfDnaButLessThanTheSquareOfStates) {
    EXPECT_GT(cost_per_pattern(20, 4), 5 * cost_per_pattern(4, 4));
    EXPECT_LT(cost_per_pattern(20, 4), 25 * cost_per_pattern(4, 4));
}

TEST(CostPerPatternDeathTest, TakesNoModelsThatAreNone) {
    EXPECT_DEATH(static_cast<void>(cost_per_pattern(1, 4)), "precondition");
    EXPECT_DEATH(static_cast<void>(cost_per_pattern(65, 4)), "precondition");
    EXPECT_DEATH(static_cast<void>(cost_per_pattern(4, 0)), "precondition");
}

}  // namespace
}  // namespace regraft::likelihood
