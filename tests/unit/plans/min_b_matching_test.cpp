#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/matching/b_matching.hpp"
#include "regraft/matching/ford_fulkerson.hpp"
#include "support/plans/matching_oracle.hpp"

namespace regraft::matching {
namespace {

using test::graph;
using test::Graph;
using Set = std::vector<std::uint32_t>;

/// The solver, and the reference that it must agree with.
BMatching fast(CsrView<std::uint32_t> graph, std::uint32_t num_right) {
    return min_b_matching(graph, num_right);
}

class MinBMatching : public testing::TestWithParam<decltype(&fast)> {
protected:
    static BMatching solve(CsrView<std::uint32_t> g, std::uint32_t num_right) { return GetParam()(g, num_right); }

    static void expect_optimal(Graph const& g, std::uint32_t num_right, std::uint32_t b) {
        auto const m = solve(g, num_right);
        EXPECT_EQ(m.b, b);
        EXPECT_LE(m.lower_bound, m.b);
        EXPECT_TRUE(is_b_matching(g, num_right, m));
        EXPECT_EQ(hall_bound(g, num_right, m.hall_set), m.b);
        EXPECT_EQ(m.hall_set.empty(), m.b == 0);
        EXPECT_TRUE(std::is_sorted(m.hall_set.begin(), m.hall_set.end()));
    }
};
INSTANTIATE_TEST_SUITE_P(Solvers, MinBMatching, testing::Values(&fast, &ford_fulkerson_b_matching),
                         [](auto const& solver) { return solver.index == 0 ? "Fast" : "FordFulkerson"; });

//  x0 -- 0, 1     Greedy takes the first of the least loaded: x0 -> 0, x1 -> 2, and x2 finds both its neighbours taken.
//  x1 -- 2, 3     It gets 0, and x0 has to move on to 1.
//  x2 -- 0, 2
TEST_P(MinBMatching, AugmentsInsteadOfRaisingB) {
    expect_optimal(graph({{0, 1}, {2, 3}, {0, 2}}), 4, 1);
}

//  x0 -> 0, x1 -> 1, x2 -> 3, and x3 gets 0 though it is taken. x0 cannot move on to 1 before x1 has moved on to 2.
TEST_P(MinBMatching, AugmentsOverSeveralSteps) {
    expect_optimal(graph({{0, 1}, {1, 2}, {3, 0}, {0, 3}}), 4, 1);
}

//  x0, x1, x2 know 0 and 1 only; 2 and 3 cannot help them: S = {0, 1} proves ceil(3 / 2) = 2, more than ceil(4 / 4).
TEST_P(MinBMatching, ProvesWhyItCannotDoBetter) {
    auto const g = graph({{0, 1}, {0, 1}, {1, 0}, {2, 3}});
    auto const m = solve(g, 4);
    EXPECT_EQ(m.lower_bound, 1u);
    EXPECT_EQ(m.b, 2u);
    EXPECT_EQ(m.hall_set, (Set{0, 1}));
    expect_optimal(g, 4, 2);
}

TEST_P(MinBMatching, ReportsIsolatedVerticesInsteadOfLooping) {
    auto const g = graph({{}, {0}, {}, {0, 1}});
    auto const m = solve(g, 2);
    EXPECT_EQ(m.isolated, (Set{0, 2}));
    EXPECT_EQ(m.right_of[0], unmatched);
    EXPECT_EQ(m.right_of[2], unmatched);
    expect_optimal(g, 2, 1);
}

TEST_P(MinBMatching, IsEmptyForNothingToMatch) {
    expect_optimal(Graph{}, 0, 0);
    expect_optimal(Graph{}, 5, 0);
    expect_optimal(graph({{}, {}}), 0, 0);
    expect_optimal(graph({{}, {}}), 3, 0);
    EXPECT_EQ(solve(CsrView<std::uint32_t>{}, 3).b, 0u);
}

TEST_P(MinBMatching, GivesAllToASingleHolder) {
    expect_optimal(graph({{0}}), 1, 1);
    expect_optimal(graph({{2}, {2}, {2}, {2}}), 5, 4);
}

TEST_P(MinBMatching, IgnoresRightVerticesNobodyKnows) {
    auto const m = solve(graph({{1, 2}, {1, 2}, {2, 1}, {1, 2}}), 100);
    EXPECT_EQ(m.lower_bound, 2u);
    EXPECT_EQ(m.b, 2u);
}

TEST_P(MinBMatching, AllowsRepeatedNeighbours) {
    expect_optimal(graph({{0, 0, 1}, {0, 0}, {0, 0, 0}, {1, 1, 2, 2}}), 3, 2);
}

TEST_P(MinBMatching, ReachesTheLowerBoundOnCompleteGraphs) {
    for (std::uint32_t left : {1, 7, 8, 9, 64}) {
        Set all(8);
        std::iota(all.begin(), all.end(), 0U);
        Graph g;
        for (std::uint32_t x = 0; x < left; ++x) g.push_row(all);
        expect_optimal(g, 8, (left + 7) / 8);
    }
}

//  x_i -- {i, i+1}: greedy puts x_i on i, then two more come that know 0 alone: each moves by one, n steps long.
TEST_P(MinBMatching, FollowsVeryLongPaths) {
    std::uint32_t const n = 200'000;
    Graph g;
    for (std::uint32_t i = 0; i < n; ++i) g.push_row(Set{i, i + 1});
    g.push_row(Set{0, 0});
    expect_optimal(g, n + 1, 1);
}

//  Groups of 1, 2, ..., 40 left vertices beside a private right vertex each: b rises from the mean to 40.
TEST_P(MinBMatching, RaisesBAsFarAsNeeded) {
    Graph g;
    for (std::uint32_t v = 0; v < 40; ++v) {
        for (std::uint32_t i = 0; i <= v; ++i) g.push_row(Set{v});
    }
    expect_optimal(g, 40, 40);
}

TEST_P(MinBMatching, GivesTheSameAnswerTwice) {
    Random random(7);
    auto const g = test::random_graph(test::Family::skewed, 500, 30, 3, random);
    EXPECT_EQ(solve(g, 30).right_of, solve(g, 30).right_of);
}

//  x0 takes 0. x1, which knows 0 alone, pushes it to 1, and x2, which knows 1 alone, to 2: by way of 1, visited before.
TEST_P(MinBMatching, StartsEverySearchWithNothingVisited) {
    expect_optimal(graph({{0, 1, 2}, {0}, {1}}), 3, 1);
}

TEST_P(MinBMatching, TakesRowsFromTheMiddleOfOthers) {
    auto const g = graph({{7, 7}, {0, 1}, {1}, {2}});
    CsrView<std::uint32_t> const middle{std::span(g.offsets).subspan(1, 3), g.values};
    auto const m = solve(middle, 3);
    EXPECT_EQ(m.right_of, (Set{0, 1}));
    EXPECT_EQ(m.hall_set, (Set{0, 1}));  // not 2
}

using MinBMatchingDeathTest = MinBMatching;
INSTANTIATE_TEST_SUITE_P(Solvers, MinBMatchingDeathTest, testing::Values(&fast, &ford_fulkerson_b_matching));

TEST_P(MinBMatchingDeathTest, RefusesUnknownNeighbours) {
    EXPECT_DEATH(solve(graph({{0, 2}}), 2), "precondition");
    EXPECT_DEATH(solve(graph({{2}}), 2), "precondition");
}

class Checkers : public testing::Test {
protected:
    Graph g = graph({{0, 1}, {0}, {}, {1, 2}, {1}});
    BMatching m{{0, 0, unmatched, 1, 1}, {2}, 2, 2, {0, 1}};
};

TEST_F(Checkers, AcceptWhatIsRight) {
    EXPECT_TRUE(is_b_matching(g, 3, m));
    m.right_of = {1, 0, unmatched, 2, 1};
    EXPECT_TRUE(is_b_matching(g, 3, m));
}

TEST_F(Checkers, RejectABrokenMatching) {
    auto const broken = [&](auto change) {
        auto copy = m;
        change(copy);
        return !is_b_matching(g, 3, copy);
    };
    EXPECT_TRUE(broken([](auto& c) { c.right_of.pop_back(); }));
    EXPECT_TRUE(broken([](auto& c) { c.right_of[0] = 2; }));
    EXPECT_TRUE(broken([](auto& c) { c.right_of[0] = 3; }));
    EXPECT_TRUE(broken([](auto& c) { c.right_of[0] = unmatched; }));
    EXPECT_TRUE(broken([](auto& c) { c.right_of[2] = 0; }));
    EXPECT_TRUE(broken([](auto& c) { c.isolated.clear(); }));
    EXPECT_TRUE(broken([](auto& c) { c.isolated = {1, 2}; }));
    EXPECT_TRUE(broken([](auto& c) { c.b = 1; }));
    EXPECT_TRUE(broken([](auto& c) { c.b = 3; }));
}

TEST_F(Checkers, RejectAProofThatIsNone) {
    EXPECT_EQ(hall_bound(g, 3, Set{0, 1}), 2);  // x0, x1, x4 have nowhere else to go
    EXPECT_EQ(hall_bound(g, 3, Set{0}), 1);
    EXPECT_EQ(hall_bound(g, 3, Set{2}), 0);
    EXPECT_EQ(hall_bound(g, 3, Set{}), 0);
    EXPECT_EQ(hall_bound(g, 3, Set{0, 0}), 0);
    EXPECT_EQ(hall_bound(g, 3, Set{0, 3}), 0);
}

TEST_F(Checkers, DoNotCountIsolatedVerticesAsConfined) {
    EXPECT_EQ(hall_bound(graph({{}, {}, {0}}), 1, Set{0}), 1);
}

}  // namespace
}  // namespace regraft::matching
