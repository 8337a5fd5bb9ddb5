// Limits for the size of blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "regraft/codec/compressed_alignment.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::codec {

/// Throws InputError if blocks of sites_per_block sites are too large.
inline void check_block_size(std::uint64_t num_taxa, std::uint64_t sites_per_block) {
    constexpr std::uint32_t always_allowed = 256;
    if (sites_per_block <= always_allowed) return;
    if (sites_per_block <= max_sites_per_block && sites_per_block * num_taxa <= max_cells_per_block) return;
    auto const most = std::clamp<std::uint64_t>(max_cells_per_block / num_taxa, always_allowed, max_sites_per_block);
    throw InputError("blocks of " + std::to_string(sites_per_block) + " sites are too large, expected at most " +
                     std::to_string(most));
}

}  // namespace regraft::codec
