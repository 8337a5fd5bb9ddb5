// How many bytes every block of a set has.
#pragma once

#include <cstdint>
#include <vector>

#include "regraft/core/ids.hpp"

namespace regraft {

/// The sizes of the blocks 0 .. num_blocks() - 1 and where they begin when they lie one behind the other. All blocks of
/// one size take no memory, blocks of different sizes 8 bytes each. Every question takes O(1) time but the last.
class BlockSizes {
public:
    BlockSizes() = default;
    /// Precondition: num_blocks * block_bytes < 2^64.
    BlockSizes(std::uint64_t num_blocks, std::uint64_t block_bytes);
    /// Block i begins at begins[i] and ends at begins[i + 1]. Precondition: begins at 0, ascending.
    explicit BlockSizes(std::vector<std::uint64_t> begins);

    std::uint64_t num_blocks() const { return count_; }
    /// Where block id begins; for id = num_blocks() the end of the last. Precondition here and below: within the
    /// blocks.
    std::uint64_t begin(BlockId id) const { return begins_.empty() ? value(id) * each_ : begins_[value(id)]; }
    std::uint64_t bytes(BlockId id) const { return begin(advance(id, 1)) - begin(id); }
    std::uint64_t bytes(BlockRange blocks) const { return begin(blocks.last) - begin(blocks.first); }
    std::uint64_t bytes() const { return begin(BlockId{count_}); }
    /// Whether all blocks have one size.
    bool equal() const { return begins_.empty(); }
    /// The block boundary within blocks nearest to `bytes` behind their begin; of several as near ones the lowest, but
    /// the end of all if bytes reaches that far. For equal sizes O(1), else O(log blocks).
    BlockId cut(BlockRange blocks, std::uint64_t bytes) const;
    friend bool operator==(BlockSizes const&, BlockSizes const&) = default;

private:
    std::uint64_t count_ = 0;
    std::uint64_t each_ = 0;
    std::vector<std::uint64_t> begins_;  // empty: all have each_
};

}  // namespace regraft
