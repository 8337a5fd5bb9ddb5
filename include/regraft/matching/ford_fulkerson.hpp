// The textbook way to a minimum b-matching: one breadth-first search per left vertex. It is for readers, for tests, and
// as a baseline for min_b_matching, which gives the same b in less time.
#pragma once

#include <cstdint>

#include "regraft/core/csr.hpp"
#include "regraft/matching/b_matching.hpp"

#pragma GCC visibility push(default)
namespace regraft::matching {

/// Huebner 2020, Algorithm 11, corrected. graph, num_right, the result and its proof are as for min_b_matching.
/// Deterministic. Precondition: fewer than 2^32 - 1 left vertices. O(left vertices * edges); 4 bytes per edge and 16
/// per left vertex beside the graph.
///
/// Differences from the text:
/// - A left vertex without neighbours is reported. In the text the loop over it never ends, since b rises in vain.
/// - Every search starts with nothing visited (marks carry the number of their search). In the text marks stay for
///   ever.
/// - The left vertex to be matched and the vertex that the search is at are two variables, not one.
/// - b starts at ceil(left / right vertices that have neighbours) instead of 1.
/// - A search ends where it first sees room instead of where it takes such a vertex from its queue; of the residual
///   network only the owner of each left vertex is kept. Both save time and change nothing else.
/// As in the text, b rises by one when a search fails; the visited right vertices are then the proof.
BMatching ford_fulkerson_b_matching(CsrView<std::uint32_t> graph, std::uint32_t num_right);

}  // namespace regraft::matching
#pragma GCC visibility pop
