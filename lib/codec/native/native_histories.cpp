#include "codec/native/native_histories.hpp"

#include <numeric>
#include <utility>

#include "codec/entropy/fixed_log.hpp"

namespace regraft::codec {
namespace {

void find_cheapest(NativeInput const& input, std::size_t block, ChangeCosts const& costs, BlockHistory& out) {
    auto const cells = input.columns(block);
    auto const num_tips = input.tree.num_tips();
    Reconstruction reconstruction(input.tree);
    std::vector<std::uint8_t> residues(num_tips);
    History cheapest;
    for (std::size_t site = 0; site < input.num_sites(block); ++site) {
        for (std::uint32_t tip = 0; tip < num_tips; ++tip) {
            auto const cell = cells[site * num_tips + tip];
            bool const shown = input.symbols.classes()[input.symbols.class_of(cell)].shows_residue();
            residues[tip] = shown ? input.symbols.residue_of(cell) : Reconstruction::no_state;
        }
        reconstruction.cheapest(residues, costs, out.residues.changes[site].size(), cheapest);
    }
    out.residues = std::move(cheapest);
}

/// The number of changes on the edge above each node.
template <class Changes>
std::vector<std::uint64_t> count_edges(NativeInput const& input, std::vector<BlockHistory> const& histories,
                                       Changes changes_of) {
    std::vector<std::uint64_t> events(input.tree.num_nodes());
    for (auto const& history : histories) changes_of(history, [&](std::uint32_t node) { ++events[node]; });
    return events;
}

/// Costs from the histories so far. A new class costs one bit, everything else two: more precise costs save hardly
/// anything.
ClassCosts class_costs(NativeInput const& input, std::vector<BlockHistory> const& histories) {
    constexpr std::uint32_t bit = 256;
    ClassCosts costs{.add = class_weights(input, histories).costs(), .drop = 2 * bit, .root = 2 * bit};
    for (auto& cost : costs.add) cost += bit;
    return costs;
}

/// Finds the histories of a block's classes that change least from site to site.
void find_steadiest(NativeInput const& input, std::size_t block, ClassCosts const& costs, BlockHistory& out) {
    auto const cells = input.columns(block);
    auto const num_tips = input.tree.num_tips();
    Reconstruction reconstruction(input.tree);
    ClassesBefore before{0, std::vector<std::uint8_t>(input.tree.num_nodes(), Reconstruction::no_state)};
    std::vector<std::uint8_t> classes(num_tips, 0);
    std::vector<std::uint8_t> last(num_tips, 0);
    History steadiest;
    for (std::size_t site = 0; site < input.num_sites(block); ++site) {
        for (std::uint32_t tip = 0; tip < num_tips; ++tip)
            classes[tip] = input.symbols.class_of(cells[site * num_tips + tip]);
        if (classes == last) {
            steadiest.repeat();
        } else {
            reconstruction.steadiest(classes, costs, before, steadiest);
            std::swap(classes, last);
        }
    }
    out.classes = std::move(steadiest);
}

/// The number of passes in which the cheapest histories are searched.
int num_passes(Effort effort) {
    return effort == Effort::fast ? 0 : effort == Effort::normal ? 1 : 3;
}

}  // namespace

void find_fewest(NativeInput const& input, std::size_t block, BlockHistory& out) {
    auto const cells = input.columns(block);
    auto const num_tips = input.tree.num_tips();
    auto const& classes = input.symbols.classes();
    auto const any_residue = static_cast<StateMask>((std::uint64_t{1} << input.symbols.residues().size()) - 1);
    Reconstruction reconstruction(input.tree);
    std::vector<std::uint8_t> last_classes(input.tree.num_nodes(), 0);
    std::vector<StateMask> class_sets(num_tips);
    std::vector<StateMask> residue_sets(num_tips);
    for (std::size_t first = 0; first < cells.size(); first += num_tips) {
        for (std::uint32_t tip = 0; tip < num_tips; ++tip) {
            auto const cell_class = input.symbols.class_of(cells[first + tip]);
            class_sets[tip] = StateMask{1} << cell_class;
            residue_sets[tip] = classes[cell_class].shows_residue()
                                    ? StateMask{1} << input.symbols.residue_of(cells[first + tip])
                                    : any_residue;
        }
        reconstruction.fewest(class_sets, last_classes, out.classes);
        reconstruction.fewest(residue_sets, {}, out.residues);
    }
}

EdgeWeights residue_weights(NativeInput const& input, std::vector<BlockHistory> const& histories) {
    auto const changes = [](BlockHistory const& history, auto count) {
        for (auto const& change : history.residues.changes.values) count(change.node);
    };
    return {input.tree, count_edges(input, histories, changes)};
}

EdgeWeights class_weights(NativeInput const& input, std::vector<BlockHistory> const& histories) {
    auto const changes = [](BlockHistory const& history, auto count) {
        for_each_step(history.classes, [&](ClassStep const& step) {
            for (auto const edge : step.added) count(edge + 1);
        });
    };
    return {input.tree, count_edges(input, histories, changes)};
}

namespace {

/// Before any was seen, the changes from a state count as two events for each three states.
void expect_changes(Symbols const& symbols, std::size_t from, std::span<std::uint64_t> seen) {
    auto const codes = expected_changes(symbols.kind(), symbols.residues(), static_cast<std::uint32_t>(from));
    std::uint64_t sum = 0;
    for (std::size_t to = 0; to < seen.size(); ++to) sum += weight_of_code(codes[to]);
    for (std::size_t to = 0; to < seen.size(); ++to) seen[to] = 1 + weight_of_code(codes[to]) * 2 * seen.size() / sum;
}

}  // namespace

ChangeCosts change_costs(NativeInput const& input, std::vector<BlockHistory> const& histories) {
    auto const n = input.symbols.residues().size();
    ChangeCosts costs{static_cast<std::uint32_t>(n), residue_weights(input, histories).costs(),
                      std::vector<std::uint32_t>(n * n)};
    std::vector<std::uint64_t> seen(n * n);
    for (std::size_t from = 0; from < n; ++from)
        expect_changes(input.symbols, from, std::span(seen).subspan(n * from, n));
    for (auto const& history : histories)
        for (auto const& change : history.residues.changes.values) seen[change.from * n + change.to] += 3;
    for (std::size_t from = 0; from < n; ++from) {
        seen[from * n + from] = 0;
        auto const sum = std::reduce(&seen[from * n], &seen[from * n] + n);
        for (std::size_t to = 0; to < n; ++to) {
            if (from == to) continue;
            auto const bits = fixed_log2(sum) - fixed_log2(seen[from * n + to]);
            costs.state[from * n + to] = static_cast<std::uint32_t>(bits >> (log_bits - 8));
        }
    }
    return costs;
}

std::vector<BlockHistory> find_histories(NativeInput const& input, Effort effort) {
    std::vector<BlockHistory> histories(input.num_blocks());
    for_each_block(input, [&](std::size_t block) { find_fewest(input, block, histories[block]); });
    for (int pass = 0; pass < num_passes(effort); ++pass) {
        auto const of_classes = class_costs(input, histories);
        for_each_block(input, [&](std::size_t block) { find_steadiest(input, block, of_classes, histories[block]); });
        auto const costs = change_costs(input, histories);
        for_each_block(input, [&](std::size_t block) { find_cheapest(input, block, costs, histories[block]); });
    }
    return histories;
}

}  // namespace regraft::codec
