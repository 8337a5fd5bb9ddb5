#include "repair/targets.hpp"

#include <algorithm>
#include <compare>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

namespace regraft::repair {
namespace {

__extension__ using Wide = unsigned __int128;
constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();

/// The amount of `total` units that each member may receive so that in the end all hold as equal amounts as possible,
/// but none receives more than `most`. Precondition: total <= most * members.
std::vector<std::uint64_t> fair_shares(std::uint64_t total, std::uint64_t most, std::span<std::uint64_t const> held) {
    auto const up_to = [&](std::uint64_t level, std::uint64_t has) {
        return std::min(most, level - std::min(level, has));
    };
    auto const poured = [&](std::uint64_t level) {
        Wide sum = 0;
        for (auto const has : held) sum += up_to(level, has);
        return sum;
    };
    // The highest level that total fills.
    std::uint64_t low = 0;
    std::uint64_t high = *std::max_element(held.begin(), held.end()) + most + 1;
    while (high - low > 1) {
        auto const middle = low + (high - low) / 2;
        (poured(middle) <= total ? low : high) = middle;
    }
    std::vector<std::uint64_t> shares;
    for (auto const has : held) shares.push_back(up_to(low, has));
    auto rest = total - static_cast<std::uint64_t>(poured(low));
    for (std::size_t i = 0; i < held.size() && rest > 0; ++i) {
        if (shares[i] == most || held[i] > low) continue;
        ++shares[i];
        --rest;
    }
    return shares;
}

/// Deals what is wanted to members that are not holders. No member receives more than 1/16 above the mean, unless every
/// deal has that much at the busiest receiver. Within that bound, members that hold less get more.
void deal_evenly(CopyFlow& flow, std::span<std::uint64_t const> held, std::span<std::uint64_t const> limit) {
    auto const total = flow.undealt();
    auto const members = held.size();
    auto busiest = total / members + (total % members == 0 ? 0 : 1) + total / members / 16;
    auto granted = fair_shares(total, busiest, held);
    for (std::size_t i = 0; i < members; ++i) granted[i] = std::min(granted[i], limit[i]);
    flow.room = granted;
    for (;;) {
        flow.deal(Receivers::others);
        if (flow.undealt() == 0) return;
        // Only the full members can take the rest, if they may take more. First all get as much as the busiest may.
        // Then that amount grows by the rest, divided by the number of members below their limits (Newton's method).
        auto const grant_up_to_busiest = [&] {
            bool grown = false;
            for (auto const member : flow.full()) {
                auto const more = std::min(busiest, limit[member]);
                if (granted[member] >= more) continue;
                flow.room[member] += more - granted[member];
                granted[member] = more;
                grown = true;
            }
            return grown;
        };
        if (grant_up_to_busiest()) continue;
        auto const growing = static_cast<std::uint64_t>(std::count_if(
            flow.full().begin(), flow.full().end(), [&](Member member) { return granted[member] < limit[member]; }));
        if (growing == 0) return;
        busiest += (flow.undealt() - 1) / growing + 1;
        grant_up_to_busiest();
    }
}

class Targets {
public:
    explicit Targets(Situation& situation) : situation_(situation), units_(situation.units), pieces_(situation.pieces) {
        for (auto const bytes : situation.fill.used) {
            held_.push_back(units_.sizes().equal() ? bytes / std::max<std::uint64_t>(1, block_bytes()) : bytes);
        }
        for (Member member = 0; member < held_.size(); ++member) {
            auto const room = situation.fill.room.empty() ? unlimited : situation.fill.room[member];
            room_.push_back(room == unlimited ? unlimited : units_.fitting(room));
        }
    }

    bool add() {
        place_weightless();
        auto const all_fits = add_evenly();
        return (all_fits && !is_overfull()) || situation_.fill.room.empty();
    }

    void set() {
        if (add()) return;
        if (level(situation_.replicas, Start::planned)) return;
        for (auto& piece : pieces_) {
            if (!is_weightless(piece)) piece.after = piece.before;
        }
        for (auto copies = situation_.replicas; copies-- > 1;) {
            if (level(copies, Start::present)) return;
        }
        keep_one();
    }

private:
    enum class Start { present, planned };

    std::uint64_t block_bytes() const {
        return units_.sizes().num_blocks() == 0 ? 0 : units_.sizes().bytes(BlockId{0});
    }
    bool is_weightless(Piece const& piece) const { return units_.of(piece.blocks) == 0; }

    bool is_overfull() const {
        for (std::size_t i = 0; i < held_.size(); ++i) {
            if (held_[i] > room_[i]) return true;
        }
        return false;
    }

    /// The pieces whose blocks have at least one copy but fewer than `copies`, and are not empty.
    std::vector<std::uint32_t> pieces_below(std::size_t copies) const {
        std::vector<std::uint32_t> which;
        for (std::uint32_t i = 0; i < pieces_.size(); ++i) {
            auto const& piece = pieces_[i];
            if (!piece.after.empty() && piece.after.size() < copies && !is_weightless(piece)) which.push_back(i);
        }
        return which;
    }

    std::size_t new_nodes_for(MemberSet const& holders) const {
        std::set<std::uint32_t> nodes;
        for (auto const holder : holders) nodes.insert(situation_.node_of[holder]);
        return situation_.num_nodes - nodes.size();
    }

    /// Blocks without bytes take no room: each copy goes to the first member on a new node, or else to the first
    /// member.
    void place_weightless() {
        for (auto& piece : pieces_) {
            if (!is_weightless(piece) || piece.after.empty()) continue;
            while (piece.after.size() < situation_.replicas) {
                std::optional<Member> best;
                std::set<std::uint32_t> nodes;
                for (auto const holder : piece.after) nodes.insert(situation_.node_of[holder]);
                for (auto member = static_cast<Member>(held_.size()); member-- > 0;) {
                    if (contains(piece.after, member)) continue;
                    auto const is_new = !nodes.contains(situation_.node_of[member]);
                    if (!best || is_new || nodes.contains(situation_.node_of[*best])) best = member;
                }
                insert(piece.after, *best);
            }
        }
    }

    /// Divides the groups in parts of whole pieces, and spreads the parts of every group over the whole row. The sweep
    /// deals neighbours to the same member. With this order the blocks of a member come from different holders, so that
    /// when it dies, many can send.
    std::vector<Group> interleaved(std::vector<Group> groups) const {
        struct Place {
            std::uint64_t along;
            std::size_t group;
            std::uint64_t part;
            auto operator<=>(Place const&) const = default;
        };
        std::vector<Place> places;
        places.reserve(groups.size());
        for (std::size_t i = 0; i < groups.size(); ++i) {
            auto const parts = parts_of(groups[i]);
            for (std::uint64_t part = 0; part < parts; ++part) places.push_back({part * held_.size() / parts, i, part});
        }
        if (!std::is_sorted(places.begin(), places.end())) std::sort(places.begin(), places.end());
        std::vector<Group> row;
        row.reserve(places.size());
        for (auto const& [along, i, part] : places) {
            if (parts_of(groups[i]) == 1) {
                row.push_back(std::move(groups[i]));
                continue;
            }
            auto const range = even_part<BlockId>(groups[i].pieces.size(), part, parts_of(groups[i]));
            row.emplace_back();
            row.back().holders = groups[i].holders;
            for (auto piece = value(range.first); piece < value(range.last); ++piece) {
                row.back().pieces.push_back(groups[i].pieces[piece]);
                row.back().units += units_.of(pieces_[groups[i].pieces[piece]].blocks);
            }
        }
        return row;
    }
    std::uint64_t parts_of(Group const& group) const { return std::min(group.pieces.size(), held_.size()); }

    /// Only adds copies. Returns whether all missing copies are planned.
    bool add_evenly() {
        bool nodes_matter = situation_.nodes_matter;
        for (;;) {
            auto const which = pieces_below(situation_.replicas);
            if (which.empty()) return true;
            auto groups = interleaved(groups_of(pieces_, which, &Piece::after, units_));
            bool by_nodes = false;
            for (auto& group : groups) {
                auto copies = situation_.replicas - group.holders.size();
                auto const nodes = nodes_matter ? new_nodes_for(group.holders) : 0;
                if (nodes > 0) {
                    group.spread = Group::Spread::new_nodes;
                    copies = std::min(copies, nodes);
                    by_nodes = true;
                }
                group.wanted = copies * group.units;
            }
            CopyFlow flow(groups, situation_.node_of);
            std::vector<std::uint64_t> limit;
            for (std::size_t i = 0; i < held_.size(); ++i) limit.push_back(room_[i] - std::min(room_[i], held_[i]));
            deal_evenly(flow, held_, limit);
            apply_all(groups);
            if (flow.undealt() == 0) continue;
            if (!by_nodes) return false;
            nodes_matter = false;  // copies go anywhere with room
        }
    }

    /// Applies all groups. Shares of members that are not holders are new copies. What holders lack of their pieces is
    /// kept or dropped.
    enum class Lack { kept, dropped };
    void apply_all(std::vector<Group> const& groups, Lack lack = Lack::kept) {
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
            apply(group, change, units_, pieces_);
        }
    }

    /// Deals `copies` copies of every group as far as possible: first to present holders, then to others.
    void raise(std::vector<Group>& groups, CopyFlow& flow, std::size_t copies) {
        for (auto& group : groups) group.wanted = copies * group.units;
        flow.deal(Receivers::holders);
        if (flow.undealt() > 0 && situation_.nodes_matter) flow.deal(Receivers::others);
        if (flow.undealt() > 0) flow.deal(Receivers::anyone);
    }

    std::vector<Group> all_groups(Start start) const {
        std::vector<std::uint32_t> which;
        for (std::uint32_t i = 0; i < pieces_.size(); ++i) {
            if (!pieces_[i].before.empty() && !is_weightless(pieces_[i])) which.push_back(i);
        }
        auto groups = groups_of(pieces_, which, start == Start::present ? &Piece::before : &Piece::after, units_);
        if (situation_.nodes_matter) {
            for (auto& group : groups) {
                if (new_nodes_for(group.holders) > 0) group.spread = Group::Spread::new_nodes;
            }
        }
        return groups;
    }

    /// Returns whether all blocks can have `copies` copies. If so, as many blocks as possible get one more where there
    /// is room.
    bool level(std::size_t copies, Start start) {
        auto groups = all_groups(start);
        CopyFlow flow(groups, situation_.node_of);
        flow.room = room_;
        raise(groups, flow, copies);
        if (flow.undealt() > 0) return false;
        if (copies < situation_.replicas) raise(groups, flow, copies + 1);
        keep_where_room_is(groups, flow);
        apply_all(groups, Lack::dropped);
        return true;
    }

    /// Handles too little room for one copy of every block. No last copy is dropped; what fits elsewhere moves.
    void keep_one() {
        auto groups = all_groups(Start::present);
        CopyFlow flow(groups, situation_.node_of);
        flow.room = room_;
        raise(groups, flow, 1);
        for (auto& group : groups) {
            for (auto const holder : group.holders) keep(group, holder, group.wanted - group.dealt);
        }
        apply_all(groups, Lack::dropped);
    }

    static void keep(Group& group, Member holder, std::uint64_t units) {
        auto place = place_of(group.shares, holder);
        auto const has = place == group.shares.end() || place->member != holder ? 0 : place->units;
        auto const kept = std::min(units, group.units - has);
        if (kept == 0) return;
        if (has == 0) place = group.shares.insert(place, {holder, 0});
        place->units += kept;
        group.dealt += kept;
    }

    /// More copies than wanted stay if no other copy needs their room.
    static void keep_where_room_is(std::vector<Group>& groups, CopyFlow& flow) {
        for (auto& group : groups) {
            for (auto const holder : group.holders) {
                auto const before = group.dealt;
                keep(group, holder, flow.room[holder]);
                flow.room[holder] -= group.dealt - before;
            }
        }
    }

    Situation& situation_;
    Units const& units_;
    std::vector<Piece>& pieces_;
    std::vector<std::uint64_t> held_;  // units
    std::vector<std::uint64_t> room_;  // units
};

}  // namespace

bool add_what_is_missing(Situation& situation) {
    return Targets(situation).add();
}

void keep_to_room(Situation& situation) {
    Targets(situation).set();
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
