#include "codec/native/native_direct.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>

#include "codec/entropy/fixed_log.hpp"
#include "codec/entropy/symbol_counter.hpp"
#include "codec/native/table_coder.hpp"

namespace regraft::codec {
namespace {

/// Cost per cell, in bits with 8 fractional bits, above which a site's changes make it a first candidate for direct
/// coding.
constexpr std::uint64_t dense_cost = 192;
/// Sites whose changes cost less are not considered.
constexpr std::uint64_t least_cost = 8 << 8;
/// What a direct site saves beside its changes: the state of the root, and some bits of the number of changes.
constexpr std::uint64_t saved_besides = 4 << 8;

/// The cost of a site's changes, in bits with 8 fractional bits: k draws whose order does not matter.
std::uint64_t cost_of_changes(std::span<Change const> changes, ChangeCosts const& costs) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        auto const& change = changes[i];
        auto const order = fixed_log2(i + 1) >> (log_bits - 8);
        auto const cost = costs.edge[change.node] + costs.state[change.from * costs.num_states + change.to];
        sum += cost - std::min<std::uint64_t>(order, cost);
    }
    return sum;
}

/// The residues that show at a site.
std::vector<std::uint8_t> shown_residues(Symbols const& symbols, std::span<char const> column) {
    std::vector<std::uint8_t> shown;
    for (auto const cell : column)
        if (symbols.classes()[symbols.class_of(cell)].shows_residue()) shown.push_back(symbols.residue_of(cell));
    return shown;
}

/// Lists the residues of those sites whose changes cost more than limit(residues). Returns the sum of the differences.
template <class Limit>
std::uint64_t list_direct(NativeInput const& input, ChangeCosts const& costs, std::vector<BlockHistory>& histories,
                          Limit limit) {
    std::vector<std::uint64_t> saved(histories.size());
    for_each_block(input, [&](std::size_t block) {
        auto& history = histories[block];
        history.direct = {};
        std::vector<char> cells;
        auto const num_tips = input.tree.num_tips();
        for (std::size_t site = 0; site < input.num_sites(block); ++site) {
            auto const cost = cost_of_changes(history.residues.changes[site], costs);
            if (cost > least_cost) {
                if (cells.empty()) cells = input.columns(block);
                auto const shown = shown_residues(input.symbols, std::span(cells).subspan(site * num_tips, num_tips));
                if (auto const most = limit(shown); cost > most) {
                    saved[block] += cost - most;
                    for (auto const residue : shown) history.direct.push_value(residue);
                }
            }
            history.direct.end_row();
        }
    });
    return std::reduce(saved.begin(), saved.end());
}

/// Adds up the cost of code_direct.
class DirectCost {
public:
    explicit DirectCost(std::span<FrequencyTable const> tables) : tables_(tables) {}
    std::uint32_t symbol(std::uint32_t table, std::uint32_t s) {
        bits_ += tables_[table].occurs(s) ? tables_[table].cost(s) : never;
        return s;
    }
    std::uint64_t bits() const { return bits_; }

private:
    static constexpr std::uint64_t never = std::uint64_t{1} << 32;
    std::span<FrequencyTable const> tables_;
    std::uint64_t bits_ = 0;
};

}  // namespace

void choose_direct(NativeInput const& input, ChangeCosts const& costs, std::vector<BlockHistory>& histories) {
    TableLayout const layout(1, costs.num_states, {});
    list_direct(input, costs, histories, [](auto const& shown) { return shown.size() * dense_cost; });
    SymbolCounter counter(layout.size);
    std::uint64_t num_direct = 0;
    for (auto& history : histories) {
        for (std::size_t site = 0; site < history.direct.size(); ++site) {
            if (history.direct[site].empty()) continue;
            code_direct(counter, layout, history.direct[site]);
            ++num_direct;
        }
    }
    if (num_direct == 0) return;
    auto const to_say_so = (fixed_log2(input.alignment.num_sites()) - fixed_log2(num_direct)) >> (log_bits - 8);
    std::vector<FrequencyTable> tables;
    for (auto const& counts : counter.counts()) tables.emplace_back(counts);
    auto const saved = list_direct(input, costs, histories, [&](std::vector<std::uint8_t> shown) {
        DirectCost cost(tables);
        code_direct(cost, layout, shown);
        return cost.bits() + to_say_so - std::min(cost.bits() + to_say_so, saved_besides);
    });
    ExpectedTables const expected(layout, input.symbols, input.num_edges());
    auto for_tables = choose_tables(expected, counter.counts(), layout.size).bits;
    for (std::size_t t = 0; t < tables.size(); ++t)
        for_tables -= std::min(for_tables, tables[t].cost(counter.counts()[t]));
    if (saved > for_tables) return;
    for (auto& history : histories) {
        history.direct.values.clear();
        std::ranges::fill(history.direct.offsets, 0);
    }
}

}  // namespace regraft::codec
