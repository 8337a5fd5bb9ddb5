// Deals groups of blocks to members with limited room: a maximum flow whose edges are not stored.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "repair/pieces.hpp"

namespace regraft::repair {

/// The members that may get shares of a group.
enum class Receivers {
    holders,
    /// Members that do not hold it, as Group::spread says.
    others,
    anyone,
};

/// The flow goes from every group, at most `wanted`, to members, at most Group::units each, and each member has limited
/// room. Almost all members can take almost all groups, so edges are computed when they are looked at.
class CopyFlow {
public:
    /// node_of: of every member. Keeps the groups and fills in dealt and shares.
    CopyFlow(std::vector<Group>& groups, std::span<std::uint32_t const> node_of);

    /// The room that is left on every member.
    std::vector<std::uint64_t> room;

    /// Deals as much as possible in addition to what is dealt already. First each group goes to the first member with
    /// room, so that there are about as many shares as groups and members. Then shortest augmenting paths follow, on
    /// which members without room pass on shares of other groups. O((shares + members * blocked) per path).
    void deal(Receivers receivers);
    /// The amount that is wanted and not dealt.
    std::uint64_t undealt() const;
    /// The members that could take the undealt amount, if any, if only they had room. Ascending.
    std::span<Member const> full() const { return full_; }

private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    /// How a search came to a member: the member takes some of the group, which `from` gives up (none: it is not dealt
    /// yet).
    struct Reached {
        std::uint32_t group = none;
        Member from = none;
    };

    void look_at(std::uint32_t group);
    bool is_open(std::uint32_t node, Member from) const;
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
    std::vector<Share> in_node_;  // units dealt to each node

    // State of searches. It is empty before the first one, because mostly there is none.
    std::vector<boost::container::small_vector<std::uint32_t, 2>> dealt_to_;  // by member: groups of which it has
                                                                              // shares
    std::vector<Reached> reached_;
    std::vector<Member> unreached_;
    std::vector<std::uint32_t> unreached_in_;     // by node: how many members of it
    std::vector<std::uint32_t> unreached_nodes_;  // that have any
    std::vector<Member> queue_;
};

}  // namespace regraft::repair
