// Where each block is in memory if the blocks of some ranges are stored one behind the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/ids.hpp"

namespace regraft::phylo {

/// The position of each block of some ranges.
class BlockLayout {
public:
    BlockLayout() = default;
    /// ranges: in the order in which their blocks are stored. Precondition: they are disjoint. O(ranges log ranges).
    explicit BlockLayout(std::span<BlockRange const> ranges) {
        for (auto const& range : ranges) {
            if (!range.empty()) pieces_.push_back({range, size_});
            size_ += range.size();
        }
        std::sort(pieces_.begin(), pieces_.end(),
                  [](StoredRange const& a, StoredRange const& b) { return a.range < b.range; });
        for (std::size_t i = 1; i < pieces_.size(); ++i) {
            REGRAFT_EXPECTS(pieces_[i - 1].range.last <= pieces_[i].range.first);
        }
    }

    /// The number of blocks.
    std::uint64_t size() const { return size_; }
    /// The index of the block among the stored ones. Precondition: it is one of them. O(log ranges).
    std::uint64_t place(BlockId id) const {
        auto const after =
            std::upper_bound(pieces_.begin(), pieces_.end(), id,
                             [](BlockId block, StoredRange const& piece) { return block < piece.range.first; });
        REGRAFT_EXPECTS(after != pieces_.begin() && std::prev(after)->range.contains(id));
        auto const& piece = *std::prev(after);
        return piece.before + value(id) - value(piece.range.first);
    }

private:
    struct StoredRange {
        BlockRange range;
        std::uint64_t before;  // number of blocks stored before it
    };
    std::vector<StoredRange> pieces_;
    std::uint64_t size_ = 0;
};

}  // namespace regraft::phylo
