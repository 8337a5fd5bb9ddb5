// Left-saturating minimum-b-matching: give every left vertex to one of its neighbours so that the busiest right vertex
// gets as few as possible. Left vertices are blocks, right vertices the PEs that could send them.
// Also known as optimal semi-matching (Harvey, Ladner, Lovasz, Tamir 2006) and as P|M_j, p_j=1|C_max.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "regraft/core/csr.hpp"

namespace regraft::matching {

/// In right_of: this left vertex has no neighbour.
inline constexpr std::uint32_t unmatched = std::numeric_limits<std::uint32_t>::max();

/// An optimal matching and the proof that it is optimal.
struct BMatching {
    /// For every left vertex its right vertex, or `unmatched`.
    std::vector<std::uint32_t> right_of;
    /// Left vertices that have no neighbour, ascending: an ordinary outcome, the block is lost.
    std::vector<std::uint32_t> isolated;
    /// The largest number of left vertices given to one right vertex; no matching has a smaller one.
    std::uint32_t b = 0;
    /// ceil(left vertices with a neighbour / right vertices with a neighbour): what b would be if edges were no
    /// obstacle.
    std::uint32_t lower_bound = 0;
    /// Ascending right vertices S such that more than (b - 1) * |S| left vertices have all their neighbours in S, so
    /// that b - 1 is infeasible. Empty if b is 0. (Hall's condition; b is the maximum over S of ceil(|{x : N(x) in S}|
    /// / |S|).)
    std::vector<std::uint32_t> hall_set;
};

/// The optimum for the graph whose row x lists the neighbours of left vertex x, in [0, num_right); a neighbour may
/// occur more than once in a row. Deterministic. Precondition: fewer than 2^32 - 1 left vertices. O(paths * edges) in
/// the worst case, near O(edges) if least-loaded greedy comes close to the lower bound. Mends Huebner 2020, Algorithm
/// 11: isolated vertices are reported instead of looped over, b starts at the lower bound, and a search that fails
/// raises b to what its visited set proves instead of by one.
BMatching min_b_matching(CsrView<std::uint32_t> graph, std::uint32_t num_right);

/// Whether m gives every left vertex to one of its neighbours, at most m.b of them and somewhere exactly m.b to one
/// right vertex, and lists just the isolated ones as such. Says nothing about m.b being minimal. O(edges), not by the
/// solver.
bool is_b_matching(CsrView<std::uint32_t> graph, std::uint32_t num_right, BMatching const& m);

/// Whether hall_set proves that some right vertex must get at least b left vertices. False if hall_set has a repeated
/// or an unknown vertex; true for b = 0 and no set at all. O(edges), not by the solver.
bool proves_lower_bound(CsrView<std::uint32_t> graph, std::uint32_t num_right, std::span<std::uint32_t const> hall_set,
                        std::uint32_t b);

}  // namespace regraft::matching
