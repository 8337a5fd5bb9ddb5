#include "regraft/search/effort.hpp"

#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace regraft::search {
namespace {

constexpr double easy = 0.05;
constexpr double hard = 0.3;
constexpr std::uint32_t few = 50;    // taxa, with which a normal effort makes 2 starts
constexpr std::uint32_t many = 100;  // with which it makes 3

TEST(Effort, OneStartIsEnoughForClearDataOnly) {
    std::array const loglh{-100.0};
    EXPECT_FALSE(another_start_pays(loglh, 0, many));
    EXPECT_TRUE(another_start_pays(loglh, hard, many));
}

TEST(Effort, FewStartsThatEndAlikeAreEnoughOnlyForEasyData) {
    EXPECT_FALSE(another_start_pays(std::array{-100.0, -100.01}, easy, few));
    EXPECT_TRUE(another_start_pays(std::array{-100.0, -100.01}, hard, few));
}

TEST(Effort, AutomaticMakesNoFewerStartsThanNormal) {
    for (auto const num_tips : {few, many}) {
        std::vector<double> loglh{-100.0};
        while (another_start_pays(loglh, easy, num_tips)) loglh.push_back(-100.0);
        EXPECT_EQ(loglh.size(), default_starts(Effort::normal, num_tips));
    }
}

TEST(Effort, StartsThatEndAlikeAreEnough) {
    EXPECT_FALSE(another_start_pays(std::array{-100.0, -100.01, -100.0, -100.0}, hard, many));
    EXPECT_FALSE(another_start_pays(std::array{-130.0, -100.0, -110.0, -100.01}, hard, many));
}

TEST(Effort, AnotherStartPaysUntilTheBestMaximumIsFoundAgain) {
    for (auto const& loglh : {std::array{-105.0, -100.0, -120.0}, std::array{-100.0, -120.0, -105.0}})
        EXPECT_TRUE(another_start_pays(loglh, easy, many));
    EXPECT_TRUE(another_start_pays(std::array{-105.0, -100.0, -120.0, -130.0, -104.0}, hard, many));
}

TEST(Effort, TheExpectedGainShrinksWithTheNumberOfStarts) {
    std::vector<double> loglh{-100.0, -101.0};
    std::size_t starts = 2;
    for (; starts < 100 && another_start_pays(loglh, hard, many); ++starts) loglh.push_back(-102.0);
    EXPECT_GT(starts, 2U);
    EXPECT_LT(starts, 20U);
}

TEST(Effort, HasMorePatienceAfterFusing) {
    for (auto const effort : {Effort::normal, Effort::thorough, Effort::automatic})
        EXPECT_LT(patience(effort, true), patience(effort, false));
    EXPECT_EQ(patience(Effort::fast, true), 0);
    EXPECT_EQ(patience(Effort::fast, false), 0);
}

TEST(Effort, SavesComputationIfItIsFastAndReductionsOtherwise) {
    EXPECT_EQ(saves(Effort::fast), Saves::computation);
    for (auto const effort : {Effort::normal, Effort::thorough, Effort::automatic})
        EXPECT_EQ(saves(effort), Saves::reductions);
}

TEST(Effort, FourTaxaHaveOneStart) {
    for (auto const effort : {Effort::fast, Effort::normal, Effort::thorough, Effort::automatic})
        EXPECT_EQ(default_starts(effort, 4), 1U);
}

}  // namespace
}  // namespace regraft::search
