// How many bytes every block of a set has.
#pragma once

#include <cstdint>
#include <vector>

#include "regraft/core/ids.hpp"
#include "regraft/core/packed_numbers.hpp"

namespace regraft {

/// The sizes of the blocks 0 .. num_blocks() - 1 and where they begin when they lie one behind the other. All blocks of
/// one size take no memory. Blocks of different sizes take 3 bits each and as many as are needed for what 64 of them in
/// a row have beyond 64 times the smallest of them: 2 bytes in all if sizes differ by up to 128 bytes, 3 if by 32 KiB.
/// Every question takes O(1) time but the last two.
class BlockSizes {
public:
    class Builder;

    BlockSizes() = default;
    /// Precondition: num_blocks * block_bytes < 2^64.
    BlockSizes(std::uint64_t num_blocks, std::uint64_t block_bytes);
    /// Block i begins at begins[i] and ends at begins[i + 1]. Precondition: begins at 0, ascending.
    explicit BlockSizes(std::vector<std::uint64_t> const& begins);

    std::uint64_t num_blocks() const { return count_; }
    /// Where block id begins; for id = num_blocks() the end of the last. Precondition here and below: within the
    /// blocks.
    std::uint64_t begin(BlockId id) const {
        return groups_.empty() ? value(id) * each_ : begin_in_group(value(id) / group_size, value(id) % group_size);
    }
    std::uint64_t bytes(BlockId id) const { return begin(advance(id, 1)) - begin(id); }
    std::uint64_t bytes(BlockRange blocks) const { return begin(blocks.last) - begin(blocks.first); }
    std::uint64_t bytes() const { return begin(BlockId{count_}); }
    /// Whether all blocks have one size.
    bool equal() const { return groups_.empty(); }
    /// Bytes of memory behind this object.
    std::uint64_t memory() const;
    /// The first block that begins at `bytes` or behind; num_blocks() if none does. For equal sizes O(1), else O(log
    /// blocks).
    BlockId first_from(std::uint64_t bytes) const;
    /// The block boundary within blocks nearest to `bytes` behind their begin; of several as near ones the lowest, but
    /// the end of all if bytes reaches that far. For equal sizes O(1), else O(log blocks).
    BlockId cut(BlockRange blocks, std::uint64_t bytes) const;
    friend bool operator==(BlockSizes const&, BlockSizes const&) = default;

private:
    static constexpr std::uint64_t group_size = 64;
    /// Blocks in a row. Block i of it begins i * least behind the begin of the first, and what the i-th of 63 numbers
    /// says; they all have one width.
    struct Group {
        std::uint64_t begin = 0;
        std::uint64_t least = 0;
        std::uint64_t bit = 0;  // where its numbers begin
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
    std::vector<Group> groups_;  // and one behind the last; empty: all blocks have each_
    PackedNumbers beyond_;
};

/// Takes the sizes one after the other, so that they never are in memory as they are.
class BlockSizes::Builder {
public:
    /// Precondition: all together < 2^64.
    void add(std::uint64_t size);
    BlockSizes take() &&;

private:
    void end_group();
    BlockSizes sizes_;
    std::vector<std::uint64_t> open_;  // sizes of the group that is not full
    std::uint64_t begin_ = 0;          // of it
};

}  // namespace regraft
