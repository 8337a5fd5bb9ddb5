#include "repair/evenly.hpp"

#include <algorithm>
#include <compare>
#include <optional>
#include <set>
#include <utility>

#include "repair/copy_flow.hpp"

namespace regraft::repair {
namespace {

__extension__ using Wide = unsigned __int128;

/// The amount of `total` units that each member may receive so that in the end all hold as equal amounts as possible,
/// but none receives more than `most`. Precondition: total <= most * members.
std::vector<std::uint64_t> fair_shares(std::uint64_t total, std::uint64_t most, std::span<std::uint64_t const> held) {
    auto const up_to = [&](std::uint64_t level, std::uint64_t has) {
        return std::min(most, level - std::min(level, has));
    };
    // What the level takes, or anything above the total if it is more than that.
    auto const poured = [&](std::uint64_t level) {
        Wide sum = 0;
        for (std::size_t i = 0; i < held.size() && sum <= total; ++i) sum += up_to(level, held[i]);
        return sum;
    };
    // The highest level that total fills.
    auto const [least, largest] = std::minmax_element(held.begin(), held.end());
    auto low = *least;
    auto high = *largest + most + 1;
    while (high - low > 1) {
        auto const middle = low + (high - low) / 2;
        (poured(middle) <= total ? low : high) = middle;
    }
    std::vector<std::uint64_t> shares;
    shares.reserve(held.size());
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

/// Blocks without bytes take no room: each copy goes to the first member on a new node, or else to the first member.
void place_weightless(Holdings& holdings) {
    auto const& situation = holdings.situation();
    for (auto& piece : holdings.pieces()) {
        if (!holdings.is_weightless(piece) || piece.after.empty()) continue;
        while (piece.after.size() < situation.replicas) {
            std::optional<Member> best;
            std::set<std::uint32_t> nodes;
            for (auto const holder : piece.after) nodes.insert(situation.node_of[holder]);
            for (auto member = static_cast<Member>(holdings.held().size()); member-- > 0;) {
                if (contains(piece.after, member)) continue;
                auto const is_new = !nodes.contains(situation.node_of[member]);
                if (!best || is_new || nodes.contains(situation.node_of[*best])) best = member;
            }
            insert(piece.after, *best);
        }
    }
}

/// The pieces whose blocks have at least one copy but fewer than `copies`, and are not empty.
std::vector<std::uint32_t> pieces_below(Holdings const& holdings, std::size_t copies) {
    auto const pieces = holdings.pieces();
    std::vector<std::uint32_t> which;
    for (std::uint32_t i = 0; i < pieces.size(); ++i) {
        auto const& piece = pieces[i];
        if (!piece.after.empty() && piece.after.size() < copies && !holdings.is_weightless(piece)) which.push_back(i);
    }
    return which;
}

/// Divides the groups in parts of whole pieces, and spreads the parts of every group over the whole row. The sweep
/// deals neighbours to the same member. With this order the blocks of a member come from different holders, so that
/// when it dies, many can send.
std::vector<Group> interleaved(Holdings const& holdings, std::vector<Group> groups) {
    auto const members = holdings.held().size();
    auto const parts_of = [&](Group const& group) { return std::min<std::uint64_t>(group.pieces.size(), members); };
    struct PartPosition {
        std::uint64_t along;
        std::size_t group;
        std::uint64_t part;
        auto operator<=>(PartPosition const&) const = default;
    };
    std::vector<PartPosition> places;
    places.reserve(groups.size());
    for (std::size_t i = 0; i < groups.size(); ++i) {
        auto const parts = parts_of(groups[i]);
        for (std::uint64_t part = 0; part < parts; ++part) places.push_back({part * members / parts, i, part});
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
            row.back().units += holdings.situation().units.of(holdings.pieces()[groups[i].pieces[piece]].blocks);
        }
    }
    return row;
}

}  // namespace

bool add_evenly(Holdings& holdings) {
    place_weightless(holdings);
    auto const& situation = holdings.situation();
    bool nodes_matter = situation.nodes_matter;
    for (;;) {
        auto const which = pieces_below(holdings, situation.replicas);
        if (which.empty()) return true;
        auto groups =
            interleaved(holdings, groups_of(holdings.pieces(), which, &PlannedBlocks::after, situation.units));
        bool by_nodes = false;
        for (auto& group : groups) {
            auto copies = situation.replicas - group.holders.size();
            auto const nodes = nodes_matter ? holdings.new_nodes_for(group.holders) : 0;
            if (nodes > 0) {
                group.spread = Group::Spread::new_nodes;
                copies = std::min(copies, nodes);
                by_nodes = true;
            }
            group.wanted = copies * group.units;
        }
        CopyFlow flow(groups, situation.node_of);
        auto const held = holdings.held();
        auto const& room = holdings.room();
        std::vector<std::uint64_t> limit;
        limit.reserve(held.size());
        for (std::size_t i = 0; i < held.size(); ++i) limit.push_back(room[i] - std::min(room[i], held[i]));
        deal_evenly(flow, held, limit);
        holdings.apply_all(groups, Holdings::Lack::kept);
        if (flow.undealt() == 0) continue;
        if (!by_nodes) return false;
        nodes_matter = false;  // copies go anywhere with room
    }
}

}  // namespace regraft::repair
