// Minimum b-matching of left vertices that have sizes and cannot be divided: blocks of different numbers of bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/csr.hpp"

#pragma GCC visibility push(default)
namespace regraft::matching {

/// A matching near the optimum, and a bound that says how near.
struct WeightedBMatching {
    /// The right vertex of every left vertex, or `unmatched`.
    std::vector<std::uint32_t> right_of;
    /// Left vertices without neighbours, ascending.
    std::vector<std::uint32_t> isolated;
    /// The largest sum of weights at one right vertex. It is at most lower_bound + the largest weight.
    std::uint64_t b = 0;
    /// No matching has a smaller b. It is the larger of the largest weight and the largest sum that a right vertex
    /// would get if left vertices could be divided.
    std::uint64_t lower_bound = 0;
    /// Ascending right vertices that prove lower_bound unless it is the largest weight: left vertices with all their
    /// neighbours in this set weigh more than (lower_bound - 1) * |hall_set|. Empty if all weights are 0.
    std::vector<std::uint32_t> hall_set;
};

/// Gives every left vertex to one of its neighbours, row x of graph, so that the largest sum of weights at a right
/// vertex is small. To find the smallest is NP-hard (P|M_j|C_max). This function divides optimally (min_b_shares) and
/// then rounds as in Lenstra, Shmoys, Tardos 1990, or takes heaviest-first greedy where that is better. Deterministic.
/// Precondition: the rows are all of graph.values, fewer than 2^32 - 1; weight has a value per row, their sum is below
/// 2^63. O(left vertices log left vertices) beside min_b_shares, and one step per edge and cycle of the rounding.
WeightedBMatching min_b_matching(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> weight,
                                 std::uint32_t num_right);

}  // namespace regraft::matching
#pragma GCC visibility pop
