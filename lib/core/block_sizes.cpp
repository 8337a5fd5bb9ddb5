#include "regraft/core/block_sizes.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "regraft/core/contracts.hpp"

namespace regraft {

BlockSizes::BlockSizes(std::uint64_t num_blocks, std::uint64_t block_bytes) : count_(num_blocks), each_(block_bytes) {
    REGRAFT_EXPECTS(num_blocks == 0 || block_bytes <= std::numeric_limits<std::uint64_t>::max() / num_blocks);
}

BlockSizes::BlockSizes(std::vector<std::uint64_t> begins) : begins_(std::move(begins)) {
    REGRAFT_EXPECTS(!begins_.empty() && begins_.front() == 0);
    REGRAFT_ASSERT(std::is_sorted(begins_.begin(), begins_.end()));
    count_ = begins_.size() - 1;
}

BlockId BlockSizes::cut(BlockRange blocks, std::uint64_t bytes) const {
    if (bytes >= this->bytes(blocks)) return blocks.last;
    if (equal()) {
        auto const over = bytes % each_;
        return advance(blocks.first, bytes / each_ + (over > each_ - over ? 1 : 0));
    }
    auto const aim = begin(blocks.first) + bytes;
    auto const first = begins_.begin() + static_cast<std::ptrdiff_t>(value(blocks.first));
    auto const last = begins_.begin() + static_cast<std::ptrdiff_t>(value(blocks.last));
    auto const above = std::upper_bound(first, last, aim);  // the begin of a block, or the end of the last
    auto const below = std::lower_bound(first, above, *std::prev(above));
    auto const nearest = *above - aim < aim - *below ? above : below;
    return BlockId{static_cast<std::uint64_t>(nearest - begins_.begin())};
}

}  // namespace regraft
