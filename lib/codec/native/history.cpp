#include "codec/native/history.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "codec/entropy/fixed_log.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::codec {
namespace {

/// The least cost of an edge, in bits with 8 fractional bits.
constexpr std::uint32_t least_edge_cost = 128;
constexpr std::uint32_t impossible = 1U << 30;

std::uint8_t lowest(StateMask set) {
    return static_cast<std::uint8_t>(std::countr_zero(set));
}

bool has(StateMask set, std::uint8_t state) {
    return (set >> state & 1) != 0;
}

}  // namespace

void History::repeat() {
    if (root.empty()) {
        root.push_back(0);
        changes.end_row();
        return;
    }
    root.push_back(root.back());
    auto const last = changes[changes.size() - 1];
    changes.push_row(std::vector<Change>(last.begin(), last.end()));
}

Reconstruction::Reconstruction(RootedTree const& tree)
    : tree_(&tree), sets_(tree.num_nodes()), states_(tree.num_nodes()) {}

void Reconstruction::fewest(std::span<StateMask const> tip_states, std::span<std::uint8_t> keep, History& out) {
    std::ranges::fill(sets_, 0);
    for (auto v = tree_->num_nodes(); v-- > 0;) {
        if (tree_->is_tip(v)) sets_[v] = tip_states[tree_->first_tip[v]];
        if (v == 0) break;
        // The parent's set, as far as its children have been seen; empty before the first.
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

/// The different states of a column, each with a position.
class Reconstruction::Palette {
public:
    explicit Palette(std::span<std::uint8_t const> tip_state) {
        StateMask used = 0;
        for (auto const s : tip_state)
            if (s != no_state) used |= StateMask{1} << s;
        if (used == 0) used = 1;
        for (; used != 0; used &= used - 1) {
            place_[lowest(used)] = static_cast<std::uint8_t>(size_);
            state_[size_++] = lowest(used);
        }
    }
    std::uint32_t size() const { return size_; }
    std::uint8_t state(std::uint32_t place) const { return state_[place]; }
    std::uint32_t place(std::uint8_t state) const { return place_[state]; }

private:
    std::array<std::uint8_t, 32> state_{};
    std::array<std::uint8_t, 32> place_{};
    std::uint32_t size_ = 0;
};

/// Finds a history of least cost (Sankoff 1975). cost(v, above, below) is the cost of edge v with the states at these
/// positions at its ends; root_cost(place) is that of the root.
template <class RootCost, class Cost>
void Reconstruction::find_least(std::span<std::uint8_t const> tip_state, Palette const& palette, RootCost root_cost,
                                Cost cost, History& out) {
    auto const q = palette.size();
    // The state below an edge for which edge and subtree cost least, given the state above, and that cost.
    auto const best_below = [&](std::uint32_t v, std::uint32_t above) {
        auto const* const below = &below_[std::size_t{v} * q];
        auto best = above;
        auto least = below[above] + cost(v, above, above);
        for (std::uint32_t s = 0; s < q; ++s) {
            if (s == above) continue;
            if (auto const sum = below[s] + cost(v, above, s); sum < least) {
                least = sum;
                best = s;
            }
        }
        return std::pair(best, least);
    };
    below_.assign(std::size_t{tree_->num_nodes()} * q, 0);
    for (auto v = tree_->num_nodes(); v-- > 0;) {
        auto* const at = &below_[std::size_t{v} * q];
        if (tree_->is_tip(v) && tip_state[tree_->first_tip[v]] != no_state) {
            std::fill_n(at, q, impossible);
            at[palette.place(tip_state[tree_->first_tip[v]])] = 0;
        }
        if (v == 0) break;
        auto* const above = &below_[std::size_t{tree_->parent[v]} * q];
        for (std::uint32_t s = 0; s < q; ++s) above[s] += best_below(v, s).second;
    }

    auto& place = states_;
    std::uint32_t root = 0;
    for (std::uint32_t s = 1; s < q; ++s)
        if (below_[s] + root_cost(s) < below_[root] + root_cost(root)) root = s;
    place[0] = static_cast<std::uint8_t>(root);
    out.root.push_back(palette.state(root));
    for (std::uint32_t v = 1; v < tree_->num_nodes(); ++v) {
        auto const above = place[tree_->parent[v]];
        place[v] = static_cast<std::uint8_t>(best_below(v, above).first);
        if (place[v] != above) out.changes.push_value({v, palette.state(above), palette.state(place[v])});
    }
    out.changes.end_row();
}

void Reconstruction::cheapest(std::span<std::uint8_t const> tip_state, ChangeCosts const& costs,
                              std::size_t num_changes, History& out) {
    Palette const palette(tip_state);
    auto const q = palette.size();
    if (q == 1) {
        out.root.push_back(palette.state(0));
        out.changes.end_row();
        return;
    }
    std::vector<std::uint32_t> change;
    for (std::uint32_t a = 0; a < q; ++a)
        for (std::uint32_t b = 0; b < q; ++b)
            change.push_back(costs.state[palette.state(a) * costs.num_states + palette.state(b)]);
    auto const among = static_cast<std::uint32_t>(fixed_log2(num_changes + 1) >> (log_bits - 8));
    auto const cost = [&](std::uint32_t v, std::uint32_t above, std::uint32_t below) {
        return above == below ? 0
                              : std::max(costs.edge[v], among + least_edge_cost) - among + change[above * q + below];
    };
    find_least(
        tip_state, palette, [](std::uint32_t) { return 0U; }, cost, out);
}

void Reconstruction::steadiest(std::span<std::uint8_t const> tip_state, ClassCosts const& costs, ClassesBefore& before,
                               History& out) {
    Palette const palette(tip_state);
    auto const root_cost = [&](std::uint32_t place) { return palette.state(place) == before.root ? 0 : costs.root; };
    auto const cost = [&](std::uint32_t v, std::uint32_t above, std::uint32_t below) {
        auto const change = above == below ? no_state : palette.state(below);
        if (change == before.change[v]) return 0U;
        return (before.change[v] == no_state ? 0 : costs.drop) + (change == no_state ? 0 : costs.add[v]);
    };
    find_least(tip_state, palette, root_cost, cost, out);
    before.root = out.root.back();
    std::ranges::fill(before.change, no_state);
    for (auto const& change : out.changes[out.changes.size() - 1]) before.change[change.node] = change.to;
}

}  // namespace regraft::codec
