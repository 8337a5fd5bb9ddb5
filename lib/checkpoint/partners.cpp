#include "regraft/checkpoint/partners.hpp"

#include <algorithm>
#include <utility>

#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/erasure/layout.hpp"
#include "regraft/placement/pairwise.hpp"

namespace regraft::checkpoint {
namespace {

/// A placement with block s on slot s and on the slots that follow it on a ring of all slots.
class Ring {
public:
    /// nodes: of the slots 0, 1, ...
    Ring(std::vector<std::uint32_t> slots, std::vector<std::uint32_t> nodes, std::uint32_t copies)
        : slots_(std::move(slots)), nodes_(std::move(nodes)), position_(slots_.size()), copies_(copies) {
        for (std::uint32_t i = 0; i < slots_.size(); ++i) position_[slots_[i]] = i;
    }

    placement::Shape shape() const { return {slots_.size(), static_cast<std::uint32_t>(slots_.size()), copies_}; }
    std::uint32_t num_copies(BlockId) const { return copies_; }
    placement::Slot holder(BlockId block, std::uint32_t copy) const {
        return placement::Slot{slots_[(position_[value(block)] + copy) % slots_.size()]};
    }
    std::vector<BlockRange> held(placement::Slot slot) const {
        std::vector<BlockRange> blocks;
        for (std::uint32_t copy = 0; copy < copies_; ++copy) {
            BlockId const block{slots_[(position_[value(slot)] + slots_.size() - copy) % slots_.size()]};
            blocks.push_back({block, advance(block, 1)});
        }
        std::sort(blocks.begin(), blocks.end());
        return blocks;
    }
    BlockRange run(BlockId block) const { return {block, advance(block, 1)}; }
    std::uint32_t most_copies() const { return copies_; }
    std::vector<std::uint32_t> nodes() const { return nodes_; }

private:
    std::vector<std::uint32_t> slots_;
    std::vector<std::uint32_t> nodes_;
    std::vector<std::uint32_t> position_;  // position of each slot on the ring
    std::uint32_t copies_;
};

}  // namespace

Partners pairwise(std::uint32_t copies) {
    REGRAFT_EXPECTS(copies >= 1);
    return [copies](std::span<PeId const> members) -> placement::Any {
        auto const slots = checked_cast<std::uint32_t>(members.size());
        return placement::Pairwise(slots, slots, std::min(copies, slots));
    };
}

Partners on_other_nodes(std::vector<std::uint32_t> node_of, std::uint32_t copies) {
    REGRAFT_EXPECTS(copies >= 1);
    return [node_of = std::move(node_of), copies](std::span<PeId const> members) -> placement::Any {
        std::vector<std::uint32_t> nodes;
        for (auto const pe : members) {
            REGRAFT_EXPECTS(value(pe) < node_of.size() && "a node for every founder");
            nodes.push_back(node_of[value(pe)]);
        }
        auto order = erasure::ring_order(nodes);
        return Ring(std::move(order), std::move(nodes), std::min(copies, checked_cast<std::uint32_t>(members.size())));
    };
}

}  // namespace regraft::checkpoint
