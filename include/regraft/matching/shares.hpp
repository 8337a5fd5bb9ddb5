// The same problems for left vertices that can be divided. A left vertex is a number of equal units, for example all
// blocks with the same holders, or all lost sites of a partition; its neighbours get shares of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/csr.hpp"

#pragma GCC visibility push(default)
namespace regraft::matching {

/// An optimal division and the proof that it is optimal.
struct MinBShares {
    /// The number of units of the row's left vertex that its right vertex gets, for every edge, parallel to
    /// graph.values.
    std::vector<std::uint64_t> share;
    /// Left vertices with units but without neighbours, ascending.
    std::vector<std::uint32_t> isolated;
    /// The largest number of units at one right vertex; no division has a smaller one.
    std::uint64_t b = 0;
    /// ceil(units of left vertices with a neighbour / right vertices with such a left vertex).
    std::uint64_t lower_bound = 0;
    /// Ascending right vertices S: left vertices with all their neighbours in S have more than (b - 1) * |S| units.
    /// Empty if b is 0.
    std::vector<std::uint32_t> hall_set;
};

/// Divides units[x] units of every left vertex x among its neighbours, row x of graph, so that the busiest right vertex
/// gets as few as possible. Deterministic. Precondition: the rows are all of graph.values; units has a value per row,
/// their sum is below 2^63; fewer than 2^32 - 1 edges. O(edges) per phase of a flow. Memory: about 16
/// bytes per edge, 24 per left and 40 per right vertex.
MinBShares min_b_shares(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> units, std::uint32_t num_right);

/// A division of as many units as the capacities allow, and the proof.
struct MaxBShares {
    /// The units of every edge, parallel to graph.values.
    std::vector<std::uint64_t> share;
    /// The sum of all shares; no division within the capacities has more.
    std::uint64_t total = 0;
    /// Ascending right vertices S, all full, such that total = units of left vertices with a neighbour outside S +
    /// capacity of S.
    std::vector<std::uint32_t> hall_set;
};

/// Finds a largest division in which right vertex v gets at most capacity[v] units. Deterministic. Precondition: as for
/// min_b_shares, with a value of capacity per right vertex, and fewer than 2^32 - 1 edges and rows together. Complexity
/// as min_b_shares; about twice the memory.
MaxBShares max_b_shares(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> units,
                        std::span<std::uint64_t const> capacity);

/// Whether the shares add up to the units of every left vertex that is not isolated, to at most b at every right vertex
/// and to b at one, and hall_set proves b. O(edges). Does not use the solver.
bool is_min_b_shares(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> units, std::uint32_t num_right,
                     MinBShares const& shares);

/// Whether the shares keep to units and capacities, add up to total, and hall_set proves that no division has more.
/// O(edges). Does not use the solver.
bool is_max_b_shares(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> units,
                     std::span<std::uint64_t const> capacity, MaxBShares const& shares);

}  // namespace regraft::matching
#pragma GCC visibility pop
