#include "regraft/matching/ford_fulkerson.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "support/matching_oracle.hpp"

namespace regraft::matching {
namespace {

using test::graph;
using test::Graph;
using Set = std::vector<std::uint32_t>;

void expect_optimal(Graph const& g, std::uint32_t num_right, std::uint32_t b) {
    auto const m = ford_fulkerson_b_matching(g, num_right);
    EXPECT_EQ(m.b, b);
    EXPECT_LE(m.lower_bound, m.b);
    EXPECT_TRUE(is_b_matching(g, num_right, m));
    EXPECT_EQ(hall_bound(g, num_right, m.hall_set), m.b);
    EXPECT_TRUE(std::is_sorted(m.hall_set.begin(), m.hall_set.end()));
}

//  x0 -- 0, 1     x0 takes 0, x1 takes 2, and x2 finds both its neighbours taken: x0 moves on to 1.
//  x1 -- 2, 3
//  x2 -- 0, 2
TEST(FordFulkerson, AugmentsInsteadOfRaisingB) {
    expect_optimal(graph({{0, 1}, {2, 3}, {0, 2}}), 4, 1);
}

//  Each takes its first neighbour; x3 pushes x0 to 1, x1 to 2, x2 to 3.
TEST(FordFulkerson, AugmentsOverSeveralSteps) {
    expect_optimal(graph({{0, 1}, {1, 2}, {2, 3}, {0}}), 4, 1);
}

//  x0 takes 0. x1, which knows 0 alone, pushes it to 1, and x2, which knows 1 alone, to 2: by way of 1, visited before.
TEST(FordFulkerson, StartsEverySearchWithNothingVisited) {
    expect_optimal(graph({{0, 1, 2}, {0}, {1}}), 3, 1);
}

TEST(FordFulkerson, ReportsIsolatedVerticesInsteadOfLooping) {
    auto const g = graph({{}, {0}, {}, {0, 1}});
    auto const m = ford_fulkerson_b_matching(g, 2);
    EXPECT_EQ(m.isolated, (Set{0, 2}));
    EXPECT_EQ(m.right_of[0], unmatched);
    EXPECT_EQ(m.right_of[2], unmatched);
    expect_optimal(g, 2, 1);
}

//  x0, x1, x2 know 0 and 1 only: S = {0, 1} proves ceil(3 / 2) = 2, more than ceil(4 / 4).
TEST(FordFulkerson, ProvesWhyItCannotDoBetter) {
    auto const g = graph({{0, 1}, {2, 3}, {0, 1}, {1, 0}});
    auto const m = ford_fulkerson_b_matching(g, 4);
    EXPECT_EQ(m.lower_bound, 1u);
    EXPECT_EQ(m.b, 2u);
    EXPECT_EQ(m.hall_set, (Set{0, 1}));
    expect_optimal(g, 4, 2);
}

TEST(FordFulkerson, IsEmptyForNothingToMatch) {
    expect_optimal(Graph{}, 0, 0);
    expect_optimal(Graph{}, 5, 0);
    expect_optimal(graph({{}, {}}), 0, 0);
    expect_optimal(graph({{}, {}}), 3, 0);
    EXPECT_EQ(ford_fulkerson_b_matching(CsrView<std::uint32_t>{}, 3).b, 0u);
}

TEST(FordFulkerson, AllowsRepeatedNeighbours) {
    expect_optimal(graph({{0, 0, 1}, {0, 0}, {0, 0, 0}, {1, 1, 2, 2}}), 3, 2);
}

TEST(FordFulkerson, ReachesTheLowerBoundOnCompleteGraphs) {
    Set all(8);
    std::iota(all.begin(), all.end(), 0U);
    for (std::uint32_t const left : {1, 7, 8, 9, 64}) {
        Graph g;
        for (std::uint32_t x = 0; x < left; ++x) g.push_row(all);
        expect_optimal(g, 8, (left + 7) / 8);
    }
}

//  Groups of 1, 2, ..., 40 left vertices beside a private right vertex each: b rises from the mean to 40.
TEST(FordFulkerson, RaisesBAsFarAsNeeded) {
    Graph g;
    for (std::uint32_t v = 0; v < 40; ++v) {
        for (std::uint32_t i = 0; i <= v; ++i) g.push_row(Set{v});
    }
    expect_optimal(g, 40, 40);
}

TEST(FordFulkerson, TakesRowsFromTheMiddleOfOthers) {
    auto const g = graph({{7, 7}, {0, 1}, {1}, {9}});
    CsrView<std::uint32_t> const middle{std::span(g.offsets).subspan(1, 3), g.values};
    auto const m = ford_fulkerson_b_matching(middle, 2);
    EXPECT_EQ(m.right_of, (Set{0, 1}));
    EXPECT_EQ(m.hall_set, (Set{0, 1}));
}

TEST(FordFulkersonDeathTest, RefusesUnknownNeighbours) {
    EXPECT_DEATH(ford_fulkerson_b_matching(graph({{0, 2}}), 2), "precondition");
}

}  // namespace
}  // namespace regraft::matching
