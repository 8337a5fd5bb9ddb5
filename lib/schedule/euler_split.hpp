// Divides a bipartite multigraph into two halves that have half of every vertex's edges each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "schedule/regular_graph.hpp"

namespace regraft::schedule {

/// The edges to be divided, and memory for it.
struct EulerSplit {
    /// An even number of edges for every left vertex, one after the other, and for every right vertex.
    std::span<HalfEdge const> edges;
    /// Room for as many edges. Gets the two halves, one after the other; each keeps the order of its edges.
    std::span<HalfEdge> halves;
    std::span<std::uint32_t> partner;  // as long as edges
    std::span<std::uint8_t> entry;     // half as long
    std::uint32_t num_right = 0;
    /// How many pieces of edges can be worked on in parallel. Part of the input: other pieces make other halves.
    std::size_t num_pieces = 1;
};

/// Divides the edges into two halves. O(edges + num_right * num_pieces). Deterministic, for any number of threads. May
/// be called by a task of a parallel region. Precondition: fewer than 2^32 edges.
void split(EulerSplit const& task);

}  // namespace regraft::schedule
