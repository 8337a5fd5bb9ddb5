// min_b_matching for graphs of the Boost Graph Library. The only header of regraft that needs Boost (headers alone).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <boost/graph/bipartite.hpp>
#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/property_map/property_map.hpp>

#include "regraft/core/contracts.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/matching/b_matching.hpp"

#pragma GCC visibility push(default)
namespace regraft::matching::bgl {

/// A BMatching in vertex descriptors. The right vertex of each left one is in the property map of the call.
template <class Graph>
struct BMatching {
    /// A vertex of the graph.
    using Vertex = typename boost::graph_traits<Graph>::vertex_descriptor;

    std::uint32_t b = 0;            // as in matching::BMatching
    std::uint32_t lower_bound = 0;  // as in matching::BMatching
    /// Left vertices without an edge, in the order of vertices(graph).
    std::vector<Vertex> isolated;
    /// Right vertices, in the order of vertices(graph).
    std::vector<Vertex> hall_set;
};

/// Matches every left vertex to one of its neighbours, so that b, the largest number of left vertices at one right
/// vertex, is as small as possible. matching::min_b_matching does the work; complexity as there.
///
/// Graph: a model of VertexListGraph and IncidenceGraph, either undirected or directed with edges from left to right
/// (edges out of right vertices are ignored). Parallel edges are allowed. side: readable; boost::color_traits::white()
/// for left vertices, any other colour for right ones, as boost::is_bipartite colours them. right_of: writable; gets
/// the right vertex of every left vertex, or null_vertex() if that has no edge. index: readable; the vertices numbered
/// from 0. Throws InputError if an edge joins two left vertices. Precondition: options.initial is empty.
template <class Graph, class SideMap, class RightOfMap, class IndexMap>
BMatching<Graph> min_b_matching(Graph const& graph, SideMap side, RightOfMap right_of, IndexMap index,
                                Options const& options = {}) {
    REGRAFT_EXPECTS(options.initial.empty());
    using Side = boost::color_traits<typename boost::property_traits<SideMap>::value_type>;
    using Vertex = typename BMatching<Graph>::Vertex;
    auto const is_left = [&](Vertex v) { return get(side, v) == Side::white(); };

    std::vector<Vertex> left;
    std::vector<Vertex> right;
    std::vector<std::uint32_t> number(num_vertices(graph));
    auto const [first, last] = vertices(graph);
    for (auto v = first; v != last; ++v) {
        auto& list = is_left(*v) ? left : right;
        number[static_cast<std::size_t>(get(index, *v))] = static_cast<std::uint32_t>(list.size());
        list.push_back(*v);
    }

    Csr<std::uint32_t> rows;
    rows.offsets.reserve(left.size() + 1);
    for (auto const x : left) {
        auto const [begin, end] = out_edges(x, graph);
        for (auto edge = begin; edge != end; ++edge) {
            auto const v = target(*edge, graph);
            if (is_left(v)) throw InputError("an edge joins two left vertices of what should be a bipartite graph");
            rows.push_value(number[static_cast<std::size_t>(get(index, v))]);
        }
        rows.end_row();
    }

    auto const answer = matching::min_b_matching(rows, static_cast<std::uint32_t>(right.size()), options);
    for (std::size_t x = 0; x < left.size(); ++x) {
        auto const v = answer.right_of[x];
        put(right_of, left[x], v == unmatched ? boost::graph_traits<Graph>::null_vertex() : right[v]);
    }
    BMatching<Graph> result{answer.b, answer.lower_bound, {}, {}};
    for (auto const x : answer.isolated) result.isolated.push_back(left[x]);
    for (auto const v : answer.hall_set) result.hall_set.push_back(right[v]);
    return result;
}

/// The same for graphs with a vertex numbering (vertex_index).
template <class Graph, class SideMap, class RightOfMap>
BMatching<Graph> min_b_matching(Graph const& graph, SideMap side, RightOfMap right_of) {
    return min_b_matching(graph, side, right_of, get(boost::vertex_index, graph));
}

/// The same for an undirected graph without given sides: the first vertex of every connected component is a left one
/// (boost::is_bipartite). Throws InputError if the graph has an odd cycle.
template <class Graph, class RightOfMap>
BMatching<Graph> min_b_matching(Graph const& graph, RightOfMap right_of) {
    static_assert(boost::is_undirected_graph<Graph>::value, "of a directed graph the sides must be given");
    auto const index = get(boost::vertex_index, graph);
    std::vector<boost::default_color_type> colours(num_vertices(graph));
    auto const side = boost::make_iterator_property_map(colours.begin(), index);
    if (!boost::is_bipartite(graph, index, side)) throw InputError("the graph has an odd cycle: it is not bipartite");
    return min_b_matching(graph, side, right_of, index);
}

}  // namespace regraft::matching::bgl
#pragma GCC visibility pop
