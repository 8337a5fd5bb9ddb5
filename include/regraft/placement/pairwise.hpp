// Pairwise placement: every slot keeps its own part and that of its partner half the machine away (Kohl et al. 2019).
#pragma once

#include <cstdint>
#include <vector>

#include "regraft/placement/placement.hpp"

#pragma GCC visibility push(default)
namespace regraft::placement {

/// Slot h owns the h-th of p even parts of the blocks. Copy k of it is on slot (h + floor(k * p / r)) mod p. With two
/// replicas, one is at home and one half the machine away. So all copies but the submitter's own travel once, in one
/// message to each partner, and neighbours never hold the same. The price: when a slot dies, only its r - 1 partners
/// have its blocks, so they alone send. Permuted has more senders, but more and smaller messages.
///
/// Every question takes O(1) time and memory; held takes O(replicas log replicas).
class Pairwise {
public:
    /// Precondition: 1 <= replicas <= num_slots.
    Pairwise(std::uint64_t num_blocks, std::uint32_t num_slots, std::uint32_t replicas = 2);

    Shape shape() const { return shape_; }
    /// Precondition here and below: block < num_blocks, copy < replicas, slot < num_slots.
    std::uint32_t num_copies(BlockId block) const;
    Slot holder(BlockId block, std::uint32_t copy) const;
    void holders(BlockId block, std::vector<Slot>& out) const;
    std::vector<BlockRange> held(Slot slot) const;
    /// The part that contains the block.
    BlockRange run(BlockId block) const;
    std::uint64_t num_held(Slot slot) const;
    std::uint32_t most_copies() const { return shape_.replicas; }

private:
    std::uint64_t owner(BlockId block) const;
    Shape shape_;
};

}  // namespace regraft::placement
#pragma GCC visibility pop
