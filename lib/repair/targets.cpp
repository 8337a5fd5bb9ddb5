#include "repair/targets.hpp"

#include <algorithm>

#include "repair/copy_flow.hpp"
#include "repair/evenly.hpp"

namespace regraft::repair {
namespace {

/// The copies from which a level is dealt: those of PlannedBlocks::before or of PlannedBlocks::after.
enum class Start { present, planned };

std::vector<Group> all_groups(Holdings const& holdings, Start start) {
    auto const& situation = holdings.situation();
    auto const pieces = holdings.pieces();
    std::vector<std::uint32_t> which;
    for (std::uint32_t i = 0; i < pieces.size(); ++i) {
        if (!pieces[i].before.empty() && !holdings.is_weightless(pieces[i])) which.push_back(i);
    }
    auto groups = groups_of(pieces, which, start == Start::present ? &PlannedBlocks::before : &PlannedBlocks::after,
                            situation.units);
    if (situation.nodes_matter) {
        for (auto& group : groups) {
            if (holdings.new_nodes_for(group.holders) > 0) group.spread = Group::Spread::new_nodes;
        }
    }
    return groups;
}

/// Deals `copies` copies of every group as far as possible: first to present holders, then to others.
void raise(Holdings const& holdings, std::vector<Group>& groups, CopyFlow& flow, std::size_t copies) {
    for (auto& group : groups) group.wanted = copies * group.units;
    flow.deal(Receivers::holders);
    if (flow.undealt() > 0 && holdings.situation().nodes_matter) flow.deal(Receivers::others);
    if (flow.undealt() > 0) flow.deal(Receivers::anyone);
}

void keep(Group& group, Member holder, std::uint64_t units) {
    auto place = place_of(group.shares, holder);
    auto const has = place == group.shares.end() || place->member != holder ? 0 : place->units;
    auto const kept = std::min(units, group.units - has);
    if (kept == 0) return;
    if (has == 0) place = group.shares.insert(place, {holder, 0});
    place->units += kept;
    group.dealt += kept;
}

/// More copies than wanted stay if no other copy needs their room.
void keep_where_room_is(std::vector<Group>& groups, CopyFlow& flow) {
    for (auto& group : groups) {
        for (auto const holder : group.holders) {
            auto const before = group.dealt;
            keep(group, holder, flow.room[holder]);
            flow.room[holder] -= group.dealt - before;
        }
    }
}

/// Returns whether all blocks can have `copies` copies. If so, as many blocks as possible get one more where there is
/// room.
bool level(Holdings& holdings, std::size_t copies, Start start) {
    auto groups = all_groups(holdings, start);
    CopyFlow flow(groups, holdings.situation().node_of);
    flow.room = holdings.room();
    raise(holdings, groups, flow, copies);
    if (flow.undealt() > 0) return false;
    if (copies < holdings.situation().replicas) raise(holdings, groups, flow, copies + 1);
    keep_where_room_is(groups, flow);
    holdings.apply_all(groups, Holdings::Lack::dropped);
    return true;
}

/// Handles too little room for one copy of every block. No last copy is dropped; what fits elsewhere moves.
void keep_one(Holdings& holdings) {
    auto groups = all_groups(holdings, Start::present);
    CopyFlow flow(groups, holdings.situation().node_of);
    flow.room = holdings.room();
    raise(holdings, groups, flow, 1);
    for (auto& group : groups) {
        for (auto const holder : group.holders) keep(group, holder, group.wanted - group.dealt);
    }
    holdings.apply_all(groups, Holdings::Lack::dropped);
}

/// Adds what is missing. Returns whether that has room.
bool add(Holdings& holdings) {
    auto const all_fits = add_evenly(holdings);
    return (all_fits && !holdings.is_overfull()) || holdings.situation().fill.room.empty();
}

}  // namespace

bool add_what_is_missing(Situation& situation) {
    Holdings holdings(situation);
    return add(holdings);
}

void keep_to_room(Situation& situation) {
    Holdings holdings(situation);
    if (add(holdings)) return;
    if (level(holdings, situation.replicas, Start::planned)) return;
    for (auto& piece : situation.pieces) {
        if (!holdings.is_weightless(piece)) piece.after = piece.before;
    }
    for (auto copies = situation.replicas; copies-- > 1;) {
        if (level(holdings, copies, Start::present)) return;
    }
    keep_one(holdings);
}

void set_targets_by_first_fit(Situation& situation) {
    auto& pieces = situation.pieces;
    auto fill = situation.fill;
    for (std::size_t copies = 2; copies <= situation.replicas; ++copies) {
        bool all = true;
        for (std::size_t i = 0; i < pieces.size(); ++i) {  // pieces may grow
            for (Member member = 0; member < fill.used.size(); ++member) {
                if (pieces[i].after.empty() || pieces[i].after.size() >= copies) break;
                if (fill.left(member) == 0 || contains(pieces[i].after, member)) continue;
                auto const cut = situation.units.cut_below(pieces[i].blocks, fill.left(member));
                if (cut == pieces[i].blocks.first) continue;
                auto rest = pieces[i];
                rest.blocks.first = cut;
                pieces[i].blocks.last = cut;
                insert(pieces[i].after, member);
                fill.used[member] += situation.units.sizes().bytes(pieces[i].blocks);
                if (!rest.blocks.empty()) pieces.push_back(std::move(rest));
            }
            all = all && (pieces[i].after.empty() || pieces[i].after.size() >= copies);
        }
        if (!all) break;
    }
}

}  // namespace regraft::repair
