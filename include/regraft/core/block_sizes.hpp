// The sizes of the blocks of a set.
#pragma once

#include <cstdint>
#include <vector>

#include "regraft/core/ids.hpp"
#include "regraft/core/packed_numbers.hpp"

#pragma GCC visibility push(default)
namespace regraft {

/// The sizes in bytes of the blocks 0 .. num_blocks() - 1, and where each begins when they lie one behind the other. If
/// all blocks have one size, sizes take no memory. Otherwise each block takes 3 bits, and as many more as are needed
/// for the bytes that 64 blocks in a row have beyond 64 times the smallest of them: 2 bytes in all if sizes differ by
/// up to 128 bytes, 3 if by 32 KiB. Every question takes O(1) time except first_from and cut.
class BlockSizes {
public:
    class Builder;

    BlockSizes() = default;
    /// Precondition: num_blocks * block_bytes < 2^64.
    BlockSizes(std::uint64_t num_blocks, std::uint64_t block_bytes);
    /// Block i begins at begins[i] and ends at begins[i + 1]. Precondition: begins at 0, ascending.
    explicit BlockSizes(std::vector<std::uint64_t> const& begins);

    std::uint64_t num_blocks() const { return count_; }  // 0 of an empty set
    /// Where block id begins; for id = num_blocks(), the end of the last block. Precondition here and below: within the
    /// blocks.
    std::uint64_t begin(BlockId id) const {
        return groups_.empty() ? value(id) * each_ : begin_in_group(value(id) / group_size, value(id) % group_size);
    }
    /// The size of one block.
    std::uint64_t bytes(BlockId id) const { return begin(advance(id, 1)) - begin(id); }
    /// The size of all blocks in the range.
    std::uint64_t bytes(BlockRange blocks) const { return begin(blocks.last) - begin(blocks.first); }
    /// The size of all blocks.
    std::uint64_t bytes() const { return begin(BlockId{count_}); }
    /// Whether all blocks have one size.
    bool equal() const { return groups_.empty(); }
    /// Bytes of memory behind this object.
    std::uint64_t memory() const;
    /// The first block that begins at offset `bytes` or behind it; num_blocks() if none does. O(1) for equal sizes,
    /// else O(log blocks).
    BlockId first_from(std::uint64_t bytes) const;
    /// The block boundary within blocks that is nearest to `bytes` behind their begin. Ties go to the lowest boundary,
    /// but to the end of all if bytes reaches that far. O(1) for equal sizes, else O(log blocks).
    BlockId cut(BlockRange blocks, std::uint64_t bytes) const;
    friend bool operator==(BlockSizes const&, BlockSizes const&) = default;

private:
    static constexpr std::uint64_t group_size = 64;
    /// 64 blocks in a row. Block i begins at begin + i * least + the i-th of 63 packed numbers, which all have one
    /// width.
    struct Group {
        std::uint64_t begin = 0;
        std::uint64_t least = 0;
        std::uint64_t bit = 0;  // where the group's numbers begin
        friend bool operator==(Group const&, Group const&) = default;
    };
    std::uint64_t begin_in_group(std::uint64_t group, std::uint64_t i) const {
        auto const& [begin, least, bit] = groups_[group];
        if (i == 0) return begin;
        auto const width = static_cast<std::uint32_t>((groups_[group + 1].bit - bit) / (group_size - 1));
        return begin + i * least + PackedNumbers::read(beyond_.words(), bit + (i - 1) * width, width);
    }
    template <class Above>
    BlockId search(BlockRange blocks, Above above) const;

    std::uint64_t count_ = 0;
    std::uint64_t each_ = 0;
    std::vector<Group> groups_;  // followed by one behind the last; empty: all blocks have each_ bytes
    PackedNumbers beyond_;
};

/// Takes the sizes one after the other, so that the uncompressed sizes are never all in memory.
class BlockSizes::Builder {
public:
    /// Precondition: all sizes together are below 2^64.
    void add(std::uint64_t size);
    /// The sizes that were added. The builder is used up.
    BlockSizes take() &&;

private:
    void end_group();
    BlockSizes sizes_;
    std::vector<std::uint64_t> open_;  // sizes of the group that is not yet full
    std::uint64_t begin_ = 0;          // where that group begins
};

}  // namespace regraft
#pragma GCC visibility pop
