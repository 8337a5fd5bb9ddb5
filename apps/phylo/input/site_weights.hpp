// Weights of sites: how often each site of the alignment counts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/msa/partition.hpp"

namespace regraft::phylo {

/// Reads whole numbers, separated by blanks or line ends, one per site. 0 leaves a site out. Throws InputError, with
/// the place in `file`, also if the sum does not fit 32 bits, or if all sites of a partition are left out.
std::vector<std::uint32_t> parse_site_weights(std::string_view text, std::string const& file, std::uint64_t num_sites,
                                              std::span<msa::PartitionSpec const> partitions);

/// The sites of a partition that have a weight, in increasing order. site_weights: empty if all weights are 1.
std::vector<std::uint64_t> sites_with_weight(msa::PartitionSpec const& partition,
                                             std::span<std::uint32_t const> site_weights);

/// The sum of the weights of a partition's sites. site_weights: empty if all are 1.
std::uint64_t weight_of(msa::PartitionSpec const& partition, std::span<std::uint32_t const> site_weights);

}  // namespace regraft::phylo
