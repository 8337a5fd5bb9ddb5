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
    /// node_of: of every member. Keeps the groups and fills in dealt and shares.
    CopyFlow(std::vector<Group>& groups, std::span<std::uint32_t const> node_of);

    /// What every member still has room for.
    std::vector<std::uint64_t> room;

    /// As much as possible on top of what is dealt. First each group to the first who has room, so that there are about
    /// as many shares as groups and members, then along shortest augmenting paths, on which members with no room left
    /// pass on others' shares. O((shares + members * blocked) per path).
    void deal(Receivers receivers);
    /// What is wanted and not dealt.
    std::uint64_t undealt() const;
    /// If there is any: the members that could take it, if only they had room. Ascending.
    std::span<Member const> full() const { return full_; }

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
    void prepare_searches();
    bool augment();
    Member reach_from(std::uint32_t group, Member from);
    void push_along(Member last);
    std::uint64_t width(std::uint32_t group, Member from, Member to);
    void give(std::uint32_t group, Member member, std::uint64_t units);
    void take(std::uint32_t group, Member member, std::uint64_t units);

    std::vector<Group>& groups_;
    std::span<std::uint32_t const> node_of_;
    Receivers receivers_ = Receivers::others;
    std::vector<Member> full_;

    // What look_at found out about a group, ascending.
    std::vector<Member> has_all_;
    std::vector<std::uint32_t> old_nodes_;
    std::vector<std::uint32_t> full_nodes_;
    std::vector<Share> in_node_;  // units dealt by node

    // Of searches, and nothing before the first, as mostly there is none.
    std::vector<boost::container::small_vector<std::uint32_t, 2>> dealt_to_;  // by member: groups it has shares of
    std::vector<Reached> reached_;
    std::vector<Member> unreached_;
    std::vector<Member> queue_;
};

}  // namespace regraft::repair
