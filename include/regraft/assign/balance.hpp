// The first assignment: every PE gets the same number of sites, or the same cost, and few partitions are cut.
#pragma once

#include <cstdint>
#include <span>

#include "regraft/assign/assignment.hpp"

#pragma GCC visibility push(default)
namespace regraft::assign {

/// Divisible load balance (Kobert, Flouri, Aberer, Stamatakis 2014, "The divisible load balance problem and its
/// application to phylogenetic inference"): deals N sites to p PEs, floor(N/p) or ceil(N/p) to each. Partition q is the
/// sites [partition_begin[q], partition_begin[q + 1]). There are at most p - 1 cuts inside partitions in total and at
/// most 2 pieces of cut partitions per PE. So there are at most p - 1 more (PE, partition) pairs than in the best such
/// balance, and no PE works on more than one partition more than the busiest PE in the best such balance.
/// Deterministic. Precondition: partition_begin is not empty and ascends; num_pes > 0. O(partitions log partitions +
/// p).
Assignment balance(std::span<std::uint64_t const> partition_begin, std::uint32_t num_pes);

/// The same for the given PEs alone; the rows of the other founding PEs are empty. Precondition: pes ascends strictly,
/// is not empty, and each is below num_founding_pes.
Assignment balance(std::span<std::uint64_t const> partition_begin, std::span<PeId const> pes,
                   std::uint32_t num_founding_pes);

/// The same where a site of partition q costs cost_per_site[q], for example states^2 times rate categories. A PE's cost
/// exceeds the mean by less than one site of its most expensive partition. There are at most p - 1 cuts, and at most 2
/// pieces of cut partitions per PE. If all costs are equal, the result is the balance by sites. Costs are integers, so
/// the result is exact. Precondition: every partition has a positive cost, and all sites together cost less than 2^63.
Assignment balance(std::span<std::uint64_t const> partition_begin, std::span<std::uint64_t const> cost_per_site,
                   std::uint32_t num_pes);
/// The same for the given PEs alone, by cost.
Assignment balance(std::span<std::uint64_t const> partition_begin, std::span<std::uint64_t const> cost_per_site,
                   std::span<PeId const> pes, std::uint32_t num_founding_pes);

}  // namespace regraft::assign
#pragma GCC visibility pop
