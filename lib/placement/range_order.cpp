#include "regraft/placement/range_order.hpp"

#include <algorithm>
#include <utility>

#include "regraft/core/contracts.hpp"
#include "regraft/core/united.hpp"

namespace regraft::placement {
namespace {

std::uint64_t range_length(Shape const& shape, RangeOptions const& options) {
    if (options.range_blocks > 0) return options.range_blocks;
    constexpr std::uint64_t ranges_per_slot = 64;
    return options.seed ? std::max<std::uint64_t>(1, shape.num_blocks / (ranges_per_slot * shape.num_slots)) : 1;
}

}  // namespace

RangeOrder::RangeOrder(Shape const& shape, RangeOptions const& options)
    : num_blocks_(shape.num_blocks),
      range_blocks_(range_length(shape, options)),
      size_(num_blocks_ / range_blocks_ + (num_blocks_ % range_blocks_ != 0 ? 1 : 0)) {
    if (options.seed) order_.emplace(std::max<std::uint64_t>(1, size_), *options.seed);
    if (num_blocks_ > 0) last_ = position(BlockId{num_blocks_ - 1});
}

Position RangeOrder::position(BlockId block) const {
    REGRAFT_EXPECTS(value(block) < num_blocks_);
    auto const range = value(block) / range_blocks_;
    return Position{order_ ? (*order_)(range) : range};
}

std::vector<BlockRange> RangeOrder::blocks(std::span<PositionRange const> positions) const {
    std::vector<BlockRange> result;
    for (auto const& piece : positions) {
        if (piece.empty()) continue;
        if (!order_) {
            result.push_back(consecutive(piece));
            continue;
        }
        for (auto i = value(piece.first); i < value(piece.last); ++i) {
            auto const range = order_->inverse(i);
            result.push_back(ranges(range, range + 1));
        }
    }
    return united(std::move(result));
}

std::uint64_t RangeOrder::num_blocks(PositionRange positions) const {
    if (positions.empty()) return 0;
    auto const all_full = positions.size() * range_blocks_;
    return positions.contains(last_) ? all_full - (size_ * range_blocks_ - num_blocks_) : all_full;
}

BlockRange RangeOrder::range(BlockId block) const {
    REGRAFT_EXPECTS(value(block) < num_blocks_);
    auto const range = value(block) / range_blocks_;
    return ranges(range, range + 1);
}

BlockRange RangeOrder::consecutive(PositionRange positions) const {
    REGRAFT_EXPECTS(!is_random());
    return ranges(value(positions.first), value(positions.last));
}

/// The blocks of the ranges first .. last - 1. Only the last range of all is short, or would end beyond 2^64.
BlockRange RangeOrder::ranges(std::uint64_t first, std::uint64_t last) const {
    return {BlockId{first * range_blocks_}, BlockId{last < size_ ? last * range_blocks_ : num_blocks_}};
}

}  // namespace regraft::placement
