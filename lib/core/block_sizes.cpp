#include "regraft/core/block_sizes.hpp"

#include <algorithm>
#include <utility>

namespace regraft {

BlockSizes::BlockSizes(std::vector<std::uint64_t> begins) : begins_(std::move(begins)) {
    REGRAFT_EXPECTS(!begins_.empty() && begins_.front() == 0);
    REGRAFT_ASSERT(std::is_sorted(begins_.begin(), begins_.end()));
    count_ = begins_.size() - 1;
}

BlockId BlockSizes::cut(BlockRange blocks, std::uint64_t bytes) const {
    auto const size = this->bytes(blocks);
    if (bytes >= size) return blocks.last;
    if (equal()) return advance(blocks.first, (bytes - bytes / each_ * each_) * 2 > each_ ? bytes / each_ + 1 : bytes / each_);
    auto const aim = begin(blocks.first) + bytes;
    auto const first = begins_.begin() + static_cast<std::ptrdiff_t>(value(blocks.first));
    auto const last = begins_.begin() + static_cast<std::ptrdiff_t>(value(blocks.last));
    auto const above = std::upper_bound(first, last, aim);  // the begin of a block, or the end of the last
    auto const below = std::lower_bound(first, above, *std::prev(above));
    auto const nearest = *above - aim < aim - *below ? above : below;
    return BlockId{static_cast<std::uint64_t>(nearest - begins_.begin())};
}

}  // namespace regraft
