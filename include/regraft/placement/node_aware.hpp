// Node-aware placement: the copies of a block on different nodes, however many slots each node has.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/placement/placement.hpp"
#include "regraft/placement/range_order.hpp"

namespace regraft::placement {

/// A node is what fails as a whole: a machine, a rack. Let m be their number, c the slots of one.
///
/// Spread: the copies of a block are on min(r, m) different nodes. If there are fewer nodes than replicas, each has as
/// even a number of its copies as its slots allow: node of c slots at least min(c, l), at most min(c, l + 1), for one l
/// (l = 0 if m > r: none twice). So nothing is lost as long as fewer than min(r, m) nodes are gone, whichever they are.
///
/// Balance: no rule that spreads like this has fewer ranges in its fullest slot. All slots hold the same number of
/// ranges, give or take one, but those of nodes at a bound: a node with more than 1/r of all slots cannot take more
/// than one copy of everything, so its slots hold less than others (and if m < r, slots of small nodes may hold more).
/// All nodes of equal size: all slots within one range.
///
/// How: all copies of all R ranges are a line of length r * R, copy k of the range at position q being point k * R + q.
/// Nodes get consecutive parts of the line, slots consecutive parts of their node's. The copies of a range are R apart,
/// so a part of at most R has no two of them: if m >= r no node's part is longer, and no slot's ever is; a part of at
/// least l * R and at most (l + 1) * R has l or l + 1 of them. It is the rule by which a job that may be interrupted is
/// never run on two machines at once (McNaughton 1959). Nodes with neighbouring ids, as those of one rack, mostly have
/// different ranges.
///
/// Which blocks a slot keeps has nothing to do with those that it submits. O(p) memory; holder and run take O(log m)
/// time.
class NodeAware {
public:
    /// node_of: per slot the id of its node, any numbers. Precondition: 1 <= replicas <= slots; replicas * ranges <
    /// 2^63. O(p log p).
    NodeAware(std::uint64_t num_blocks, std::span<std::uint32_t const> node_of, std::uint32_t replicas,
              RangeOptions const& options = {});

    Shape shape() const { return shape_; }
    std::uint32_t num_nodes() const { return static_cast<std::uint32_t>(line_.size() - 1); }
    std::uint64_t num_ranges() const { return order_.size(); }
    /// Precondition here and below: block < num_blocks, copy < replicas, slot < num_slots.
    std::uint32_t num_copies(BlockId block) const;
    Slot holder(BlockId block, std::uint32_t copy) const;
    void holders(BlockId block, std::vector<Slot>& out) const;
    /// O(n log n) for n ranges held; without a seed O(log m).
    std::vector<BlockRange> held(Slot slot) const;
    BlockRange run(BlockId block) const;
    /// O(log m).
    std::uint64_t num_held(Slot slot) const;
    std::uint32_t most_copies() const { return shape_.replicas; }

private:
    struct Part;
    Part part_at(std::uint64_t point) const;
    Part part_of_place(std::uint32_t place) const;
    Part part(std::size_t node, std::uint64_t index) const;
    std::vector<PositionRange> positions(Slot slot) const;

    Shape shape_;
    RangeOrder order_;
    std::vector<std::uint32_t> slots_;    // node by node
    std::vector<std::uint32_t> place_;    // of each slot in slots_
    std::vector<std::uint32_t> members_;  // node i has slots_[members_[i]] up to slots_[members_[i + 1]]
    std::vector<std::uint64_t> line_;     // node i has the points line_[i] up to line_[i + 1]
};

}  // namespace regraft::placement
