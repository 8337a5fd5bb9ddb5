// Runs of blocks with the holders of each: what a directory knows beside its placement.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "regraft/core/ids.hpp"

#pragma GCC visibility push(default)
namespace regraft::placement {

/// A table of disjoint runs. Runs that touch each other have different holders. A change takes O(log runs) once, and
/// O(holders) per run.
class HolderTable {
public:
    /// A run, but for its first block.
    struct Entry {
        BlockId last{};             // behind it
        std::vector<PeId> holders;  // ascending
    };
    /// Entries by first block.
    using Entries = std::map<BlockId, Entry>;

    /// All of them.
    Entries const& entries() const { return entries_; }
    /// The first entry that ends behind the block.
    Entries::const_iterator first_after(BlockId block) const;
    /// The parts of the ranges that are in no entry.
    std::vector<BlockRange> gaps(std::span<BlockRange const> ranges) const;
    /// By number of holders: so many blocks of the table have it.
    std::span<std::uint64_t const> blocks_by_copies() const { return blocks_by_copies_; }

    /// Puts entries in the place of all that is in the table of these blocks. Precondition: they lie within them.
    void replace(BlockRange blocks, std::vector<std::pair<BlockId, Entry>> entries);
    /// Calls change(blocks, holders) for each entry that overlaps these blocks. It may change the holders; the entry
    /// stays if it returns true.
    void revise(BlockRange blocks, std::function<bool(BlockRange blocks, std::vector<PeId>& holders)> const& change);

private:
    void count(Entries::value_type const& entry, std::int64_t sign);
    void cut_at(BlockId block);
    void join_at(BlockId block);

    Entries entries_;
    std::vector<std::uint64_t> blocks_by_copies_;
};

}  // namespace regraft::placement
#pragma GCC visibility pop
