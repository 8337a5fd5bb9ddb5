#include "regraft/placement/permuted.hpp"

#include "placement/ring.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::placement {

Permuted::Permuted(std::uint64_t num_blocks, std::uint32_t num_slots, std::uint32_t replicas,
                   RangeOptions const& options)
    : shape_(checked({num_blocks, num_slots, replicas})), order_(shape_, options) {}

std::uint32_t Permuted::num_copies(BlockId block) const {
    REGRAFT_EXPECTS(value(block) < shape_.num_blocks);
    return shape_.replicas;
}

Slot Permuted::holder(BlockId block, std::uint32_t copy) const {
    return partner(shape_, home_of(block), copy);
}

void Permuted::holders(BlockId block, std::vector<Slot>& out) const {
    auto const home = home_of(block);
    out.clear();
    for (std::uint32_t copy = 0; copy < shape_.replicas; ++copy) out.push_back(partner(shape_, home, copy));
}

std::vector<BlockRange> Permuted::held(Slot slot) const {
    REGRAFT_EXPECTS(value(slot) < shape_.num_slots);
    std::vector<PositionRange> parts;
    for (std::uint32_t copy = 0; copy < shape_.replicas; ++copy) parts.push_back(part(home(shape_, slot, copy)));
    return order_.blocks(parts);
}

BlockRange Permuted::run(BlockId block) const {
    return order_.is_random() ? order_.range(block) : order_.consecutive(part(home_of(block)));
}

std::uint64_t Permuted::num_held(Slot slot) const {
    std::uint64_t sum = 0;
    for (std::uint32_t copy = 0; copy < shape_.replicas; ++copy)
        sum += order_.num_blocks(part(home(shape_, slot, copy)));
    return sum;
}

std::uint64_t Permuted::home_of(BlockId block) const {
    return part_of(order_.size(), value(order_.position(block)), shape_.num_slots);
}

PositionRange Permuted::part(std::uint64_t home) const {
    return even_part<Position>(order_.size(), home, shape_.num_slots);
}

}  // namespace regraft::placement
