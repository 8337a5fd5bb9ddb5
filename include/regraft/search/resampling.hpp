// Samples of the sites of an alignment: replicates of the bootstrap (Felsenstein 1985), and the samples of SH-aLRT.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace regraft::search {

/// The weight of each pattern in a sample: from every partition as many sites as it has are drawn with replacement;
/// `weights` says how many sites have each pattern. A function of its arguments. Precondition: partition_begin ascends
/// from 0 to the number of weights. O(sites), also in memory.
std::vector<std::uint32_t> resampled_weights(std::span<std::uint32_t const> weights,
                                             std::span<std::uint64_t const> partition_begin, std::uint64_t seed);

}  // namespace regraft::search
#pragma GCC visibility pop
