// When commits are due: formulas against numbers worked out by hand, and the steps that follow from measured costs.
#include "regraft/checkpoint/pace.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace regraft::checkpoint {
namespace {

TEST(YoungInterval, IsTheRootOfTwiceCostTimesMtbf) {
    EXPECT_DOUBLE_EQ(young_interval(2, 100), 20);
    EXPECT_DOUBLE_EQ(young_interval(0.5, 3600), 60);
    EXPECT_EQ(young_interval(0, 5), 0);
}

TEST(DalyInterval, HasTheTermsOfHigherOrder) {
    // x = 2 / 200 = 0.01: 20 (1 + 0.1 / 3 + 0.01 / 9) - 2
    EXPECT_NEAR(daly_interval(2, 100), 20 * (1 + 0.1 / 3 + 0.01 / 9) - 2, 1e-12);
    EXPECT_NEAR(daly_interval(2, 100), 18.688888888888889, 1e-12);
    EXPECT_EQ(daly_interval(200, 100), 100);
    EXPECT_EQ(daly_interval(1000, 100), 100);
}

TEST(DalyInterval, IsContinuousWhereTheFormulaChanges) {
    EXPECT_NEAR(daly_interval(199.999999, 100), 200 * (1 + 1.0 / 3 + 1.0 / 9) - 200, 1e-4);
}

TEST(ExpectedOverhead, IsLeastAtYoungsInterval) {
    auto const least = expected_overhead(young_interval(2, 100), 2, 100);
    EXPECT_DOUBLE_EQ(least, std::sqrt(2 * 2 / 100.0));
    for (double const interval : {5.0, 15.0, 19.0, 21.0, 30.0, 100.0}) {
        EXPECT_GT(expected_overhead(interval, 2, 100), least);
    }
}

/// Steps between commits that all cost the same.
std::vector<std::uint64_t> intervals(Pace& pace, Cost const& cost, int commits) {
    std::vector<std::uint64_t> steps;
    for (int i = 0; i < commits; ++i) {
        while (!pace.due()) {
        }
        steps.push_back(pace.steps());
        pace.committed(std::vector{i == 0 ? Cost{cost.step_ms, 0} : cost});
    }
    return steps;
}

TEST(Pace, DoublesItsStepsUntilItKnowsBetter) {
    // sqrt(2 * 8 ms * 3600000 ms) = 7589 ms, in steps of 100 ms: 75
    Pace pace({.mtbf_hours = 1});
    EXPECT_EQ(intervals(pace, {100, 8}, 10), (std::vector<std::uint64_t>{1, 2, 4, 8, 16, 32, 64, 75, 75, 75}));
}

TEST(Pace, CommitsAfterEveryStepIfStepsAreLonger) {
    Pace pace({.mtbf_hours = 1});
    EXPECT_EQ(intervals(pace, {60'000, 8}, 4), (std::vector<std::uint64_t>{1, 2, 1, 1}));
}

TEST(Pace, KeepsToTheStepsThatItIsGiven) {
    Pace pace({.steps = 7, .mtbf_hours = 1});
    EXPECT_EQ(intervals(pace, {100, 8}, 3), (std::vector<std::uint64_t>{7, 7, 7}));
}

TEST(Pace, FollowsTheSlowestMember) {
    Pace pace({.mtbf_hours = 1});
    for (int i = 0; i < 20; ++i) pace.committed(std::vector<Cost>{{1, 2}, {100, 1}, {3, 8}});
    EXPECT_EQ(pace.interval(), 75u);
}

TEST(Pace, TakesDalysIntervalIfTold) {
    Pace young({.mtbf_hours = 0.001});  // 3600 ms
    Pace daly({.estimate = PaceOptions::Estimate::daly, .mtbf_hours = 0.001});
    for (int i = 0; i < 20; ++i) {
        for (auto* const pace : {&young, &daly}) pace->committed(std::vector<Cost>{{1, 500}});
    }
    EXPECT_EQ(young.interval(), 1897u);  // sqrt(2 * 500 * 3600)
    // x = 5 / 72: 1897.37 (1 + 0.263523 / 3 + 0.0694444 / 9) - 500
    EXPECT_EQ(daly.interval(), 1578u);
}

TEST(Pace, CountsStepsAnewAfterARollback) {
    Pace pace({.steps = 3});
    EXPECT_FALSE(pace.due());
    EXPECT_FALSE(pace.due());
    pace.rolled_back();
    EXPECT_FALSE(pace.due());
    EXPECT_FALSE(pace.due());
    EXPECT_TRUE(pace.due());
}

}  // namespace
}  // namespace regraft::checkpoint
