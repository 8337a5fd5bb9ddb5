// The blocks that a PE keeps: where they lie, and their checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/ids.hpp"
#include "store/blocks/memory.hpp"

namespace regraft::store {

/// What blocks are to be.
struct NewBytes {
    BlockRange blocks;
    std::span<std::byte const> bytes;
};

/// Blocks in pieces of memory; the blocks of a piece lie one behind the other. Each call gets the same sizes.
class HeldBlocks {
public:
    /// Adds blocks that lie at data, in memory that will be given to own(). If a piece ends there, both become one.
    /// Precondition: none of the blocks is here yet.
    void add(BlockRange blocks, std::byte* data, BlockSizes const& sizes);
    /// Adds blocks that lie in the user's memory, which is only read.
    void refer_to(BlockRange blocks, std::byte const* data);
    /// Keeps memory as long as this object lives.
    void own(Memory memory) { memories_.push_back(std::move(memory)); }
    /// The largest piece of memory that this object owned, when nothing in it is needed any more.
    Memory largest_memory() &&;
    /// The memory that it owns.
    std::span<Memory> memories() { return memories_; }
    /// Takes everything that the other object has. Precondition: none of its blocks is here yet.
    void take(HeldBlocks other);
    /// Copies what lies in the user's memory into memory of its own.
    void copy_references(BlockSizes const& sizes);
    /// A copy of everything, one behind the other from the begin of the memory on.
    HeldBlocks copied(Memory memory, BlockSizes const& sizes) const;
    /// Writes over blocks that are here, in memory of its own, and renews the checksums that change. Where a part was
    /// damaged and stays in parts, its checksum stays wrong. given: ascending, disjoint. O(bytes), with checksums
    /// O(bytes of the parts in which something is written).
    void write(std::span<NewBytes const> given, BlockSizes const& sizes);
    /// Forgets blocks, as far as they are here, and gives their pages back to the system.
    void remove(BlockRange blocks, BlockSizes const& sizes);

    /// The bytes of blocks, if they lie in one piece; otherwise nothing.
    std::span<std::byte const> find(BlockRange blocks, BlockSizes const& sizes) const;
    /// The same. Precondition: they lie in one piece.
    std::span<std::byte const> at(BlockRange blocks, BlockSizes const& sizes) const;
    /// The same, writable; nothing if they are in the user's memory.
    std::span<std::byte> find_own(BlockRange blocks, BlockSizes const& sizes);
    /// All blocks, in the pieces in which they lie, ascending.
    std::vector<BlockRange> pieces() const;
    /// Whether everything lies one behind the other, in the order of the blocks. O(pieces).
    bool in_order(BlockSizes const& sizes) const;
    /// Bytes without those in the user's memory.
    std::uint64_t own_bytes() const { return own_bytes_; }

    /// Sets the checksums of the parts (visit_parts) of blocks.
    void set_checksums(BlockRange blocks, std::span<std::uint64_t const> sums, BlockSizes const& sizes);
    /// Sets the checksum of blocks that lie in one piece.
    void set_checksum(BlockRange blocks, std::uint64_t sum) { checksums_[blocks.first] = {blocks.last, sum}; }
    /// Calls visit(blocks, sum) for all checksums, ascending.
    template <class Visit>
    void visit_checksums(Visit visit) const {
        for (auto const& [first, checksum] : checksums_) visit(BlockRange{first, checksum.last}, checksum.sum);
    }
    /// Computes the checksums of blocks that have just been written again; the old ones are forgotten.
    void renew_checksums(BlockRange blocks, BlockSizes const& sizes);
    /// Appends to bad the pieces that overlap blocks and whose checksum is wrong. O(bytes of them).
    void verify(BlockRange blocks, BlockSizes const& sizes, std::vector<BlockRange>& bad) const;

private:
    friend class HeldSums;
    struct Location {
        BlockId last{};
        std::byte const* data = nullptr;
        std::byte* own = nullptr;  // the same as above, unless it is in the user's memory
    };
    struct Checksum {
        BlockId last{};
        std::uint64_t sum = 0;
    };
    void write(NewBytes const& given, BlockSizes const& sizes);
    void remove_checksums(BlockRange blocks, BlockSizes const& sizes);

    std::map<BlockId, Location> pieces_;  // by first block; disjoint
    std::map<BlockId, Checksum> checksums_;
    std::vector<Memory> memories_;
    std::uint64_t own_bytes_ = 0;
};

/// The checksums of held blocks when they are sent. Those of whole parts are known and need no look at the bytes. Those
/// of other parts are computed, after the known checksums of the parts that they belong to have been verified, each
/// once.
class HeldSums {
public:
    HeldSums(HeldBlocks const& held, BlockSizes const& sizes) : held_(held), sizes_(sizes) {}
    /// The checksums of the parts of blocks; those of damaged parts are made wrong on purpose.
    std::vector<std::uint64_t> operator()(BlockRange blocks);

private:
    std::uint64_t sum_of(BlockRange part);
    HeldBlocks const& held_;
    BlockSizes const& sizes_;
    std::map<BlockId, bool> right_;  // whether a part is intact, for those that were looked at
};

}  // namespace regraft::store
