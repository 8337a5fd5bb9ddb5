// Bootstrap replicates of an alignment (Felsenstein 1985).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace regraft::phylo {

/// How often each pattern occurs in a replicate: of every partition as many sites as it has, drawn with replacement,
/// `weights` telling how many sites have which pattern. Deterministic. Precondition: partition_begin ascends from 0 to
/// the number of weights. O(sites * log(patterns)).
std::vector<std::uint32_t> resampled_weights(std::span<std::uint32_t const> weights,
                                             std::span<std::uint64_t const> partition_begin, std::uint64_t seed);

}  // namespace regraft::phylo
