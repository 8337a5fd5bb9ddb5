// The first assignment: every PE the same number of sites, or cost, and as few partitions cut as that allows.
#pragma once

#include <cstdint>
#include <span>

#include "regraft/assign/assignment.hpp"

namespace regraft::assign {

/// Divisible load balance (Kobert, Flouri, Aberer, Stamatakis 2014, "The divisible load balance problem and its
/// application to phylogenetic inference"): N sites over p PEs, each floor(N/p) or ceil(N/p) of them. At most p - 1
/// cuts inside partitions in total, at most 2 pieces of cut partitions per PE, and so at most p - 1 more (PE,
/// partition) pairs than the best such balance; no PE works on more than one partition more than the busiest in the
/// best such balance. Partition q is the sites [partition_begin[q], partition_begin[q + 1]). Deterministic.
/// Precondition: partition_begin is not empty and ascends; num_pes > 0. O(partitions log partitions + p).
Assignment balance(std::span<std::uint64_t const> partition_begin, std::uint32_t num_pes);

/// The same over the given PEs alone; the rows of the other founding PEs are empty.
/// Precondition: pes ascends strictly, is not empty, and each is below num_founding_pes.
Assignment balance(std::span<std::uint64_t const> partition_begin, std::span<PeId const> pes,
                   std::uint32_t num_founding_pes);

/// The same where a site of partition q costs cost_per_site[q], for example states^2 times rate categories. No PE's
/// cost exceeds the mean by as much as one site of its most expensive partition; again at most p - 1 cuts, and at most
/// 2 pieces of cut partitions per PE. If all costs are equal it is the balance by sites. In integers, so exact.
/// Precondition: a positive cost for every partition, together below 2^63.
Assignment balance(std::span<std::uint64_t const> partition_begin, std::span<std::uint64_t const> cost_per_site,
                   std::uint32_t num_pes);
Assignment balance(std::span<std::uint64_t const> partition_begin, std::span<std::uint64_t const> cost_per_site,
                   std::span<PeId const> pes, std::uint32_t num_founding_pes);

}  // namespace regraft::assign
