// Node-aware placement: the copies of a block are on different nodes, however many slots each node has. A program of
// which nothing is known about nodes becomes node-aware by over_nodes:
//   store.submit(placement::over_nodes(placement::ModK(n, p, 3), ft::node_ids(comm)), mine, bytes, block_bytes);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/placement/placement.hpp"
#include "regraft/placement/range_order.hpp"

#pragma GCC visibility push(default)
namespace regraft::placement {

/// A node is a unit that fails as a whole: a machine, a rack. Let m be the number of nodes, and c the number of slots
/// of one.
///
/// Spread: the r copies of a block are on min(r, m) different nodes. If there are fewer nodes than replicas, each node
/// has as even a number of a block's copies as its slots allow: for one l, a node of c slots has at least min(c, l) and
/// at most min(c, l + 1) of them (l = 0 if m > r: no node has two). So nothing is lost as long as fewer than min(r, m)
/// nodes are gone, whichever they are.
///
/// Balance: no rule with this spread has fewer ranges in its fullest slot. All slots hold the same number of ranges,
/// give or take one, except on nodes at a bound. A node with more than 1/r of all slots cannot take more than one copy
/// of everything, so its slots hold less than others (and if m < r, slots of small nodes may hold more). If all nodes
/// have the same size, all slots are within one range.
///
/// How: all copies of all R ranges form a line of length r * R; copy k of the range at position q is point k * R + q.
/// Nodes get consecutive parts of the line, and slots get consecutive parts of their node's part. The copies of a range
/// are R apart, so a part of at most R has no two of them: if m >= r no node's part is longer, and no slot's ever is. A
/// part of at least l * R and at most (l + 1) * R has l or l + 1 of them. The same rule never runs a job that may be
/// interrupted on two machines at once (McNaughton 1959). Nodes with neighbouring ids, such as those of one rack,
/// mostly have different ranges.
///
/// The blocks that a slot keeps do not depend on those that it submits. O(p) memory; holder and run take O(log m) time.
class NodeAware {
public:
    /// node_of: the id of each slot's node, any numbers. Precondition: 1 <= replicas <= slots; replicas * ranges <
    /// 2^63. O(p log p).
    NodeAware(std::uint64_t num_blocks, std::span<std::uint32_t const> node_of, std::uint32_t replicas,
              RangeOptions const& options = {});

    /// Blocks, slots and replicas.
    Shape shape() const { return shape_; }
    /// The number of nodes, m.
    std::uint32_t num_nodes() const { return static_cast<std::uint32_t>(line_.size() - 1); }
    /// The number of ranges of blocks, R.
    std::uint64_t num_ranges() const { return order_.size(); }
    /// Precondition here and below: block < num_blocks, copy < replicas, slot < num_slots.
    std::uint32_t num_copies(BlockId block) const;
    /// Slots on different nodes, as far as there are enough.
    Slot holder(BlockId block, std::uint32_t copy) const;
    /// Replaces out by the holders of all copies. O(replicas log m).
    void holders(BlockId block, std::vector<Slot>& out) const;
    /// O(n log n) for n ranges held; without a seed O(log m).
    std::vector<BlockRange> held(Slot slot) const;
    /// The range that contains the block; without a seed, its neighbours with the same holders, too.
    BlockRange run(BlockId block) const;
    /// O(log m).
    std::uint64_t num_held(Slot slot) const;
    /// The number of replicas.
    std::uint32_t most_copies() const { return shape_.replicas; }
    /// The number of each slot's node, from 0 to num_nodes() - 1.
    std::vector<std::uint32_t> nodes() const;

private:
    struct SlotPoints;
    SlotPoints part_at(std::uint64_t point) const;
    SlotPoints part_of_place(std::uint32_t place) const;
    SlotPoints part(std::size_t node, std::uint64_t index) const;
    std::vector<PositionRange> positions(Slot slot) const;

    Shape shape_;
    RangeOrder order_;
    std::vector<std::uint32_t> slots_;    // the slots, node by node
    std::vector<std::uint32_t> place_;    // the position of each slot in slots_
    std::vector<std::uint32_t> members_;  // node i has slots_[members_[i]] up to slots_[members_[i + 1]]
    std::vector<std::uint64_t> line_;     // node i has the points line_[i] up to line_[i + 1]
};

/// The rule where it keeps the copies of a block on different nodes anyway, because every slot is on a node of its own,
/// and where nothing can, because all slots are on one node. Otherwise NodeAware of the same shape. In either case the
/// result knows the nodes. node_of: the id of each slot's node, any numbers (ft::node_ids). O(p log p).
Any over_nodes(Any rule, std::span<std::uint32_t const> node_of, RangeOptions const& options = {});

}  // namespace regraft::placement
#pragma GCC visibility pop
