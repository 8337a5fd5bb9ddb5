#include "regraft/schedule/edge_colouring.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace regraft::schedule {
namespace {

using Edges = std::vector<Edge>;
using Colours = std::vector<std::uint32_t>;

void expect_coloured(Edges const& edges, std::uint32_t num_colours) {
    EXPECT_EQ(largest_degree(edges), num_colours);
    auto const colours = colour_edges(edges);
    EXPECT_TRUE(is_proper_colouring(edges, colours, num_colours));
}

TEST(ColourEdges, NeedsNoColourForNoEdge) {
    expect_coloured({}, 0);
}

TEST(ColourEdges, NeedsOneColourForAMatching) {
    expect_coloured({{0, 2}, {5, 0}, {3, 9}}, 1);
}

TEST(ColourEdges, GivesParallelEdgesDifferentColours) {
    expect_coloured({{0, 0}, {0, 0}, {0, 0}, {1, 0}}, 4);
}

//  First-fit: 0-0 and 1-1 get colour 0, then 0-1 colour 1; 1-0 has colour 0 taken at both ends, and takes 1. Then 2-0
//  and 2-1: a square with a tail. Every order of these edges must do with the largest degree.
TEST(ColourEdges, MendsWhatFirstFitSpoils) {
    Edges edges{{0, 0}, {1, 1}, {0, 1}, {2, 0}, {2, 1}, {1, 2}};
    std::vector<std::size_t> order(edges.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
        Edges shuffled;
        for (auto const i : order) shuffled.push_back(edges[i]);
        expect_coloured(shuffled, 3);
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST(ColourEdges, UsesOneColourPerEdgeOfAHotReceiver) {
    Edges edges;
    for (std::uint32_t i = 0; i < 100'000; ++i) edges.push_back({i % 1000, 7});
    expect_coloured(edges, 100'000);
}

//  One sender, many receivers.
TEST(ColourEdges, UsesOneColourPerEdgeOfAStar) {
    Edges edges;
    for (std::uint32_t i = 0; i < 1000; ++i) edges.push_back({0, i});
    expect_coloured(edges, 1000);
}

TEST(ColourEdges, TakesGapsBetweenVertices) {
    expect_coloured({{1'000'000, 5}, {7, 900'000}, {1'000'000, 900'000}, {7, 5}}, 2);
}

//  A square, three parallel edges, and a path, side by side.
TEST(ColourEdges, ColoursEveryComponent) {
    expect_coloured({{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 2}, {2, 2}, {2, 2}, {3, 3}, {4, 3}, {4, 4}, {5, 4}}, 3);
}

//  Two vertices with d parallel edges between them, and between two others, and d - 1 edges that cross: all of degree d
//  or less, and every matching of d colours must take one edge at each of the four.
TEST(ColourEdges, ColoursHeavyPairsOfEveryDegree) {
    for (std::uint32_t d : {1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 127, 128, 129}) {
        Edges edges;
        for (std::uint32_t i = 0; i < d; ++i) {
            edges.push_back({0, i % 2});
            edges.push_back({1, 1 - i % 2});
        }
        expect_coloured(edges, d);
    }
}

//  Every left vertex with every right vertex: a Latin square.
TEST(ColourEdges, ColoursCompleteGraphs) {
    for (std::uint32_t n : {1, 2, 3, 7, 8, 9, 31, 63, 64, 65}) {
        Edges edges;
        for (std::uint32_t left = 0; left < n; ++left) {
            for (std::uint32_t right = 0; right < n; ++right) edges.push_back({left, right});
        }
        expect_coloured(edges, n);
    }
}

TEST(IsProperColouring, FindsWhatIsWrong) {
    Edges const edges{{0, 0}, {0, 1}, {1, 0}};
    EXPECT_TRUE(is_proper_colouring(edges, Colours{0, 1, 1}, 2));
    EXPECT_FALSE(is_proper_colouring(edges, Colours{0, 0, 1}, 2)) << "twice at the left vertex 0";
    EXPECT_FALSE(is_proper_colouring(edges, Colours{0, 1, 0}, 2)) << "twice at the right vertex 0";
    EXPECT_FALSE(is_proper_colouring(edges, Colours{0, 2, 1}, 2)) << "no such colour";
    EXPECT_FALSE(is_proper_colouring(edges, Colours{0, 1}, 2)) << "an edge without colour";
}

}  // namespace
}  // namespace regraft::schedule
