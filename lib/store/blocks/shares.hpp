// Deals out blocks by their bytes.
#pragma once

#include <cstdint>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/ids.hpp"

namespace regraft::store {

/// Part `index` of `parts` of the blocks. The parts in order are all blocks, and each has as even a number of bytes as
/// whole blocks allow.
inline BlockRange share_of(BlockRange blocks, BlockSizes const& sizes, std::uint64_t index, std::uint64_t parts) {
    auto const cut = [&](std::uint64_t i) {
        if (i == 0) return blocks.first;
        if (i == parts) return blocks.last;
        return sizes.cut(blocks, value(even_part<BlockId>(sizes.bytes(blocks), i, parts).first));
    };
    return {cut(index), cut(index + 1)};
}

}  // namespace regraft::store
