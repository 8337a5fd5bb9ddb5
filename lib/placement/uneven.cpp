#include "regraft/placement/uneven.hpp"

#include <algorithm>
#include <utility>

#include "regraft/core/contracts.hpp"
#include "regraft/core/united.hpp"

namespace regraft::placement {

Uneven::Uneven(std::span<std::uint64_t const> sizes, Any partners) : begins_{0}, partners_(std::move(partners)) {
    REGRAFT_EXPECTS(partners_.shape().num_blocks == sizes.size() && partners_.shape().num_slots == sizes.size());
    for (auto const size : sizes) begins_.push_back(begins_.back() + size);
    std::vector<Slot> slots;
    for (std::uint32_t s = 0; s < num_slots(); ++s) {
        holders_of_part(s, slots);
        most_copies_ = std::max(most_copies_, static_cast<std::uint32_t>(slots.size()));
    }
}

std::uint32_t Uneven::num_copies(BlockId block) const {
    std::vector<Slot> slots;
    holders(block, slots);
    return static_cast<std::uint32_t>(slots.size());
}

Slot Uneven::holder(BlockId block, std::uint32_t copy) const {
    std::vector<Slot> slots;
    holders(block, slots);
    REGRAFT_EXPECTS(copy < slots.size());
    return slots[copy];
}

void Uneven::holders(BlockId block, std::vector<Slot>& out) const {
    holders_of_part(part_of(block), out);
}

void Uneven::holders_of_part(std::uint32_t part, std::vector<Slot>& out) const {
    partners_.holders(BlockId{part}, out);
    std::erase(out, Slot{part});
    out.insert(out.begin(), Slot{part});
}

std::vector<BlockRange> Uneven::held(Slot slot) const {
    REGRAFT_EXPECTS(value(slot) < num_slots());
    std::vector<BlockRange> ranges{part(value(slot))};
    for (auto const& parts : partners_.held(slot)) {
        ranges.push_back({BlockId{begins_[value(parts.first)]}, BlockId{begins_[value(parts.last)]}});
    }
    return united(std::move(ranges));
}

BlockRange Uneven::run(BlockId block) const {
    return part(part_of(block));
}

std::uint64_t Uneven::num_held(Slot slot) const {
    std::uint64_t sum = 0;
    for (auto const& range : held(slot)) sum += range.size();
    return sum;
}

std::uint32_t Uneven::part_of(BlockId block) const {
    REGRAFT_EXPECTS(value(block) < begins_.back());
    auto const behind = std::upper_bound(begins_.begin(), begins_.end(), value(block));
    return static_cast<std::uint32_t>(behind - begins_.begin() - 1);
}

}  // namespace regraft::placement
