#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "regraft/matching/bgl.hpp"
#include "support/plans/matching_oracle.hpp"

namespace regraft::matching {
namespace {

using Colour = boost::default_color_type;
constexpr Colour left = boost::white_color;
constexpr Colour right = boost::black_color;

template <class Graph>
using VertexOf = typename boost::graph_traits<Graph>::vertex_descriptor;

template <class Graph>
VertexOf<Graph> null_vertex() {
    return boost::graph_traits<Graph>::null_vertex();
}

/// Whether every left vertex has a neighbour, at least one right vertex has b of them, and none has more; isolated ones
/// have none.
template <class Graph, class IsLeft>
void expect_matching(Graph const& graph, std::map<VertexOf<Graph>, VertexOf<Graph>> const& right_of, std::uint32_t b,
                     IsLeft is_left) {
    std::map<VertexOf<Graph>, std::uint32_t> load;
    std::uint32_t most = 0;
    auto const [first, last] = vertices(graph);
    for (auto v = first; v != last; ++v) {
        ASSERT_EQ(right_of.count(*v), is_left(*v) ? 1u : 0u);
        if (!is_left(*v)) continue;
        auto const partner = right_of.at(*v);
        if (out_degree(*v, graph) == 0) {
            EXPECT_EQ(partner, null_vertex<Graph>());
        } else {
            EXPECT_TRUE(edge(*v, partner, graph).second);
            most = std::max(most, ++load[partner]);
        }
    }
    EXPECT_EQ(most, b);
}

//  0 -- 4, 5    Vertices 0, 1, 2 know 4 and 5 only, so one of these gets two; 3 has 6 for itself; none knows 7.
//  1 -- 4, 5
//  2 -- 5, 4
//  3 -- 6, 4
template <class Graph>
Graph three_for_two() {
    Graph graph(8);
    for (auto const& [x, v] :
         std::vector<std::pair<int, int>>{{0, 4}, {0, 5}, {1, 4}, {1, 5}, {2, 5}, {2, 4}, {3, 6}, {3, 4}}) {
        add_edge(vertex(static_cast<std::size_t>(x), graph), vertex(static_cast<std::size_t>(v), graph), graph);
    }
    return graph;
}

template <class Graph>
class BglAdaptor : public testing::Test {};

using VectorGraphs = testing::Types<boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>,
                                    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>,
                                    boost::adjacency_list<boost::listS, boost::vecS, boost::bidirectionalS>,
                                    boost::adjacency_list<boost::setS, boost::vecS, boost::undirectedS>>;
TYPED_TEST_SUITE(BglAdaptor, VectorGraphs);

TYPED_TEST(BglAdaptor, MatchesOptimallyAndProvesIt) {
    auto const graph = three_for_two<TypeParam>();
    std::vector<Colour> const sides{left, left, left, left, right, right, right, right};
    std::map<VertexOf<TypeParam>, VertexOf<TypeParam>> partner;
    auto const result =
        bgl::min_b_matching(graph, boost::make_iterator_property_map(sides.begin(), get(boost::vertex_index, graph)),
                            boost::make_assoc_property_map(partner));
    EXPECT_EQ(result.b, 2u);
    EXPECT_EQ(result.lower_bound, 2u);  // ceil(4 / 3)
    expect_matching(graph, partner, 2, [](auto v) { return v < 4; });
    // 3 of {4, 5}, or 4 of {4, 5, 6}: both prove that 1 is too little.
    EXPECT_GE(result.hall_set.size(), 2u);
    for (auto const v : result.hall_set) EXPECT_TRUE(v >= 4 && v < 7);
}

TYPED_TEST(BglAdaptor, ReportsIsolatedVertices) {
    TypeParam graph(4);
    add_edge(2, 1, graph);
    std::vector<Colour> const sides{left, right, left, left};
    std::map<VertexOf<TypeParam>, VertexOf<TypeParam>> partner;
    auto const result =
        bgl::min_b_matching(graph, boost::make_iterator_property_map(sides.begin(), get(boost::vertex_index, graph)),
                            boost::make_assoc_property_map(partner));
    EXPECT_EQ(result.b, 1u);
    EXPECT_EQ(result.isolated, (std::vector<VertexOf<TypeParam>>{0, 3}));
    EXPECT_EQ(result.hall_set, (std::vector<VertexOf<TypeParam>>{1}));
    expect_matching(graph, partner, 1, [](auto v) { return v != 1; });
}

TYPED_TEST(BglAdaptor, RefusesAnEdgeBetweenLeftVertices) {
    TypeParam graph(3);
    add_edge(0, 2, graph);
    add_edge(0, 1, graph);
    std::vector<Colour> const sides{left, left, right};
    std::vector<VertexOf<TypeParam>> partner(3);
    auto const index = get(boost::vertex_index, graph);
    EXPECT_THROW(bgl::min_b_matching(graph, boost::make_iterator_property_map(sides.begin(), index),
                                     boost::make_iterator_property_map(partner.begin(), index)),
                 InputError);
}

TYPED_TEST(BglAdaptor, TakesAGraphWithoutVertices) {
    TypeParam const graph;
    std::map<VertexOf<TypeParam>, VertexOf<TypeParam>> partner;
    auto const result = bgl::min_b_matching(graph, boost::make_static_property_map<VertexOf<TypeParam>>(left),
                                            boost::make_assoc_property_map(partner));
    EXPECT_EQ(result.b, 0u);
    EXPECT_TRUE(result.hall_set.empty());
}

//  Vertices without numbers, and sides and answers in bundled properties.
TEST(BglAdaptorOfLists, NeedsOnlyAnIndexMap) {
    struct Vertex {
        Colour side = left;
        void* partner = nullptr;
    };
    using Graph = boost::adjacency_list<boost::listS, boost::listS, boost::undirectedS, Vertex>;
    Graph graph;
    auto const pe0 = add_vertex({right, nullptr}, graph);
    auto const block0 = add_vertex({left, nullptr}, graph);
    auto const block1 = add_vertex({left, nullptr}, graph);
    auto const pe1 = add_vertex({right, nullptr}, graph);
    auto const lost = add_vertex({left, pe0}, graph);
    add_edge(block0, pe0, graph);
    add_edge(pe1, block0, graph);
    add_edge(block1, pe0, graph);

    std::map<VertexOf<Graph>, std::size_t> numbers;
    auto const [first, last] = vertices(graph);
    for (auto v = first; v != last; ++v) numbers.emplace(*v, numbers.size());
    auto const result = bgl::min_b_matching(graph, get(&Vertex::side, graph), get(&Vertex::partner, graph),
                                            boost::make_assoc_property_map(numbers));
    EXPECT_EQ(result.b, 1u);
    EXPECT_EQ(graph[block0].partner, pe1);
    EXPECT_EQ(graph[block1].partner, pe0);
    EXPECT_EQ(graph[lost].partner, Graph::null_vertex());
    EXPECT_EQ(result.isolated, (std::vector<VertexOf<Graph>>{lost}));
    EXPECT_EQ(std::set<void*>(result.hall_set.begin(), result.hall_set.end()), (std::set<void*>{pe0, pe1}));
}

using Undirected = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;

TEST(BglAdaptorOfUndirected, FindsTheSidesItself) {
    auto const graph = three_for_two<Undirected>();
    std::map<VertexOf<Undirected>, VertexOf<Undirected>> partner;
    auto const result = bgl::min_b_matching(graph, boost::make_assoc_property_map(partner));
    EXPECT_EQ(result.b, 2u);
    EXPECT_EQ(result.isolated, (std::vector<VertexOf<Undirected>>{7}));  // a component of its own
    expect_matching(graph, partner, 2, [](auto v) { return v < 4 || v == 7; });
}

TEST(BglAdaptorOfUndirected, RefusesOddCycles) {
    Undirected graph(3);
    for (std::size_t v = 0; v < 3; ++v) add_edge(v, (v + 1) % 3, graph);
    std::map<VertexOf<Undirected>, VertexOf<Undirected>> partner;
    EXPECT_THROW(bgl::min_b_matching(graph, boost::make_assoc_property_map(partner)), InputError);
}

TEST(BglAdaptorOfRows, GivesTheSameB) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const num_left = static_cast<std::uint32_t>(random.below(40));
        auto const num_right = static_cast<std::uint32_t>(random.below(9));
        auto const rows = test::random_graph(test::Family::skewed, num_left, num_right, 3, random);
        boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(num_left + num_right);
        for (std::size_t x = 0; x < rows.size(); ++x) {
            for (auto const v : rows[x]) add_edge(num_right + x, v, graph);  // right vertices come first
        }
        auto const side =
            boost::make_function_property_map<std::size_t>([&](std::size_t v) { return v < num_right ? right : left; });
        std::map<std::size_t, std::size_t> partner;
        auto const result = bgl::min_b_matching(graph, side, boost::make_assoc_property_map(partner));
        EXPECT_EQ(result.b, test::brute_force_b(rows, num_right));
        expect_matching(graph, partner, result.b, [&](auto v) { return v >= num_right; });
    }
}

}  // namespace
}  // namespace regraft::matching
