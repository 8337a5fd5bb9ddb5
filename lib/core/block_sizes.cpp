#include "regraft/core/block_sizes.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "regraft/core/contracts.hpp"

namespace regraft {

BlockSizes::BlockSizes(std::uint64_t num_blocks, std::uint64_t block_bytes) : count_(num_blocks), each_(block_bytes) {
    REGRAFT_EXPECTS(num_blocks == 0 || block_bytes <= std::numeric_limits<std::uint64_t>::max() / num_blocks);
}

BlockSizes::BlockSizes(std::vector<std::uint64_t> const& begins) {
    REGRAFT_EXPECTS(!begins.empty() && begins.front() == 0);
    REGRAFT_ASSERT(std::is_sorted(begins.begin(), begins.end()));
    Builder builder;
    for (std::size_t i = 1; i < begins.size(); ++i) builder.add(begins[i] - begins[i - 1]);
    *this = std::move(builder).take();
}

std::uint64_t BlockSizes::memory() const {
    return groups_.capacity() * sizeof(Group) + beyond_.words().capacity() * sizeof(std::uint64_t);
}

/// The first boundary of blocks, their ends included, for whose place in bytes `above` is true; otherwise their end.
template <class Above>
BlockId BlockSizes::search(BlockRange blocks, Above above) const {
    auto first = value(blocks.first);
    for (auto left = blocks.size(); left > 0;) {
        auto const half = left / 2;
        if (above(begin(BlockId{first + half}))) {
            left = half;
        } else {
            first += half + 1;
            left -= half + 1;
        }
    }
    return BlockId{first};
}

BlockId BlockSizes::first_from(std::uint64_t bytes) const {
    if (bytes > this->bytes()) return BlockId{count_};
    if (!equal()) return search({BlockId{0}, BlockId{count_}}, [&](std::uint64_t begin) { return begin >= bytes; });
    return BlockId{each_ == 0 ? 0 : bytes / each_ + (bytes % each_ == 0 ? 0 : 1)};
}

BlockId BlockSizes::cut(BlockRange blocks, std::uint64_t bytes) const {
    if (bytes >= this->bytes(blocks)) return blocks.last;
    if (equal()) {
        auto const over = bytes % each_;
        return advance(blocks.first, bytes / each_ + (over > each_ - over ? 1 : 0));
    }
    auto const aim = begin(blocks.first) + bytes;
    auto const above = search(blocks, [&](std::uint64_t begin) { return begin > aim; });
    auto const highest = begin(BlockId{value(above) - 1});  // the highest boundary for which it is false
    if (begin(above) - aim < aim - highest) return above;
    return search({blocks.first, above}, [&](std::uint64_t begin) { return begin >= highest; });
}

void BlockSizes::Builder::add(std::uint64_t size) {
    open_.push_back(size);
    if (open_.size() == group_size) end_group();
}

void BlockSizes::Builder::end_group() {
    auto const least = *std::min_element(open_.begin(), open_.end());
    std::uint64_t all = 0;
    for (auto const size : open_) all += size;
    REGRAFT_EXPECTS(begin_ <= std::numeric_limits<std::uint64_t>::max() - all);
    sizes_.groups_.push_back({begin_, least, sizes_.beyond_.bits()});
    auto const width = static_cast<std::uint32_t>(std::bit_width(all - open_.size() * least));
    std::uint64_t beyond = 0;
    for (std::size_t i = 0; i + 1 < group_size; ++i) {
        if (i < open_.size()) beyond += open_[i] - least;
        sizes_.beyond_.append(beyond, width);
    }
    sizes_.count_ += open_.size();
    begin_ += all;
    open_.clear();
}

BlockSizes BlockSizes::Builder::take() && {
    if (!open_.empty()) end_group();
    sizes_.groups_.push_back({begin_, 0, sizes_.beyond_.bits()});
    sizes_.groups_.shrink_to_fit();
    sizes_.beyond_.shrink_to_fit();
    return std::move(sizes_);
}

}  // namespace regraft
