// Deals groups of blocks to members with limited room: a maximum flow whose edges are not listed.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "repair/pieces.hpp"

namespace regraft::repair {

/// Who may get shares of a group.
enum class Receivers {
    holders,
    /// Who does not hold it, and as Group::spread says.
    others,
    anyone,
};

/// The flow goes from every group, at most `wanted`, to members, at most Group::units each, and there is room for so
/// much at each member. Nearly everybody can take nearly everything, so edges are worked out when they are looked at.
class CopyFlow {
public:
    /// node_of: of every member, below num_nodes. Keeps the groups and fills in dealt and shares.
    CopyFlow(std::vector<Group>& groups, std::span<std::uint32_t const> node_of, std::uint32_t num_nodes);

    /// What every member still has room for.
    std::vector<std::uint64_t> room;

    /// As much as possible on top of what is dealt. First each group to the first who has room, so that there are about
    /// as many shares as groups and members, then along shortest augmenting paths, on which members with no room left
    /// pass on others' shares. O((shares + members * blocked) per path).
    void deal(Receivers receivers);
    /// What is wanted and not dealt.
    std::uint64_t undealt() const;
    /// If there is any: the members that could take it, if only they had room. Ascending.
    MemberSet const& full() const { return full_; }

private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    /// How a search came to a member: to take some of group, that `from` gives up (none: that is not dealt yet).
    struct Reached {
        std::uint32_t group = none;
        Member from = none;
    };

    void look_at(std::uint32_t group);
    bool may_take(Group const& group, Member member, Member from) const;
    void give_what_fits(std::uint32_t group, Member member);
    void sweep();
    bool augment();
    Member reach_from(std::uint32_t group, Member from);
    void push_along(Member last);
    std::uint64_t width(std::uint32_t group, Member from, Member to);
    void give(std::uint32_t group, Member member, std::uint64_t units);
    void take(std::uint32_t group, Member member, std::uint64_t units);

    std::vector<Group>& groups_;
    std::span<std::uint32_t const> node_of_;
    Receivers receivers_ = Receivers::others;
    std::vector<std::vector<std::uint32_t>> dealt_to_;  // by member: groups of which it has shares
    MemberSet full_;

    // What look_at found out about a group; valid where it bears the current stamp.
    std::uint64_t stamp_ = 0;
    std::vector<std::uint64_t> holds_;      // by member
    std::vector<std::uint64_t> has_all_;    // by member
    std::vector<std::uint64_t> old_node_;   // by node
    std::vector<std::uint64_t> full_node_;  // by node
    std::vector<std::uint64_t> in_node_;    // by node: units dealt
    std::vector<std::uint64_t> in_node_at_;

    std::vector<Reached> reached_;
    MemberSet unreached_;
    MemberSet queue_;
};

}  // namespace regraft::repair
