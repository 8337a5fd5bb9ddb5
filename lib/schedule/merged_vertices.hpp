// Small vertices merged into few large ones (Gabow, Kariv 1982): edges that share an end still do, and what is kept per
// vertex and colour takes no more room than the edges.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace regraft::schedule {

/// The number of no vertex, no edge and no colour.
constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// The vertices of one side.
struct MergedVertices {
    std::uint32_t count = 0;            // number of merged vertices
    std::vector<std::uint32_t> of;      // by vertex: the merged vertex that it is part of
    std::vector<std::uint32_t> before;  // by vertex: number of edges of the parts of its merged vertex before it
};

/// Merges vertices 0, 1, ... of these degrees as long as the degrees of merged vertices stay within the limit. Any two
/// merged vertices exceed it together, so there are fewer than 2 * edges / limit + 2. Vertices without edges count as
/// part of any. O(vertices log vertices).
MergedVertices merge_vertices(std::span<std::uint32_t const> degrees, std::uint32_t limit);

}  // namespace regraft::schedule
