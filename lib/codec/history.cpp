#include "codec/history.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "codec/fixed_log.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::codec {
namespace {

/// An edge is never cheaper than this, in bits with 8 fractional bits.
constexpr std::uint32_t least_edge_cost = 128;
constexpr std::uint32_t impossible = 1U << 30;

std::uint8_t lowest(StateMask set) {
    return static_cast<std::uint8_t>(std::countr_zero(set));
}

bool has(StateMask set, std::uint8_t state) {
    return (set >> state & 1) != 0;
}

/// The states of a column that differ, and the costs between them.
struct Palette {
    std::array<std::uint8_t, 32> state;     // of a place in the palette
    std::array<std::uint8_t, 256> place{};  // of a state
    std::uint32_t size = 0;
    std::vector<std::uint32_t> change;  // [from][to], by place

    Palette(std::span<std::uint8_t const> tip_state, ChangeCosts const& costs) {
        StateMask used = 0;
        for (auto const s : tip_state)
            if (s != Reconstruction::no_state) used |= StateMask{1} << s;
        for (; used != 0; used &= used - 1) {
            state[size] = lowest(used);
            place[state[size]] = static_cast<std::uint8_t>(size);
            ++size;
        }
        for (std::uint32_t a = 0; a < size; ++a)
            for (std::uint32_t b = 0; b < size; ++b)
                change.push_back(costs.state[state[a] * costs.num_states + state[b]]);
    }
};

}  // namespace

Reconstruction::Reconstruction(RootedTree const& tree)
    : tree_(&tree), sets_(tree.num_nodes()), states_(tree.num_nodes()) {}

void Reconstruction::fewest(std::span<StateMask const> tip_states, std::span<std::uint8_t> keep, History& out) {
    std::ranges::fill(sets_, 0);
    for (auto v = tree_->num_nodes(); v-- > 0;) {
        if (tree_->is_tip(v)) sets_[v] = tip_states[tree_->first_tip[v]];
        if (v == 0) break;
        // The parent's set, so far as its children have been seen; empty before the first.
        auto& above = sets_[tree_->parent[v]];
        auto const common = above & sets_[v];
        above = common != 0 ? common : above | sets_[v];
    }
    auto const preferred = [&](std::uint32_t v) {
        return !keep.empty() && has(sets_[v], keep[v]) ? keep[v] : lowest(sets_[v]);
    };
    states_[0] = preferred(0);
    out.root.push_back(states_[0]);
    for (std::uint32_t v = 1; v < tree_->num_nodes(); ++v) {
        auto const above = states_[tree_->parent[v]];
        states_[v] = has(sets_[v], above) ? above : preferred(v);
        if (states_[v] != above) out.changes.push_value({v, above, states_[v]});
    }
    out.changes.end_row();
    std::ranges::copy(std::span(states_).first(keep.size()), keep.begin());
}

void Reconstruction::cheapest(std::span<std::uint8_t const> tip_state, ChangeCosts const& costs,
                              std::size_t num_changes, History& out) {
    Palette const palette(tip_state, costs);
    auto const q = palette.size;
    if (q <= 1) {
        out.root.push_back(q == 0 ? std::uint8_t{0} : palette.state[0]);
        out.changes.end_row();
        return;
    }
    auto const among = static_cast<std::uint32_t>(fixed_log2(num_changes + 1) >> (log_bits - 8));
    auto const edge_cost = [&](std::uint32_t v) { return std::max(costs.edge[v], among + least_edge_cost) - among; };
    // The state below an edge that costs least given that above it, and what the subtree costs then.
    auto const best_below = [&](std::uint32_t v, std::uint32_t above) {
        auto const* const cost = &below_[std::size_t{v} * q];
        auto const edge = edge_cost(v);
        std::uint32_t best = above;
        auto least = cost[above];
        for (std::uint32_t s = 0; s < q; ++s) {
            if (s == above) continue;
            if (auto const sum = cost[s] + edge + palette.change[above * q + s]; sum < least) {
                least = sum;
                best = s;
            }
        }
        return std::pair(best, least);
    };
    auto const any_state = [&](std::uint32_t v) {
        return tree_->is_tip(v) && tip_state[tree_->first_tip[v]] == no_state;
    };

    below_.assign(std::size_t{tree_->num_nodes()} * q, 0);
    for (auto v = tree_->num_nodes(); v-- > 1;) {
        if (any_state(v)) continue;
        if (tree_->is_tip(v)) {
            std::fill_n(&below_[std::size_t{v} * q], q, impossible);
            below_[std::size_t{v} * q + palette.place[tip_state[tree_->first_tip[v]]]] = 0;
        }
        auto* const above = &below_[std::size_t{tree_->parent[v]} * q];
        for (std::uint32_t s = 0; s < q; ++s) above[s] += best_below(v, s).second;
    }

    auto const* const at_root = below_.data();
    auto& place = states_;
    place[0] = static_cast<std::uint8_t>(std::min_element(at_root, at_root + q) - at_root);
    out.root.push_back(palette.state[place[0]]);
    for (std::uint32_t v = 1; v < tree_->num_nodes(); ++v) {
        auto const above = place[tree_->parent[v]];
        place[v] = any_state(v) ? above : static_cast<std::uint8_t>(best_below(v, above).first);
        if (place[v] != above) out.changes.push_value({v, palette.state[above], palette.state[place[v]]});
    }
    out.changes.end_row();
}

}  // namespace regraft::codec
