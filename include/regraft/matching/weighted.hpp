// Minimum-b-matching of left vertices that have sizes and cannot be divided: blocks of different numbers of bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/csr.hpp"

namespace regraft::matching {

/// A matching near the optimum, and how near it is.
struct WeightedBMatching {
    /// For every left vertex its right vertex, or `unmatched`.
    std::vector<std::uint32_t> right_of;
    /// Left vertices that have no neighbour, ascending.
    std::vector<std::uint32_t> isolated;
    /// The largest sum of weights at one right vertex. At most lower_bound + the largest weight.
    std::uint64_t b = 0;
    /// No matching has a smaller b: what the busiest right vertex would get if left vertices could be divided, or the
    /// largest weight.
    std::uint64_t lower_bound = 0;
    /// Ascending right vertices that prove lower_bound unless it is the largest weight: left vertices with all their
    /// neighbours among them weigh more than (lower_bound - 1) * |hall_set|. Empty if there is no weight.
    std::vector<std::uint32_t> hall_set;
};

/// Gives every left vertex to one of its neighbours, row x of graph, so that the largest sum of weights at a right
/// vertex is small. Finding the smallest is NP-hard (P|M_j|C_max); this divides optimally (min_b_shares), then rounds
/// as in Lenstra, Shmoys, Tardos 1990, or takes heaviest-first greedy where that is better. Deterministic.
/// Precondition: the rows are all of graph.values, fewer than 2^32 - 1; weight has a value per row, their sum is below
/// 2^63. O(left vertices log left vertices) beside min_b_shares, and one step per edge and cycle of the rounding.
WeightedBMatching min_b_matching(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> weight,
                                 std::uint32_t num_right);

}  // namespace regraft::matching
