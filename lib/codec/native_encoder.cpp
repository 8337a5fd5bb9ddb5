// Cells to blocks of the native coding: histories of all columns, then the model from what they have in common, then
// the blocks.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "codec/codec.hpp"
#include "codec/history.hpp"
#include "codec/native_block.hpp"
#include "codec/native_model.hpp"
#include "codec/vector_bytes.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::codec {
namespace {

/// log2 of these must fit into what a share can tell apart.
constexpr std::uint32_t most_tips = 1U << 19;

/// Which sites' residues are first thought to cost less one by one: those whose changes cost so much per cell, in bits
/// with 8 fractional bits.
constexpr std::uint64_t dense_cost = 192;
/// What it costs to say so, about.
constexpr std::uint64_t least_direct_cost = 16 << 8;

/// The sites of a block and what happened to them.
struct BlockHistory {
    History classes;
    History residues;
    Csr<std::uint8_t> direct;  // per site the residues that show, if they are coded one by one; else none
};

/// What there is to be coded.
struct Source {
    msa::Alignment const& alignment;
    RootedTree const& tree;
    Symbols const& symbols;
    std::uint32_t sites_per_block;

    std::size_t num_blocks() const { return (alignment.num_sites() + sites_per_block - 1) / sites_per_block; }
    std::size_t num_sites(std::size_t block) const {
        return std::min<std::size_t>(sites_per_block, alignment.num_sites() - block * sites_per_block);
    }
    std::uint32_t num_edges() const { return tree.num_nodes() - 1; }
    /// Worth waking up other threads.
    bool is_large() const { return alignment.cells.size() > 1 << 13; }
    /// The columns of a block in the order of the tips: [site][tip].
    std::vector<char> columns(std::size_t block) const;
};

std::vector<char> Source::columns(std::size_t block) const {
    std::size_t const num_tips = tree.num_tips();
    std::vector<char> cells(num_tips * num_sites(block));
    auto const row = [&](std::size_t tip) {
        return alignment.cells.data() + tree.row_of_tip[tip] * alignment.num_sites() + block * sites_per_block;
    };
    transpose(num_tips, num_sites(block), row, [&](std::size_t site) { return cells.data() + site * num_tips; });
    return cells;
}

/// Runs work(block) for all blocks, in parallel.
template <class Work>
void for_each_block(Source const& source, Work work) {
    auto const num_blocks = static_cast<std::int64_t>(source.num_blocks());
#pragma omp parallel for schedule(static) if (source.is_large())
    for (std::int64_t block = 0; block < num_blocks; ++block) work(static_cast<std::size_t>(block));
}

// --- Histories
// ---------------------------------------------------------------------------------------------------------

void find_fewest(Source const& source, std::size_t block, BlockHistory& out) {
    auto const cells = source.columns(block);
    auto const num_tips = source.tree.num_tips();
    auto const& classes = source.symbols.classes();
    auto const any_residue = static_cast<StateMask>((std::uint64_t{1} << source.symbols.residues().size()) - 1);
    Reconstruction reconstruction(source.tree);
    std::vector<std::uint8_t> last_classes(source.tree.num_nodes(), 0);
    std::vector<StateMask> class_sets(num_tips);
    std::vector<StateMask> residue_sets(num_tips);
    for (std::size_t first = 0; first < cells.size(); first += num_tips) {
        for (std::uint32_t tip = 0; tip < num_tips; ++tip) {
            auto const cell_class = source.symbols.class_of(cells[first + tip]);
            class_sets[tip] = StateMask{1} << cell_class;
            residue_sets[tip] = classes[cell_class].shows_residue()
                                    ? StateMask{1} << source.symbols.residue_of(cells[first + tip])
                                    : any_residue;
        }
        reconstruction.fewest(class_sets, last_classes, out.classes);
        reconstruction.fewest(residue_sets, {}, out.residues);
    }
}

void find_cheapest(Source const& source, std::size_t block, ChangeCosts const& costs, BlockHistory& out) {
    auto const cells = source.columns(block);
    auto const num_tips = source.tree.num_tips();
    Reconstruction reconstruction(source.tree);
    std::vector<std::uint8_t> residues(num_tips);
    History cheapest;
    for (std::size_t site = 0; site < source.num_sites(block); ++site) {
        for (std::uint32_t tip = 0; tip < num_tips; ++tip) {
            auto const cell = cells[site * num_tips + tip];
            bool const shown = source.symbols.classes()[source.symbols.class_of(cell)].shows_residue();
            residues[tip] = shown ? source.symbols.residue_of(cell) : Reconstruction::no_state;
        }
        reconstruction.cheapest(residues, costs, out.residues.changes[site].size(), cheapest);
    }
    out.residues = std::move(cheapest);
}

/// How often there is a change on the edge above each node.
template <class Changes>
std::vector<std::uint64_t> count_edges(Source const& source, std::vector<BlockHistory> const& histories,
                                       Changes changes_of) {
    std::vector<std::uint64_t> events(source.tree.num_nodes());
    for (auto const& history : histories) changes_of(history, [&](std::uint32_t node) { ++events[node]; });
    return events;
}

EdgeWeights residue_weights(Source const& source, std::vector<BlockHistory> const& histories) {
    auto const changes = [](BlockHistory const& history, auto count) {
        for (auto const& change : history.residues.changes.values) count(change.node);
    };
    return {source.tree, count_edges(source, histories, changes)};
}

/// Calls take for what is different at each site from the one before.
template <class Take>
void for_each_step(History const& classes, Take take) {
    ClassState state;
    for (std::size_t site = 0; site < classes.root.size(); ++site) {
        auto const step = state.step_to(classes.root[site], classes.changes[site]);
        take(step);
        state.apply(step);
    }
}

/// Only changes that were not there at the site before are drawn from the edges.
EdgeWeights class_weights(Source const& source, std::vector<BlockHistory> const& histories) {
    auto const changes = [](BlockHistory const& history, auto count) {
        for_each_step(history.classes, [&](ClassStep const& step) {
            for (auto const edge : step.added) count(edge + 1);
        });
    };
    return {source.tree, count_edges(source, histories, changes)};
}

/// As the histories so far suggest.
ChangeCosts change_costs(Source const& source, std::vector<BlockHistory> const& histories) {
    auto const n = static_cast<std::uint32_t>(source.symbols.residues().size());
    ChangeCosts costs{n, residue_weights(source, histories).costs(), std::vector<std::uint32_t>(n * n)};
    // A third of an event for what was never seen.
    std::vector<std::uint64_t> seen(n * n, 1);
    for (auto const& history : histories)
        for (auto const& change : history.residues.changes.values) seen[change.from * n + change.to] += 3;
    for (std::uint32_t from = 0; from < n; ++from) {
        seen[from * n + from] = 0;
        auto const sum = std::reduce(&seen[from * n], &seen[from * n] + n);
        for (std::uint32_t to = 0; to < n; ++to) {
            if (from == to) continue;
            auto const bits = fixed_log2(sum) - fixed_log2(seen[from * n + to]);
            costs.state[from * n + to] = static_cast<std::uint32_t>(bits >> (log_bits - 8));
        }
    }
    return costs;
}

// --- Coding
// ------------------------------------------------------------------------------------------------------------

/// Counts symbols by table.
class Counter {
public:
    explicit Counter(TableLayout const& layout) : counts_(layout.size) {}
    std::uint32_t symbol(std::uint32_t table, std::uint32_t s) {
        ++counts_[table][s];
        return s;
    }
    std::uint32_t number(std::uint32_t table, std::uint32_t n) {
        ++counts_[table][split_number(n).symbol];
        return n;
    }
    static std::uint32_t item(Line, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t i) { return i; }

    void add(Counter const& other) {
        for (std::size_t t = 0; t < counts_.size(); ++t)
            for (std::size_t s = 0; s < most_symbols; ++s) counts_[t][s] += other.counts_[t][s];
    }
    std::vector<SymbolCounts> const& counts() const { return counts_; }

private:
    std::vector<SymbolCounts> counts_;
};

/// Lists the shares of what is coded.
class Recorder {
public:
    Recorder(NativeModel const& model, NativeLines const& lines) : model_(&model), lines_(&lines) {}
    std::uint32_t symbol(std::uint32_t table, std::uint32_t s) {
        auto const share = model_->tables[table].share(s);
        REGRAFT_ASSERT(share.size > 0);
        shares_.push_back(share);
        return s;
    }
    std::uint32_t number(std::uint32_t table, std::uint32_t n) {
        auto const split = split_number(n);
        symbol(table, split.symbol);
        if (split.raw_bits != 0) shares_.push_back({split.raw, 1, split.raw_bits});
        return n;
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
            code_count(coder, layout, num_edges, counts, num_edges + 1);
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

Counter count_symbols(Source const& source, TableLayout const& layout, std::vector<BlockHistory> const& histories) {
    Counter sum(layout);
#pragma omp parallel if (source.is_large())
    {
        Counter mine(layout);
#pragma omp for schedule(static)
        for (std::size_t block = 0; block < histories.size(); ++block)
            code_block(mine, layout, source.num_edges(), histories[block]);
#pragma omp critical
        sum.add(mine);
    }
    return sum;
}

// --- Sites whose residues are coded one by one
// -------------------------------------------------------------------------

/// What the changes of a site cost, in bits with 8 fractional bits: k draws, of which the order means nothing.
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

/// Lists the residues of those sites whose changes cost more than limit(residues). Returns by how much they do, in all.
template <class Limit>
std::uint64_t list_direct(Source const& source, ChangeCosts const& costs, std::vector<BlockHistory>& histories,
                          Limit limit) {
    std::vector<std::uint64_t> saved(histories.size());
    for_each_block(source, [&](std::size_t block) {
        auto& history = histories[block];
        history.direct = {};
        std::vector<char> cells;
        auto const num_tips = source.tree.num_tips();
        for (std::size_t site = 0; site < source.num_sites(block); ++site) {
            auto const cost = cost_of_changes(history.residues.changes[site], costs);
            if (cost > least_direct_cost) {
                if (cells.empty()) cells = source.columns(block);
                auto const shown = shown_residues(source.symbols, std::span(cells).subspan(site * num_tips, num_tips));
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

/// Adds up what code_direct would cost.
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

std::uint64_t header_bits(TableLayout const& layout, std::span<SymbolCounts const> counts, std::uint32_t first,
                          std::uint32_t last) {
    BitWriter out;
    for (auto t = first; t < last; ++t) FrequencyTable(counts[t]).write(out, layout.num_symbols(t));
    return out.size() << 8;
}

/// Finds the sites whose residues cost less one by one than as changes: first those that look like it, then, with
/// tables made for these, those for which it is so.
void choose_direct(Source const& source, ChangeCosts const& costs, std::vector<BlockHistory>& histories) {
    TableLayout const layout(1, costs.num_states, {});
    list_direct(source, costs, histories, [](auto const& shown) { return shown.size() * dense_cost; });
    Counter counter(layout);
    for (auto& history : histories)
        for (std::size_t site = 0; site < history.direct.size(); ++site)
            if (!history.direct[site].empty()) code_direct(counter, layout, history.direct[site]);
    std::vector<FrequencyTable> tables;
    for (auto const& counts : counter.counts()) tables.emplace_back(counts);
    auto const saved = list_direct(source, costs, histories, [&](std::vector<std::uint8_t> shown) {
        DirectCost cost(tables);
        code_direct(cost, layout, shown);
        return cost.bits() + least_direct_cost;
    });
    if (saved > header_bits(layout, counter.counts(), layout.direct, layout.size)) return;
    for (auto& history : histories) {
        history.direct.values.clear();
        std::ranges::fill(history.direct.offsets, 0);
    }
}

// --- The model and the blocks
// ------------------------------------------------------------------------------------------

/// The counts of a layout from those of one with more contexts.
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

/// What tables and all that is coded with them take, in bits with 8 fractional bits.
std::uint64_t cost(TableLayout const& layout, std::span<SymbolCounts const> counts) {
    auto sum = header_bits(layout, counts, 0, layout.size);
    for (auto const& c : counts) sum += FrequencyTable(c).cost(c);
    return sum;
}

NativeModel make_model(Source const& source, std::vector<BlockHistory> const& histories) {
    auto const num_classes = static_cast<std::uint32_t>(source.symbols.classes().size());
    auto const num_residues = static_cast<std::uint32_t>(source.symbols.residues().size());
    TableLayout const fine(num_classes, num_residues,
                           {CountContext::last_and_third_last_site, TargetContext::state_and_candidate});
    auto const fine_counts = count_symbols(source, fine, histories).counts();
    auto layout = fine;
    auto counts = fine_counts;
    for (auto const count : {CountContext::last_and_third_last_site, CountContext::last_site, CountContext::none}) {
        for (auto const target : {TargetContext::state_and_candidate, TargetContext::state}) {
            TableLayout const other(num_classes, num_residues, {count, target});
            auto other_counts = merge(fine, fine_counts, other);
            if (cost(other, other_counts) >= cost(layout, counts)) continue;
            layout = other;
            counts = std::move(other_counts);
        }
    }
    std::vector<FrequencyTable> tables;
    for (auto const& c : counts) tables.emplace_back(c);
    return {source.symbols, layout, std::move(tables), residue_weights(source, histories),
            class_weights(source, histories)};
}

Csr<std::byte> code_blocks(Source const& source, NativeModel const& model, std::vector<BlockHistory> const& histories) {
    NativeLines const lines(model, source.tree);
    std::vector<std::vector<std::byte>> blocks(histories.size());
    for_each_block(source, [&](std::size_t block) {
        Recorder recorder(model, lines);
        code_block(recorder, model.layout, source.num_edges(), histories[block]);
        append_rans(recorder.shares(), blocks[block]);
    });
    Csr<std::byte> out;
    for (auto const& block : blocks) out.push_row(block);
    return out;
}

// --- Sites per block
// ---------------------------------------------------------------------------------------------------

/// Blocks grow while decoding one takes less than this: cells, and changes as so many cells. About 100 us.
constexpr std::uint64_t most_work = 1 << 17;
constexpr std::uint64_t work_per_change = 64;
/// Nor do they stay so small that what each costs by itself would matter, as long as they fit into a cache.
constexpr std::uint64_t fewest_changes = 256;
constexpr std::uint64_t most_cells = 1 << 19;
constexpr std::uint32_t most_sites_per_block = 512;

/// Changes per block, about: of some blocks, evenly chosen, and of classes only those that start or end.
double changes_per_block(Source const& source) {
    constexpr std::size_t most_samples = 64;
    auto const num_blocks = source.num_blocks();
    auto const num_samples = static_cast<std::int64_t>(std::min(num_blocks, most_samples));
    std::vector<std::uint64_t> changes(static_cast<std::size_t>(num_samples));
#pragma omp parallel for schedule(static) if (source.is_large())
    for (std::int64_t i = 0; i < num_samples; ++i) {
        auto const sample = static_cast<std::size_t>(i);
        BlockHistory history;
        find_fewest(source, sample * num_blocks / changes.size(), history);
        changes[sample] = history.residues.changes.values.size();
        for_each_step(history.classes, [&](ClassStep const& step) { changes[sample] += step.added.size(); });
    }
    return static_cast<double>(std::reduce(changes.begin(), changes.end())) / static_cast<double>(changes.size());
}

std::uint32_t choose_sites_per_block(Source source) {
    auto sites = default_sites_per_block;
    source.sites_per_block = sites;
    if (source.num_blocks() == 0) return sites;
    auto changes = changes_per_block(source);
    auto cells = static_cast<double>(source.tree.num_tips()) * sites;
    while (sites < most_sites_per_block && 2 * cells <= most_cells &&
           (changes < fewest_changes || 2 * (cells + work_per_change * changes) <= most_work)) {
        sites *= 2;
        changes *= 2;
        cells *= 2;
    }
    return sites;
}

int num_passes(Effort effort) {
    return effort == Effort::fast ? 0 : effort == Effort::normal ? 1 : 3;
}

}  // namespace

EncodedColumns encode_native(msa::Alignment const& alignment, RootedTree const& tree, EncodeOptions const& options) {
    if (tree.num_tips() > most_tips) throw InputError("the native coding takes 524288 taxa at most");
    Symbols const symbols(alignment);
    Source source{alignment, tree, symbols, options.sites_per_block};
    if (source.sites_per_block == 0) source.sites_per_block = choose_sites_per_block(source);
    std::vector<BlockHistory> histories(source.num_blocks());
    for_each_block(source, [&](std::size_t block) { find_fewest(source, block, histories[block]); });
    for (int pass = 0; pass < num_passes(options.effort); ++pass) {
        auto const costs = change_costs(source, histories);
        for_each_block(source, [&](std::size_t block) { find_cheapest(source, block, costs, histories[block]); });
    }
    choose_direct(source, change_costs(source, histories), histories);
    auto const model = make_model(source, histories);
    EncodedColumns out;
    out.kind = Kind::native;
    out.sites_per_block = source.sites_per_block;
    out.model = model.write(tree);
    out.blocks = code_blocks(source, model, histories);
    return out;
}

}  // namespace regraft::codec
