// Uneven placement: every slot has a part of the blocks, of any size; another placement chooses the partners.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/placement/placement.hpp"

#pragma GCC visibility push(default)
namespace regraft::placement {

/// Slot s keeps part s as copy 0, so that a slot that submits its part need not move it. The further copies are on the
/// slots, other than s, that hold block s of the placement `partners`, in its order. If slot s is itself a holder of
/// block s in `partners`, there are as many copies as `partners` has; if not, there is one more. Pairwise always makes
/// it a holder, and others without a seed mostly do.
///
/// The constructor asks `partners` once for every slot, and takes O(slots) memory. Questions take O(log slots) and one
/// question to partners; held also sorts.
class Uneven {
public:
    /// Part s has the next sizes[s] blocks. Precondition: partners has as many blocks and as many slots as there are
    /// sizes.
    Uneven(std::span<std::uint64_t const> sizes, Any partners);

    /// All parts together, on as many slots as there are parts; replicas of the partners.
    Shape shape() const { return {begins_.back(), num_slots(), partners_.shape().replicas}; }
    /// Precondition here and below: block < num_blocks, copy < num_copies(block), slot < num_slots.
    std::uint32_t num_copies(BlockId block) const;
    /// Slot s of the block's part for copy 0, then its partners.
    Slot holder(BlockId block, std::uint32_t copy) const;
    /// Replaces out by the holders of all copies.
    void holders(BlockId block, std::vector<Slot>& out) const;
    /// The slot's own part and those that it keeps as a partner: ascending, neighbours joined.
    std::vector<BlockRange> held(Slot slot) const;
    /// The part that contains the block.
    BlockRange run(BlockId block) const;
    /// The number of blocks in held(slot).
    std::uint64_t num_held(Slot slot) const;
    /// The largest number of copies of a part.
    std::uint32_t most_copies() const { return most_copies_; }
    /// The nodes of the slots, as the partners know them.
    std::vector<std::uint32_t> nodes() const { return partners_.nodes(); }

private:
    std::uint32_t num_slots() const { return static_cast<std::uint32_t>(begins_.size() - 1); }
    std::uint32_t part_of(BlockId block) const;
    void holders_of_part(std::uint32_t part, std::vector<Slot>& out) const;
    BlockRange part(std::uint32_t slot) const { return {BlockId{begins_[slot]}, BlockId{begins_[slot + 1]}}; }

    std::vector<std::uint64_t> begins_;  // begins of the parts, and the number of blocks
    Any partners_;
    std::uint32_t most_copies_ = 0;
};

}  // namespace regraft::placement
#pragma GCC visibility pop
