// Values of single sites: which patterns a PE has, and values of all patterns from all PEs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "input/input.hpp"
#include "job/dealt_sites.hpp"
#include "regraft/ft/communicator.hpp"

namespace regraft::phylo {

/// The patterns of some work in each partition, in the order of to_local_sites.
std::vector<std::vector<std::uint64_t>> patterns_by_partition(std::span<assign::Work const> work,
                                                              std::size_t num_partitions);

/// The value of each pattern of the alignment, on the leading PE; empty on the others. mine: those of this PE's
/// patterns in each partition. Precondition: all members are in the group. Collective, uniform.
std::vector<double> gather_values(ft::Communicator& comm, Dataset const& dataset, Group const& group,
                                  std::span<std::vector<double> const> mine);

}  // namespace regraft::phylo
