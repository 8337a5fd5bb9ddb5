#include "repair/holdings.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace regraft::repair {

Holdings::Holdings(Situation& situation) : situation_(situation) {
    constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();
    auto const& units = situation.units;
    auto const& sizes = units.sizes();
    auto const block_bytes = sizes.num_blocks() == 0 ? 0 : sizes.bytes(BlockId{0});
    held_.reserve(situation.fill.used.size());
    room_.reserve(situation.fill.used.size());
    for (auto const bytes : situation.fill.used)
        held_.push_back(sizes.equal() ? bytes / std::max<std::uint64_t>(1, block_bytes) : bytes);
    for (Member member = 0; member < held_.size(); ++member) {
        auto const room = situation.fill.room.empty() ? unlimited : situation.fill.room[member];
        room_.push_back(room == unlimited ? unlimited : units.fitting(room));
    }
}

bool Holdings::is_overfull() const {
    for (std::size_t i = 0; i < held_.size(); ++i) {
        if (held_[i] > room_[i]) return true;
    }
    return false;
}

std::size_t Holdings::new_nodes_for(MemberSet const& holders) const {
    std::set<std::uint32_t> nodes;
    for (auto const holder : holders) nodes.insert(situation_.node_of[holder]);
    return situation_.num_nodes - nodes.size();
}

void Holdings::apply_all(std::span<Group const> groups, Lack lack) {
    for (auto const& group : groups) {
        Change change;
        auto missing = group.holders;
        for (auto const& share : group.shares) {
            if (!contains(group.holders, share.member)) {
                change.added.push_back(share);
                continue;
            }
            erase(missing, share.member);
            if (share.units < group.units) change.removed.push_back({share.member, group.units - share.units});
        }
        for (auto const holder : missing) change.removed.push_back({holder, group.units});
        if (lack == Lack::kept) change.removed.clear();
        std::stable_sort(change.added.begin(), change.added.end(), [&](Share const& a, Share const& b) {
            return situation_.node_of[a.member] < situation_.node_of[b.member];
        });
        for (auto const& share : change.added) held_[share.member] += share.units;
        for (auto const& share : change.removed) held_[share.member] -= share.units;
        apply(group, change, situation_.units, situation_.pieces);
    }
}

}  // namespace regraft::repair
