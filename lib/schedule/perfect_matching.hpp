// A perfect matching of a regular bipartite multigraph.
#pragma once

#include <cstdint>
#include <span>

#include "schedule/regular_graph.hpp"

namespace regraft::schedule {

/// Moves a perfect matching to the front: from rows of `degree` edges, shape [num_vertices][degree], to the edge of
/// every row that belongs to the matching, shape [num_vertices], then what is left of the rows, in the same order.
/// Deterministic; expected O(num_vertices log num_vertices) beside the moving. Precondition: every right vertex, too,
/// has `degree` edges.
void extract_perfect_matching(std::span<HalfEdge> rows, std::uint32_t num_vertices, std::uint32_t degree);

}  // namespace regraft::schedule
