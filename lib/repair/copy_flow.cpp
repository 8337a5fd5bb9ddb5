#include "repair/copy_flow.hpp"

#include <algorithm>
#include <numeric>

namespace regraft::repair {
namespace {

std::uint64_t share_of(Group& group, Member member) {
    auto const place = place_of(group.shares, member);
    return place == group.shares.end() || place->member != member ? 0 : place->units;
}

}  // namespace

CopyFlow::CopyFlow(std::vector<Group>& groups, std::span<std::uint32_t const> node_of)
    : room(node_of.size(), 0), groups_(groups), node_of_(node_of) {}

void CopyFlow::look_at(std::uint32_t index) {
    auto const& group = groups_[index];
    has_all_.clear();
    for (auto const& [member, units] : group.shares) {
        if (units == group.units) has_all_.push_back(member);
    }
    if (group.spread == Group::Spread::anywhere) return;
    old_nodes_.clear();
    for (auto const holder : group.holders) old_nodes_.push_back(node_of_[holder]);
    std::sort(old_nodes_.begin(), old_nodes_.end());
    in_node_.clear();
    for (auto const& [member, units] : group.shares) in_node_.push_back({node_of_[member], units});
    std::sort(in_node_.begin(), in_node_.end(), [](Share const& a, Share const& b) { return a.member < b.member; });
    full_nodes_.clear();
    for (auto at = in_node_.begin(); at != in_node_.end();) {
        auto const node = at->member;
        std::uint64_t units = 0;
        for (; at != in_node_.end() && at->member == node; ++at) units += at->units;
        if (units >= group.units) full_nodes_.push_back(node);
    }
}

/// Whether new copies of the group may go to the node. Precondition: look_at(group) was the last one.
bool CopyFlow::is_open(std::uint32_t node, Member from) const {
    if (std::binary_search(old_nodes_.begin(), old_nodes_.end(), node)) return false;
    return !std::binary_search(full_nodes_.begin(), full_nodes_.end(), node) ||
           (from != none && node_of_[from] == node);
}

/// Precondition: look_at(group) was the last one.
bool CopyFlow::may_take(Group const& group, Member member, Member from) const {
    if (std::binary_search(has_all_.begin(), has_all_.end(), member)) return false;
    if (receivers_ == Receivers::anyone) return true;
    bool const holds = contains(group.holders, member);
    if (receivers_ == Receivers::holders) return holds;
    if (holds) return false;
    return group.spread == Group::Spread::anywhere || is_open(node_of_[member], from);
}

/// How many more units of the group `to` can take, either from `from` or from what is not yet dealt.
std::uint64_t CopyFlow::width(std::uint32_t index, Member from, Member to) {
    auto& group = groups_[index];
    auto const given = from == none ? group.wanted - group.dealt : share_of(group, from);
    auto units = std::min(given, group.units - share_of(group, to));
    if (receivers_ != Receivers::others || group.spread == Group::Spread::anywhere) return units;
    if (from != none && node_of_[from] == node_of_[to]) return units;
    std::uint64_t in_node = 0;
    for (auto const& [member, share] : group.shares) in_node += node_of_[member] == node_of_[to] ? share : 0;
    return std::min(units, group.units - std::min(group.units, in_node));
}

void CopyFlow::give(std::uint32_t index, Member member, std::uint64_t units) {
    auto& shares = groups_[index].shares;
    auto const place = place_of(shares, member);
    if (place != shares.end() && place->member == member) {
        place->units += units;
        return;
    }
    shares.insert(place, {member, units});
    if (!dealt_to_.empty()) dealt_to_[member].push_back(index);
}

void CopyFlow::take(std::uint32_t index, Member member, std::uint64_t units) {
    auto& shares = groups_[index].shares;
    auto const place = place_of(shares, member);
    place->units -= units;
    if (place->units > 0) return;
    shares.erase(place);
    if (dealt_to_.empty()) return;
    auto& groups = dealt_to_[member];
    groups.erase(std::remove(groups.begin(), groups.end(), index), groups.end());
}

void CopyFlow::give_what_fits(std::uint32_t index, Member member) {
    auto const units = std::min(width(index, none, member), room[member]);
    if (units == 0) return;
    give(index, member, units);
    groups_[index].dealt += units;
    room[member] -= units;
}

void CopyFlow::sweep() {
    std::vector<Member> with_room;
    for (Member member = 0; member < room.size(); ++member) {
        if (room[member] > 0) with_room.push_back(member);
    }
    std::vector<Member> skipped;
    // Members that may not take a group stay in front. They are few, and are moved over those whose room is used up.
    std::size_t first = 0;
    for (std::uint32_t index = 0; index < groups_.size() && first < with_room.size(); ++index) {
        auto& group = groups_[index];
        if (group.dealt == group.wanted) continue;
        look_at(index);
        if (receivers_ == Receivers::holders) {
            for (auto const holder : group.holders) give_what_fits(index, holder);
            continue;
        }
        skipped.clear();
        for (; first < with_room.size() && group.dealt < group.wanted; ++first) {
            auto const member = with_room[first];
            if (may_take(group, member, none)) give_what_fits(index, member);
            if (room[member] > 0) skipped.push_back(member);
        }
        first -= skipped.size();
        std::copy(skipped.begin(), skipped.end(), with_room.begin() + static_cast<std::ptrdiff_t>(first));
    }
}

/// Reaches the members that can take some of the group. Returns one with room, or none.
Member CopyFlow::reach_from(std::uint32_t index, Member from) {
    look_at(index);
    auto const& group = groups_[index];
    // Where there are few nodes, most groups reach nothing new, and no member needs to be asked.
    if (receivers_ == Receivers::others && group.spread == Group::Spread::new_nodes &&
        std::none_of(unreached_nodes_.begin(), unreached_nodes_.end(),
                     [&](std::uint32_t node) { return is_open(node, from); }))
        return none;
    std::size_t kept = 0;
    Member found = none;
    for (auto const member : unreached_) {
        if (found != none || !may_take(group, member, from)) {
            unreached_[kept++] = member;
            continue;
        }
        --unreached_in_[node_of_[member]];
        reached_[member] = {index, from};
        queue_.push_back(member);
        if (room[member] > 0) found = member;
    }
    if (kept < unreached_.size())
        std::erase_if(unreached_nodes_, [&](std::uint32_t node) { return unreached_in_[node] == 0; });
    unreached_.resize(kept);
    return found;
}

void CopyFlow::prepare_searches() {
    if (!dealt_to_.empty()) return;
    dealt_to_.resize(room.size());
    reached_.resize(room.size());
    for (std::uint32_t index = 0; index < groups_.size(); ++index) {
        for (auto const& share : groups_[index].shares) dealt_to_[share.member].push_back(index);
    }
}

bool CopyFlow::augment() {
    prepare_searches();
    queue_.clear();
    unreached_.resize(room.size());
    std::iota(unreached_.begin(), unreached_.end(), 0U);
    unreached_nodes_.clear();
    for (auto const node : node_of_) {
        if (unreached_in_.size() <= node) unreached_in_.resize(node + std::size_t{1}, 0);
        unreached_in_[node] = 0;
    }
    for (auto const node : node_of_) {
        if (unreached_in_[node]++ == 0) unreached_nodes_.push_back(node);
    }
    for (std::uint32_t index = 0; index < groups_.size(); ++index) {
        if (groups_[index].dealt == groups_[index].wanted) continue;
        auto const found = reach_from(index, none);
        if (found == none) continue;
        push_along(found);
        return true;
    }
    for (std::size_t i = 0; i < queue_.size(); ++i) {
        auto const member = queue_[i];
        for (auto const index : dealt_to_[member]) {
            if (unreached_.empty()) return false;
            auto const found = reach_from(index, member);
            if (found == none) continue;
            push_along(found);
            return true;
        }
    }
    return false;
}

void CopyFlow::push_along(Member last) {
    auto units = room[last];
    for (auto to = last; to != none; to = reached_[to].from) {
        units = std::min(units, width(reached_[to].group, reached_[to].from, to));
    }
    room[last] -= units;
    for (auto to = last; to != none; to = reached_[to].from) {
        auto const [index, from] = reached_[to];
        give(index, to, units);
        if (from != none) take(index, from, units);
        if (from == none) groups_[index].dealt += units;
    }
}

void CopyFlow::deal(Receivers receivers) {
    receivers_ = receivers;
    sweep();
    while (undealt() > 0 && augment()) {
    }
    full_ = queue_;
    std::sort(full_.begin(), full_.end());
}

std::uint64_t CopyFlow::undealt() const {
    std::uint64_t sum = 0;
    for (auto const& group : groups_) sum += group.wanted - group.dealt;
    return sum;
}

}  // namespace regraft::repair
