// Divides blocks in parts of about 64 KiB, each with a checksum of its own.
#pragma once

#include <algorithm>
#include <cstdint>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/ids.hpp"

#pragma GCC visibility push(default)
namespace regraft {

/// Calls visit for the parts of blocks. A part ends at the first block that begins behind a multiple of 64 KiB, counted
/// from the first of all blocks. So all PEs that hold, send or receive some of the blocks cut them at the same places.
template <class Visit>
void visit_parts(BlockRange blocks, BlockSizes const& sizes, Visit visit) {
    constexpr std::uint64_t part_bytes = 64 << 10;
    while (!blocks.empty()) {
        auto const next = (sizes.begin(blocks.first) / part_bytes + 1) * part_bytes;
        auto const end = std::min(blocks.last, sizes.first_from(next));
        visit(BlockRange{blocks.first, end});
        blocks.first = end;
    }
}

/// The number of parts that visit_parts visits. O(parts), for sizes that are not equal times log blocks.
inline std::uint64_t num_parts(BlockRange blocks, BlockSizes const& sizes) {
    std::uint64_t count = 0;
    visit_parts(blocks, sizes, [&](BlockRange) { ++count; });
    return count;
}

}  // namespace regraft
#pragma GCC visibility pop
