#include "repair/copy_flow.hpp"

#include <algorithm>
#include <numeric>

namespace regraft::repair {
namespace {

std::vector<Share>::iterator place_of(std::vector<Share>& shares, Member member) {
    return std::lower_bound(shares.begin(), shares.end(), member,
                            [](Share const& share, Member m) { return share.member < m; });
}

std::uint64_t share_of(Group& group, Member member) {
    auto const place = place_of(group.shares, member);
    return place == group.shares.end() || place->member != member ? 0 : place->units;
}

}  // namespace

CopyFlow::CopyFlow(std::vector<Group>& groups, std::span<std::uint32_t const> node_of, std::uint32_t num_nodes)
    : room(node_of.size(), 0),
      groups_(groups),
      node_of_(node_of),
      dealt_to_(node_of.size()),
      holds_(node_of.size(), 0),
      has_all_(node_of.size(), 0),
      old_node_(num_nodes, 0),
      full_node_(num_nodes, 0),
      in_node_(num_nodes, 0),
      in_node_at_(num_nodes, 0),
      reached_(node_of.size()) {}

void CopyFlow::look_at(std::uint32_t index) {
    auto const& group = groups_[index];
    ++stamp_;
    for (auto const holder : group.holders) {
        holds_[holder] = stamp_;
        old_node_[node_of_[holder]] = stamp_;
    }
    for (auto const& [member, units] : group.shares) {
        if (units == group.units) has_all_[member] = stamp_;
        auto const node = node_of_[member];
        in_node_[node] = (in_node_at_[node] == stamp_ ? in_node_[node] : 0) + units;
        in_node_at_[node] = stamp_;
        if (in_node_[node] >= group.units) full_node_[node] = stamp_;
    }
}

/// Precondition: look_at(group) was the last one.
bool CopyFlow::may_take(Group const& group, Member member, Member from) const {
    if (has_all_[member] == stamp_) return false;
    if (receivers_ == Receivers::anyone) return true;
    if (receivers_ == Receivers::holders) return holds_[member] == stamp_;
    if (holds_[member] == stamp_) return false;
    if (group.spread == Group::Spread::anywhere) return true;
    auto const node = node_of_[member];
    if (old_node_[node] == stamp_) return false;
    return full_node_[node] != stamp_ || (from != none && node_of_[from] == node);
}

/// How much more of the group `to` can take, from `from` or from what is not dealt.
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
    dealt_to_[member].push_back(index);
}

void CopyFlow::take(std::uint32_t index, Member member, std::uint64_t units) {
    auto& shares = groups_[index].shares;
    auto const place = place_of(shares, member);
    place->units -= units;
    if (place->units > 0) return;
    shares.erase(place);
    std::erase(dealt_to_[member], index);
}

void CopyFlow::give_what_fits(std::uint32_t index, Member member) {
    auto const units = std::min(width(index, none, member), room[member]);
    if (units == 0) return;
    give(index, member, units);
    groups_[index].dealt += units;
    room[member] -= units;
}

void CopyFlow::sweep() {
    MemberSet with_room;
    for (Member member = 0; member < room.size(); ++member) {
        if (room[member] > 0) with_room.push_back(member);
    }
    for (std::uint32_t index = 0; index < groups_.size() && !with_room.empty(); ++index) {
        auto& group = groups_[index];
        if (group.dealt == group.wanted) continue;
        look_at(index);
        if (receivers_ == Receivers::holders) {
            for (auto const holder : group.holders) give_what_fits(index, holder);
            continue;
        }
        MemberSet skipped;
        std::size_t next = 0;
        for (; next < with_room.size() && group.dealt < group.wanted; ++next) {
            auto const member = with_room[next];
            if (may_take(group, member, none)) give_what_fits(index, member);
            if (room[member] > 0) skipped.push_back(member);
        }
        with_room.erase(with_room.begin(), with_room.begin() + static_cast<std::ptrdiff_t>(next));
        with_room.insert(with_room.begin(), skipped.begin(), skipped.end());
    }
}

/// Reaches who can take some of the group. Returns one who has room, or none.
Member CopyFlow::reach_from(std::uint32_t index, Member from) {
    look_at(index);
    auto const& group = groups_[index];
    std::size_t kept = 0;
    Member found = none;
    for (auto const member : unreached_) {
        if (found != none || !may_take(group, member, from)) {
            unreached_[kept++] = member;
            continue;
        }
        reached_[member] = {index, from};
        queue_.push_back(member);
        if (room[member] > 0) found = member;
    }
    unreached_.resize(kept);
    return found;
}

bool CopyFlow::augment() {
    queue_.clear();
    unreached_.resize(room.size());
    std::iota(unreached_.begin(), unreached_.end(), 0U);
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
