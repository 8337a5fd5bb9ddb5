// Mod-k placement: slots with the same number modulo k keep the same blocks (Huebner 2020, section 7.3).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "regraft/placement/permutation.hpp"
#include "regraft/placement/placement.hpp"

#pragma GCC visibility push(default)
namespace regraft::placement {

/// How slots are numbered before they are grouped.
struct ModKOptions {
    /// The seed of a random order of the slots; positions in that order replace slot numbers when groups are formed.
    /// None: slots keep their numbers.
    std::optional<std::uint64_t> seed{};
};

/// Divides slots into k = floor(num_slots / replicas) groups. Group g is the slots g, g + k, g + 2k, ... below
/// num_slots: at least `replicas` of them. The blocks are dealt to the groups in order, in contiguous parts whose sizes
/// differ by at most one.
///
/// Huebner 2020, Algorithm 12, uses an offset as if it were a rank, does not wrap around, and sends a dead PE's part
/// from its successor, which therefore has to do twice the work. Here a placement only says which slots hold what;
/// matching::min_b_matching chooses the senders among all living holders, so no survivor stands in for a dead one
/// alone.
///
/// Without a seed, k consecutive slots are in k different groups, so every group outlives the death of any (replicas -
/// 1) * k consecutive slots. That is good where neighbours fail together. It is bad where slots that lie k apart fail
/// together, as on a node whose ranks were dealt round robin. With a seed the slots of a group are random ones,
/// whatever their numbers mean: no pattern of failures is worse than another, and none is excluded either. Slots are
/// permuted and not blocks, because the order of the blocks does not change which deaths are fatal. If the nodes are
/// known, NodeAware gives a guarantee.
///
/// Every question takes O(1) time (expected, with a seed) and memory.
class ModK {
public:
    /// Precondition: 1 <= replicas <= num_slots. There may be more groups than blocks: some groups then keep nothing.
    ModK(std::uint64_t num_blocks, std::uint32_t num_slots, std::uint32_t replicas, ModKOptions const& options = {});

    /// The shape that was given to the constructor.
    Shape shape() const { return shape_; }
    /// k, the number of groups of slots.
    std::uint32_t num_groups() const { return shape_.num_slots / shape_.replicas; }
    /// Precondition here and below: block < num_blocks, copy < num_copies(block), slot < num_slots.
    std::uint32_t num_copies(BlockId block) const;
    /// Slot number `copy` of the block's group.
    Slot holder(BlockId block, std::uint32_t copy) const;
    /// The part of the slot's group: one range, or none if there are more groups than blocks.
    std::vector<BlockRange> held(Slot slot) const;
    /// The part of the block's group.
    BlockRange run(BlockId block) const;
    /// The number of blocks of the slot's group.
    std::uint64_t num_held(Slot slot) const;
    /// The number of slots of the largest group.
    std::uint32_t most_copies() const { return (shape_.num_slots - 1) / num_groups() + 1; }

private:
    std::uint32_t group_of(BlockId block) const;
    BlockRange part_of(Slot slot) const;
    BlockRange part(std::uint32_t group) const;
    Shape shape_;
    std::optional<RandomPermutation> order_;  // a permutation of the slots: order_->inverse(slot) is the place that
                                              // counts modulo k
};

}  // namespace regraft::placement
#pragma GCC visibility pop
