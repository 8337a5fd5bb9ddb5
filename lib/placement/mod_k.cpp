#include "regraft/placement/mod_k.hpp"

#include "placement/ring.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::placement {

ModK::ModK(std::uint64_t num_blocks, std::uint32_t num_slots, std::uint32_t replicas, ModKOptions const& options)
    : shape_(checked({num_blocks, num_slots, replicas})) {
    if (options.seed) order_.emplace(num_slots, *options.seed);
}

std::uint32_t ModK::group_of(BlockId block) const {
    return static_cast<std::uint32_t>(placement::part_of(shape_.num_blocks, value(block), num_groups()));
}

BlockRange ModK::part(std::uint32_t group) const {
    return even_part<BlockId>(shape_.num_blocks, group, num_groups());
}

std::uint32_t ModK::num_copies(BlockId block) const {
    return (shape_.num_slots - 1 - group_of(block)) / num_groups() + 1;
}

Slot ModK::holder(BlockId block, std::uint32_t copy) const {
    REGRAFT_EXPECTS(copy < num_copies(block));
    auto const place = group_of(block) + copy * num_groups();
    return Slot{order_ ? static_cast<std::uint32_t>((*order_)(place)) : place};
}

std::vector<BlockRange> ModK::held(Slot slot) const {
    auto const blocks = part_of(slot);
    if (blocks.empty()) return {};
    return {blocks};
}

std::uint64_t ModK::num_held(Slot slot) const {
    return part_of(slot).size();
}

BlockRange ModK::part_of(Slot slot) const {
    REGRAFT_EXPECTS(value(slot) < shape_.num_slots);
    auto const place = order_ ? order_->inverse(value(slot)) : value(slot);
    return part(static_cast<std::uint32_t>(place % num_groups()));
}

BlockRange ModK::run(BlockId block) const {
    return part(group_of(block));
}

}  // namespace regraft::placement
