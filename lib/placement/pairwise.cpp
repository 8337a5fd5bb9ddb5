#include "regraft/placement/pairwise.hpp"

#include <algorithm>

#include "placement/ring.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::placement {

Pairwise::Pairwise(std::uint64_t num_blocks, std::uint32_t num_slots, std::uint32_t replicas)
    : shape_(checked({num_blocks, num_slots, replicas})) {}

std::uint32_t Pairwise::num_copies(BlockId block) const {
    REGRAFT_EXPECTS(value(block) < shape_.num_blocks);
    return shape_.replicas;
}

Slot Pairwise::holder(BlockId block, std::uint32_t copy) const {
    return partner(shape_, owner(block), copy);
}

void Pairwise::holders(BlockId block, std::vector<Slot>& out) const {
    auto const home = owner(block);
    out.clear();
    for (std::uint32_t copy = 0; copy < shape_.replicas; ++copy) out.push_back(partner(shape_, home, copy));
}

std::vector<BlockRange> Pairwise::held(Slot slot) const {
    REGRAFT_EXPECTS(value(slot) < shape_.num_slots);
    std::vector<BlockRange> parts;
    for (std::uint32_t copy = 0; copy < shape_.replicas; ++copy) {
        auto const part = even_part<BlockId>(shape_.num_blocks, home(shape_, slot, copy), shape_.num_slots);
        if (!part.empty()) parts.push_back(part);
    }
    std::sort(parts.begin(), parts.end());
    return parts;
}

BlockRange Pairwise::run(BlockId block) const {
    return even_part<BlockId>(shape_.num_blocks, owner(block), shape_.num_slots);
}

std::uint64_t Pairwise::num_held(Slot slot) const {
    std::uint64_t sum = 0;
    for (std::uint32_t copy = 0; copy < shape_.replicas; ++copy)
        sum += even_part<BlockId>(shape_.num_blocks, home(shape_, slot, copy), shape_.num_slots).size();
    return sum;
}

std::uint64_t Pairwise::owner(BlockId block) const {
    return part_of(shape_.num_blocks, value(block), shape_.num_slots);
}

}  // namespace regraft::placement
