// Groups blocks in ranges and puts the ranges in a pseudorandom order; several placements deal such ranges to slots
// instead of blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "regraft/core/ids.hpp"
#include "regraft/placement/permutation.hpp"
#include "regraft/placement/placement.hpp"

#pragma GCC visibility push(default)
namespace regraft::placement {

/// How blocks are grouped and shuffled before they are dealt to slots.
struct RangeOptions {
    /// Consecutive blocks that stay together; the last range may have fewer. Long ranges make few messages; short ones
    /// deal a dead PE's blocks more evenly. 0: with a seed, as many blocks as leave at least 64 ranges per slot (or 1);
    /// without a seed, 1.
    std::uint64_t range_blocks = 0;
    /// The seed of the order of the ranges. None: ranges keep their order.
    std::optional<std::uint64_t> seed = 0;
};

/// The position of a range in the order.
enum class Position : std::uint64_t {};
/// Half-open ranges of positions.
using PositionRange = IdRange<Position>;

/// The ranges and their order. O(1) memory.
class RangeOrder {
public:
    /// Precondition: no more than 2^63 ranges if there is a seed.
    RangeOrder(Shape const& shape, RangeOptions const& options);

    /// The number of ranges.
    std::uint64_t size() const { return size_; }
    /// Whether there is a seed.
    bool is_random() const { return order_.has_value(); }
    /// The position of the block's range. Precondition: block < num_blocks. O(1).
    Position position(BlockId block) const;
    /// All blocks at the positions: ascending, disjoint, none empty, neighbours joined. Precondition: the position
    /// ranges are disjoint. O(n log n) for n ranges of blocks; without a seed for n ranges of positions.
    std::vector<BlockRange> blocks(std::span<PositionRange const> positions) const;
    /// The number of blocks at the positions. O(1).
    std::uint64_t num_blocks(PositionRange positions) const;
    /// The block's range. Precondition: block < num_blocks. O(1).
    BlockRange range(BlockId block) const;
    /// All blocks at the positions, which are consecutive. Precondition: not is_random(). O(1).
    BlockRange consecutive(PositionRange positions) const;

private:
    BlockRange ranges(std::uint64_t first, std::uint64_t last) const;

    std::uint64_t num_blocks_;
    std::uint64_t range_blocks_;
    std::uint64_t size_;
    std::optional<RandomPermutation> order_;
    Position last_{};  // position of the last range, which may be short
};

}  // namespace regraft::placement
#pragma GCC visibility pop
