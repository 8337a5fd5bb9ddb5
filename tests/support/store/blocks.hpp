// Blocks whose content is known from their id, for tests of what moves blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/ids.hpp"
#include "regraft/core/random.hpp"

namespace regraft::test {

/// Byte `offset` of a block.
inline std::byte block_byte(BlockId id, std::size_t offset) {
    return static_cast<std::byte>(mix(value(id) * 1000003 + offset) & 0xff);
}

/// The blocks of a range, one behind the other.
inline std::vector<std::byte> blocks(BlockRange range, std::size_t block_bytes) {
    std::vector<std::byte> bytes;
    for (auto id = range.first; id < range.last; id = advance(id, 1)) {
        for (std::size_t offset = 0; offset < block_bytes; ++offset) bytes.push_back(block_byte(id, offset));
    }
    return bytes;
}

/// Every PE's even part of n blocks, by its position among `size`.
inline BlockRange part_of(std::uint64_t n, std::size_t position, std::size_t size) {
    return even_part<BlockId>(n, position, size);
}

}  // namespace regraft::test
