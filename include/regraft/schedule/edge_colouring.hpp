// Edge colouring of a bipartite multigraph with as many colours as its largest degree (Koenig 1916).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft::schedule {

/// An edge from left to right, for example from a sender to a receiver. Parallel edges are allowed.
struct Edge {
    std::uint32_t left = 0;   // vertex on the left, from 0
    std::uint32_t right = 0;  // vertex on the right, from 0; not the same as a left vertex of this number
    friend bool operator==(Edge const&, Edge const&) = default;
};

/// The largest number of edges at one left or one right vertex; 0 if there are no edges. O(edges + vertices).
std::uint32_t largest_degree(std::span<Edge const> edges);

/// Colours every edge with a colour below largest_degree(edges), such that edges that share an end differ; every colour
/// is used. Deterministic, for any number of threads. O(edges * log(largest degree)) expected time, often O(edges).
/// Memory: 25 bytes per edge if all degrees are about the same, at most 45 per edge and 20 per vertex. Vertices are
/// numbered from 0; large gaps cost memory. Precondition: at most 2^30 edges, vertices below 2^32 - 1.
std::vector<std::uint32_t> colour_edges(std::span<Edge const> edges);

/// Whether colours has one colour below num_colours per edge and no two edges that share an end have the same one.
/// O(edges log(largest degree) + vertices). Does not use the solver.
bool is_proper_colouring(std::span<Edge const> edges, std::span<std::uint32_t const> colours,
                         std::uint32_t num_colours);

}  // namespace regraft::schedule
#pragma GCC visibility pop
