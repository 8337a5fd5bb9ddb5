// A bipartite multigraph in which all vertices have the same degree, made of any other by adding edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "regraft/schedule/edge_colouring.hpp"
#include "schedule/merged_vertices.hpp"

namespace regraft::schedule {

/// An edge, seen from its left end.
struct HalfEdge {
    std::uint32_t right = 0;
    std::uint32_t edge = 0;  // its number; for added edges, the number of edges that were given
};

/// Edges in rows: row u, of `degree` edges, lists those of left vertex u, mostly in the order of their right ends, so
/// that parallel edges are neighbours.
struct RegularGraph {
    std::uint32_t num_vertices = 0;  // on either side
    std::uint32_t degree = 0;
    std::unique_ptr<HalfEdge[]> rows;   // shape [num_vertices][degree]
    std::unique_ptr<HalfEdge[]> spare;  // as large, for whatever comes next

    std::size_t num_edges() const { return std::size_t{num_vertices} * degree; }
};

/// Makes the graph of the edges between merged vertices, with edges added until all vertices have this degree.
/// left_degrees, right_degrees: of the vertices before they were merged. O(edges + vertices), with all threads; the
/// same for any number of threads. Preconditions: no merged vertex has a larger degree; fewer than 2^32 edges in the
/// result.
RegularGraph make_regular(std::span<Edge const> edges, std::span<std::uint32_t const> left_degrees,
                          std::span<std::uint32_t const> right_degrees, MergedVertices const& left,
                          MergedVertices const& right, std::uint32_t degree);

}  // namespace regraft::schedule
