// The blocks that a PE keeps: where they lie, and what their bytes must add up to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/ids.hpp"
#include "store/memory.hpp"

namespace regraft::store {

/// Pieces of blocks that lie one behind the other. The sizes given to each call are always the same ones.
class HeldBlocks {
public:
    /// blocks lie at data, in memory that will be given to own(); with the piece that ends there they become one.
    /// Precondition: none is there yet.
    void add(BlockRange blocks, std::byte* data, BlockSizes const& sizes);
    /// blocks lie in the user's memory, which is only read.
    void refer_to(BlockRange blocks, std::byte const* data);
    /// Keeps memory as long as this lives.
    void own(Memory memory) { memories_.push_back(std::move(memory)); }
    /// The largest piece of memory that it owned, when nothing in it is needed any more.
    Memory largest_memory() &&;
    /// All that the other one has. Precondition: none of its blocks is here yet.
    void take(HeldBlocks other);
    /// Forgets blocks, as far as they are here, and gives their pages back.
    void remove(BlockRange blocks, BlockSizes const& sizes);

    /// The bytes of blocks that lie in one piece; nothing if they do not.
    std::span<std::byte const> find(BlockRange blocks, BlockSizes const& sizes) const;
    /// The same. Precondition: they do.
    std::span<std::byte const> at(BlockRange blocks, BlockSizes const& sizes) const;
    /// The same to be written to; nothing if they are the user's.
    std::span<std::byte> find_own(BlockRange blocks, BlockSizes const& sizes);
    /// All of them, in the pieces in which they lie, ascending.
    std::vector<BlockRange> pieces() const;
    /// Without the user's.
    std::uint64_t own_bytes() const { return own_bytes_; }

    /// Sets what the parts (visit_parts) of blocks must add up to.
    void set_checksums(BlockRange blocks, std::span<std::uint64_t const> sums, BlockSizes const& sizes);
    /// The same for blocks that have just been written again; what they had to add up to is forgotten.
    void renew_checksums(BlockRange blocks, BlockSizes const& sizes);
    /// Appends the pieces with a checksum that overlap blocks and are not what they must be. O(bytes of them).
    void verify(BlockRange blocks, BlockSizes const& sizes, std::vector<BlockRange>& bad) const;

private:
    friend class HeldSums;
    struct Piece {
        BlockId last{};
        std::byte const* data = nullptr;
        std::byte* own = nullptr;  // the same, unless it is the user's
    };
    struct Checksum {
        BlockId last{};
        std::uint64_t sum = 0;
    };
    void remove_checksums(BlockRange blocks, BlockSizes const& sizes);

    std::map<BlockId, Piece> pieces_;  // by first block; disjoint
    std::map<BlockId, Checksum> checksums_;
    std::vector<Memory> memories_;
    std::uint64_t own_bytes_ = 0;
};

/// What held blocks must add up to when they are sent: for whole parts what is known of them, which takes no look at
/// the bytes; for others their own sum, if all is right that the known ones are of. Looks at each of those once.
class HeldSums {
public:
    HeldSums(HeldBlocks const& held, BlockSizes const& sizes) : held_(held), sizes_(sizes) {}
    /// The checksums of the parts of blocks; of damaged ones wrong ones.
    std::vector<std::uint64_t> operator()(BlockRange blocks);

private:
    std::uint64_t sum_of(BlockRange part);
    HeldBlocks const& held_;
    BlockSizes const& sizes_;
    std::map<BlockId, bool> right_;  // what was looked at
};

}  // namespace regraft::store
