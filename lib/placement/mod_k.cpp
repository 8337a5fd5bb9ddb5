#include "regraft/placement/mod_k.hpp"

#include "regraft/core/contracts.hpp"

namespace regraft::placement {

ModK::ModK(std::uint64_t num_blocks, std::uint32_t num_slots, std::uint32_t replicas)
    : shape_{num_blocks, num_slots, replicas} {
    REGRAFT_EXPECTS(1 <= replicas && replicas <= num_slots);
}

std::uint32_t ModK::group_of(BlockId block) const {
    REGRAFT_EXPECTS(value(block) < shape_.num_blocks);
    // The inverse of even_part: the last group g with floor(n * g / k) <= block, so with n * g < k * (block + 1).
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint32_t>((Wide{num_groups()} * (Wide{value(block)} + 1) - 1) / shape_.num_blocks);
}

BlockRange ModK::part(std::uint32_t group) const {
    return even_part<BlockId>(shape_.num_blocks, group, num_groups());
}

std::uint32_t ModK::num_copies(BlockId block) const {
    return (shape_.num_slots - 1 - group_of(block)) / num_groups() + 1;
}

Slot ModK::holder(BlockId block, std::uint32_t copy) const {
    REGRAFT_EXPECTS(copy < num_copies(block));
    return Slot{group_of(block) + copy * num_groups()};
}

std::vector<BlockRange> ModK::held(Slot slot) const {
    REGRAFT_EXPECTS(value(slot) < shape_.num_slots);
    auto const blocks = part(value(slot) % num_groups());
    if (blocks.empty()) return {};
    return {blocks};
}

BlockRange ModK::run(BlockId block) const {
    return part(group_of(block));
}

}  // namespace regraft::placement
