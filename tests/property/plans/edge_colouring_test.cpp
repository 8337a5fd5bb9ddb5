#include "regraft/schedule/edge_colouring.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "regraft/core/random.hpp"

namespace regraft::schedule {
namespace {

using Edges = std::vector<Edge>;

/// Counts degrees on its own.
std::uint32_t recount_largest_degree(Edges const& edges) {
    std::vector<std::uint32_t> left(1, 0);
    std::vector<std::uint32_t> right(1, 0);
    for (auto const& edge : edges) {
        left.resize(std::max<std::size_t>(left.size(), edge.left + 1), 0);
        right.resize(std::max<std::size_t>(right.size(), edge.right + 1), 0);
        ++left[edge.left];
        ++right[edge.right];
    }
    return std::max(*std::max_element(left.begin(), left.end()), *std::max_element(right.begin(), right.end()));
}

/// Whether colour_edges finds a proper colouring with exactly as many colours as the largest degree.
void expect_optimal(Edges const& edges) {
    auto const num_colours = recount_largest_degree(edges);
    ASSERT_EQ(largest_degree(edges), num_colours);
    auto const colours = colour_edges(edges);
    ASSERT_TRUE(is_proper_colouring(edges, colours, num_colours));
    std::vector<std::uint64_t> class_size(num_colours, 0);
    for (auto const colour : colours) ++class_size[colour];
    ASSERT_EQ(std::count(class_size.begin(), class_size.end(), 0U), 0);
}

/// num_colours random perfect matchings laid over each other, in random order: regular, parallel edges among them.
Edges regular(std::uint32_t num_vertices, std::uint32_t num_colours, Random& random) {
    Edges edges;
    std::vector<std::uint32_t> partner(num_vertices);
    std::iota(partner.begin(), partner.end(), 0U);
    for (std::uint32_t i = 0; i < num_colours; ++i) {
        shuffle(std::span(partner), random);
        for (std::uint32_t v = 0; v < num_vertices; ++v) edges.push_back({v, partner[v]});
    }
    shuffle(std::span(edges), random);
    return edges;
}

TEST(ColourEdgesProperty, ColoursRandomMultigraphs) {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const num_left = 1 + random.below(1 + seed / 60);
        auto const num_right = 1 + random.below(1 + seed / 60);
        Edges edges;
        for (auto left = random.below(1 + seed / 5); left > 0; --left) {
            auto const v = random.below(num_left);
            auto const w = seed % 2 == 0 ? random.below(num_right) : random.below(random.below(num_right) + 1);
            edges.push_back({static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(w)});
        }
        expect_optimal(edges);
        ASSERT_FALSE(HasFatalFailure());
    }
}

TEST(ColourEdgesProperty, ColoursRegularMultigraphsOfEveryDegree) {
    for (std::uint32_t degree : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129}) {
        for (std::uint32_t num_vertices : {1, 2, 3, 10, 33}) {
            SCOPED_TRACE(testing::Message() << "degree " << degree << ", vertices " << num_vertices);
            Random random(1000 * degree + num_vertices);
            expect_optimal(regular(num_vertices, degree, random));
            ASSERT_FALSE(HasFatalFailure());
        }
    }
}

TEST(ColourEdgesProperty, ColoursHubsAmongSmallVertices) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto edges = regular(40, 3, random);
        for (std::uint32_t i = 0; i < 50 + seed; ++i) edges.push_back({i % 40, 5});
        for (std::uint32_t i = 0; i < 50; ++i) edges.push_back({9, 100 + i});
        shuffle(std::span(edges), random);
        expect_optimal(edges);
        ASSERT_FALSE(HasFatalFailure());
    }
}

//  There is no room for first-fit: every vertex but a few has the largest degree.
TEST(ColourEdgesProperty, ColoursAlmostRegularMultigraphs) {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const num_vertices = static_cast<std::uint32_t>(1 + random.below(100));
        auto const degree = static_cast<std::uint32_t>(1 + random.below(70));
        auto edges = regular(num_vertices, degree, random);
        edges.resize(edges.size() - random.below(std::min<std::size_t>(edges.size(), 5)));
        for (auto& edge : edges) edge.right *= 1 + static_cast<std::uint32_t>(seed % 3);
        expect_optimal(edges);
        ASSERT_FALSE(HasFatalFailure());
    }
}

//  Vertices a little above half the largest degree, which cannot be merged, beside one that has the largest degree.
TEST(ColourEdgesProperty, ColoursVerticesThatCannotBeMerged) {
    for (std::uint32_t half : {1, 2, 7, 50}) {
        SCOPED_TRACE(testing::Message() << "half " << half);
        Random random(half);
        auto edges = regular(60, half + 1, random);
        for (std::uint32_t i = 0; i < 2 * half; ++i) edges.push_back({1000, 1000});
        expect_optimal(edges);
        ASSERT_FALSE(HasFatalFailure());
    }
}

TEST(ColourEdgesProperty, ColoursBothSidesAlike) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        Edges edges(300);
        for (auto& edge : edges) {
            edge = {static_cast<std::uint32_t>(random.below(20)), static_cast<std::uint32_t>(random.below(200))};
        }
        auto const largest = largest_degree(edges);
        for (auto& edge : edges) std::swap(edge.left, edge.right);
        ASSERT_EQ(largest_degree(edges), largest);
        expect_optimal(edges);
        ASSERT_FALSE(HasFatalFailure());
    }
}

//  The graph is large enough for every size of piece and for tasks, and has an odd degree at every level.
TEST(ColourEdgesProperty, GivesTheSameColoursWithAnyNumberOfThreads) {
    struct Size {
        std::uint32_t num_vertices, degree;
    };
    for (auto const [num_vertices, degree] : {Size{1009, 511}, {30'011, 31}, {100, 4095}, {200'003, 3}, {3, 100'001}}) {
        SCOPED_TRACE(testing::Message() << num_vertices << " vertices of degree " << degree);
        Random random(degree);
        auto const edges = regular(num_vertices, degree, random);
        auto const colours = colour_edges(edges);
        ASSERT_TRUE(is_proper_colouring(edges, colours, degree));
#ifdef _OPENMP
        auto const before = omp_get_max_threads();
        for (int threads : {1, 2, 3, 4}) {
            omp_set_num_threads(threads);
            EXPECT_EQ(colour_edges(edges), colours) << threads << " threads";
        }
        omp_set_num_threads(before);
#else
        EXPECT_EQ(colour_edges(edges), colours);
#endif
    }
}

}  // namespace
}  // namespace regraft::schedule
