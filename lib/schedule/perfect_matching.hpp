// A perfect matching of a regular bipartite multigraph.
#pragma once

#include <cstdint>
#include <span>

#include "schedule/regular_graph.hpp"

namespace regraft::schedule {

/// Moves a perfect matching to the front. Before, rows has the shape [num_vertices][degree]. Afterwards it begins with
/// the edge of each row that belongs to the matching, shape [num_vertices]. The rest of the rows follows in the same
/// order, shape [num_vertices][degree - 1]. Deterministic; expected O(num_vertices log num_vertices) beside the moving.
/// Precondition: every right vertex has `degree` edges, too.
void extract_perfect_matching(std::span<HalfEdge> rows, std::uint32_t num_vertices, std::uint32_t degree);

}  // namespace regraft::schedule
