#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "regraft/schedule/edge_colouring.hpp"
#include "regraft/schedule/h_relation.hpp"
#include "support/matching_oracle.hpp"

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

/// Requests of random PEs for blocks with random holders, some lost.
struct Instance {
    std::vector<Request> requests;
    Csr<PeId> holders;
};

Instance random_instance(std::uint32_t num_requests, std::uint32_t num_pes, Random& random) {
    Instance instance;
    auto const rows = test::random_graph(static_cast<test::Family>(random.below(3)), num_requests, num_pes, 4, random);
    for (std::uint32_t i = 0; i < num_requests; ++i) {
        instance.requests.push_back({BlockId{i}, PeId{10 * static_cast<std::uint32_t>(random.below(num_pes))}});
        for (auto const pe : rows[i]) instance.holders.push_value(PeId{10 * pe});
        instance.holders.end_row();
    }
    return instance;
}

/// The requests for remote blocks, as a graph on PE numbers / 10.
test::Graph remote_part(Instance const& instance) {
    test::Graph graph;
    for (std::size_t i = 0; i < instance.requests.size(); ++i) {
        auto const row = instance.holders[i];
        if (std::find(row.begin(), row.end(), instance.requests[i].receiver) != row.end()) continue;
        for (auto const pe : row) graph.push_value(value(pe) / 10);
        graph.end_row();
    }
    return graph;
}

TEST(HRelationProperty, IsValidWithTheLeastBusySenders) {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const num_pes = static_cast<std::uint32_t>(1 + random.below(8));
        auto const num_requests = static_cast<std::uint32_t>(random.below(1 + seed / 60));
        auto const instance = random_instance(num_requests, num_pes, random);
        auto const plan = h_relation(instance.requests, instance.holders);
        ASSERT_TRUE(is_valid(plan, instance.requests, instance.holders));
        ASSERT_EQ(plan.b, test::brute_force_b(remote_part(instance), num_pes));
    }
}

TEST(HRelationProperty, IsValidAndTheSameTwiceForManyPEs) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const instance = random_instance(5000, 200, random);
        auto const plan = h_relation(instance.requests, instance.holders);
        ASSERT_TRUE(is_valid(plan, instance.requests, instance.holders));
        ASSERT_EQ(plan.rounds, h_relation(instance.requests, instance.holders).rounds);
    }
}

}  // namespace
}  // namespace regraft::schedule
