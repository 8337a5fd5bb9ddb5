// Permuted placement: ranges of blocks are put in random order and dealt to a ring of slots (ReStore: Huebner et al.
// 2022, section IV).
#pragma once

#include <cstdint>
#include <vector>

#include "regraft/placement/placement.hpp"
#include "regraft/placement/range_order.hpp"

#pragma GCC visibility push(default)
namespace regraft::placement {

/// The ranges, in their order, are dealt to the slots in parts that differ by at most one range. Copy k of a range that
/// belongs to slot h is on slot (h + floor(k * p / r)) mod p. So the copies are about p / r slots apart.
///
/// With a seed (the default) the blocks that a PE submitted and works on are spread over many slots. So when it dies,
/// many survivors send to the PEs that take over its work. But only its partners on the ring have copies of what it
/// kept. Without a seed every slot keeps what it submitted as copy 0 (if it submits its even_part of the ranges), which
/// need not travel. If r divides p, the slots fall into p / r groups of equal contents, and data is lost only if all
/// slots of a group die; otherwise such groups overlap.
///
/// ReStore cuts parts at ceil(h * n / p); here it is floor as everywhere (even_part). Both are the same if p divides n.
///
/// holder and run take O(1) time; the placement takes O(1) memory.
class Permuted {
public:
    /// Precondition: 1 <= replicas <= num_slots; at most 2^63 ranges if there is a seed.
    Permuted(std::uint64_t num_blocks, std::uint32_t num_slots, std::uint32_t replicas,
             RangeOptions const& options = {});

    /// The shape that was given to the constructor.
    Shape shape() const { return shape_; }
    /// The number of ranges of blocks.
    std::uint64_t num_ranges() const { return order_.size(); }
    /// Precondition here and below: block < num_blocks, copy < replicas, slot < num_slots.
    std::uint32_t num_copies(BlockId block) const;
    /// Slot (h + floor(copy * p / r)) mod p, where h is the slot of copy 0.
    Slot holder(BlockId block, std::uint32_t copy) const;
    /// Replaces out by the holders of all copies. O(replicas).
    void holders(BlockId block, std::vector<Slot>& out) const;
    /// O(n log n) for n ranges held; without a seed n = replicas.
    std::vector<BlockRange> held(Slot slot) const;
    /// The range that contains the block; without a seed, all ranges that belong to its slot.
    BlockRange run(BlockId block) const;
    /// O(replicas).
    std::uint64_t num_held(Slot slot) const;
    /// The number of replicas.
    std::uint32_t most_copies() const { return shape_.replicas; }

private:
    std::uint64_t home_of(BlockId block) const;
    PositionRange part(std::uint64_t home) const;

    Shape shape_;
    RangeOrder order_;
};

}  // namespace regraft::placement
#pragma GCC visibility pop
