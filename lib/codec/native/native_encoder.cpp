// Encodes cells to blocks of the native coding: first the histories of all columns, then the model from what they have
// in common, then the blocks.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <ranges>
#include <utility>
#include <vector>

#include "codec/codec.hpp"
#include "codec/entropy/symbol_counter.hpp"
#include "codec/native/native_block.hpp"
#include "codec/native/native_direct.hpp"
#include "codec/native/native_histories.hpp"
#include "codec/native/native_input.hpp"
#include "codec/native/native_model.hpp"
#include "codec/native/table_coder.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::codec {
namespace {

/// Records the shares of everything that is coded.
class Recorder {
public:
    Recorder(NativeModel const& model, NativeLines const& lines) : model_(&model), lines_(&lines) {}
    std::uint32_t symbol(std::uint32_t table, std::uint32_t s) {
        auto const share = model_->tables[table].share(s);
        REGRAFT_ASSERT(share.size > 0);
        shares_.push_back(share);
        return s;
    }
    std::uint32_t raw(std::uint32_t, std::uint32_t bits, std::uint32_t r) {
        shares_.push_back({r, 1, bits});
        return r;
    }
    std::uint32_t item(Line line, std::uint32_t size, std::uint32_t first, std::uint32_t count, std::uint32_t i) {
        shares_.push_back(lines_->share(line, size, first, count, i));
        return i;
    }
    std::span<Share const> shares() const { return shares_; }

private:
    NativeModel const* model_;
    NativeLines const* lines_;
    std::vector<Share> shares_;
};

template <class Coder>
void code_block(Coder& coder, TableLayout const& layout, std::uint32_t num_edges, BlockHistory const& history) {
    ClassState classes;
    CountMemory counts;
    std::vector<std::uint32_t> edges;
    for (std::size_t site = 0; site < history.classes.root.size(); ++site) {
        auto step = classes.step_to(history.classes.root[site], history.classes.changes[site]);
        code_classes(coder, layout, num_edges, classes, step);
        classes.apply(step);

        if (auto const residues = history.direct[site]; !residues.empty()) {
            code_count(coder, layout, num_edges, counts, direct_residues);
            std::vector<std::uint8_t> copy(residues.begin(), residues.end());
            code_direct(coder, layout, copy);
            continue;
        }
        auto const changes = history.residues.changes[site];
        code_count(coder, layout, num_edges, counts, static_cast<std::uint32_t>(changes.size()));
        coder.symbol(layout.root_residue, history.residues.root[site]);
        edges.clear();
        for (auto const& change : changes) edges.push_back(change.node - 1);
        code_items(coder, Line::residue_edges, num_edges, edges);
        TargetMemory memory(history.residues.root[site]);
        for (auto const& change : changes) {
            coder.symbol(memory.table(layout, change.from), change.to);
            memory.add(change.from, change.to);
        }
    }
}

SymbolCounter count_symbols(NativeInput const& input, TableLayout const& layout,
                            std::vector<BlockHistory> const& histories) {
    // Enough parts to keep all threads busy; sums of integers are the same in any order.
    constexpr std::size_t num_parts = 64;
    SymbolCounter sum(layout.size);
    for_each_index(input, std::min(histories.size(), num_parts), [&](std::size_t part) {
        SymbolCounter mine(layout.size);
        for (auto block = part; block < histories.size(); block += num_parts)
            code_block(mine, layout, input.num_edges(), histories[block]);
#pragma omp critical(regraft_codec_count_symbols)
        sum.add(mine);
    });
    return sum;
}

/// Derives the counts of a layout from those of one with more contexts.
std::vector<SymbolCounts> merge(TableLayout const& fine, std::span<SymbolCounts const> counts,
                                TableLayout const& coarse) {
    std::vector<SymbolCounts> out(counts.begin(), counts.begin() + coarse.change_count);
    auto const part = [&](std::uint32_t first, std::uint32_t last, std::uint32_t parts) {
        auto const begin = out.size();
        out.resize(begin + parts);
        for (auto t = first; t < last; ++t)
            for (std::uint32_t s = 0; s < most_symbols; ++s)
                out[begin + std::uint64_t{t - first} * parts / (last - first)][s] += counts[t][s];
    };
    part(fine.change_count, fine.residue_target, coarse.residue_target - coarse.change_count);
    part(fine.residue_target, fine.direct, coarse.direct - coarse.residue_target);
    out.insert(out.end(), counts.begin() + fine.direct, counts.end());
    return out;
}

/// A layout and its tables, or the first of them.
struct Tables {
    TableLayout layout;
    ChosenTables chosen;
};

/// Chooses contexts and tables for counts of the layout with most contexts. Contexts of targets come after those of
/// numbers of changes, so each is chosen on its own.
class TableChooser {
public:
    TableChooser(NativeInput const& input, std::vector<BlockHistory> const& histories)
        : input_(input),
          fine_(layout({CountContext::last_and_third_last_site, TargetContext::state_and_candidate})),
          fine_counts_(count_symbols(input, fine_, histories).counts()) {}

    Tables best() const {
        auto const first = chosen_until(fine_.contexts, &TableLayout::change_count, {});
        constexpr std::array counts{CountContext::last_and_third_last_site, CountContext::last_site,
                                    CountContext::none};
        auto const with_counts = best_of(counts, [&](CountContext count) {
            return chosen_until({count, fine_.contexts.target}, &TableLayout::residue_target, first.chosen);
        });
        constexpr std::array targets{TargetContext::state_and_candidate, TargetContext::state};
        return best_of(targets, [&](TargetContext target) {
            return chosen_until({with_counts.layout.contexts.count, target}, &TableLayout::size, with_counts.chosen);
        });
    }

private:
    TableLayout layout(Contexts contexts) const {
        return {static_cast<std::uint32_t>(input_.symbols.classes().size()),
                static_cast<std::uint32_t>(input_.symbols.residues().size()), contexts};
    }
    Tables chosen_until(Contexts contexts, std::uint32_t TableLayout::*last, ChosenTables before) const {
        auto const other = layout(contexts);
        return {other, choose_tables({other, input_.symbols, input_.num_edges()}, merge(fine_, fine_counts_, other),
                                     other.*last, std::move(before))};
    }
    /// The first of the smallest.
    template <class Choices, class Choose>
    static Tables best_of(Choices const& choices, Choose&& choose) {
        auto best = choose(choices.front());
        for (auto const choice : choices | std::views::drop(1)) {
            auto other = choose(choice);
            if (other.chosen.bits < best.chosen.bits) best = std::move(other);
        }
        return best;
    }

    NativeInput const& input_;
    TableLayout fine_;
    std::vector<SymbolCounts> fine_counts_;
};

NativeModel make_model(NativeInput const& input, std::vector<BlockHistory> const& histories) {
    auto const best = TableChooser(input, histories).best();
    std::vector<FrequencyTable> tables(best.chosen.codes.begin(), best.chosen.codes.end());
    return {input.symbols, best.layout, std::move(tables), residue_weights(input, histories),
            class_weights(input, histories)};
}

Csr<std::byte> code_blocks(NativeInput const& input, NativeModel const& model,
                           std::vector<BlockHistory> const& histories) {
    NativeLines const lines(model, input.tree);
    std::vector<std::vector<std::byte>> blocks(histories.size());
    for_each_block(input, [&](std::size_t block) {
        Recorder recorder(model, lines);
        code_block(recorder, model.layout, input.num_edges(), histories[block]);
        append_rans(recorder.shares(), blocks[block]);
    });
    Csr<std::byte> out;
    for (auto const& block : blocks) out.push_row(block);
    return out;
}

/// Blocks grow as long as decoding one takes less than this work. It is counted in cells; a change counts as
/// work_per_change cells. It takes about 100 us.
constexpr std::uint64_t most_work = 1 << 17;
constexpr std::uint64_t work_per_change = 64;
/// Blocks with fewer changes than this grow further, so that the fixed cost of a block does not matter, as long as they
/// fit into a cache.
constexpr std::uint64_t fewest_changes = 256;
constexpr std::uint64_t most_cells = 1 << 19;
constexpr std::uint32_t most_sites_per_block = 512;

/// The approximate number of changes per block, from evenly chosen blocks. Of classes, only changes that start or end
/// count.
double changes_per_block(NativeInput const& input) {
    constexpr std::size_t most_samples = 64;
    auto const num_blocks = input.num_blocks();
    std::vector<std::uint64_t> changes(std::min(num_blocks, most_samples));
    for_each_index(input, changes.size(), [&](std::size_t sample) {
        BlockHistory history;
        find_fewest(input, sample * num_blocks / changes.size(), history);
        changes[sample] = history.residues.changes.values.size();
        for_each_step(history.classes, [&](ClassStep const& step) { changes[sample] += step.added.size(); });
    });
    return static_cast<double>(std::reduce(changes.begin(), changes.end())) / static_cast<double>(changes.size());
}

/// `times`: how many times the usual work a block may take.
std::uint32_t choose_sites_per_block(NativeInput input, std::uint64_t times) {
    auto sites = default_sites_per_block;
    input.sites_per_block = sites;
    if (input.num_blocks() == 0) return sites;
    auto const work_limit = static_cast<double>(most_work * times);
    auto const cell_limit = static_cast<double>(most_cells * times);
    auto changes = changes_per_block(input);
    auto cells = static_cast<double>(input.tree.num_tips()) * sites;
    while (sites < most_sites_per_block * times && 2 * cells <= cell_limit &&
           (changes < fewest_changes || 2 * (cells + work_per_change * changes) <= work_limit)) {
        sites *= 2;
        changes *= 2;
        cells *= 2;
    }
    return sites;
}

}  // namespace

EncodedColumns encode_native(msa::Alignment const& alignment, RootedTree const& tree, EncodeOptions const& options) {
    check_native_taxa(tree);
    Symbols const symbols(alignment);
    NativeInput input{alignment, tree, symbols, options.sites_per_block};
    if (input.sites_per_block == 0) input.sites_per_block = choose_sites_per_block(input, options.work_per_block);
    auto histories = find_histories(input, options.effort);
    choose_direct(input, change_costs(input, histories), histories);
    auto const model = make_model(input, histories);
    EncodedColumns out;
    out.kind = Kind::native;
    out.sites_per_block = input.sites_per_block;
    out.model = model.write(tree);
    out.blocks = code_blocks(input, model, histories);
    return out;
}

}  // namespace regraft::codec
