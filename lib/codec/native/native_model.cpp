#include "codec/native/native_model.hpp"

#include <bit>
#include <string>

#include "codec/native/table_coder.hpp"
#include "regraft/codec/columns.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::codec {
namespace {

constexpr std::uint32_t num_candidates = 6;  // the four most frequent states, any other one, and none

constexpr std::array<NumberRange, most_symbols> make_ranges() {
    std::array<NumberRange, most_symbols> table{};
    for (std::uint32_t s = 0; s < 8; ++s) table[s] = {s, 0};
    for (std::uint32_t s = 8; s < 14; ++s) {
        auto const octave = 3 + (s - 8) / 2;
        table[s] = {(2 + s % 2) << (octave - 1), octave - 1};
    }
    for (std::uint32_t s = 14; s < most_symbols; ++s) table[s] = {1U << (s - 8), s - 8};
    return table;
}

std::uint32_t num_count_contexts(CountContext context) {
    switch (context) {
        case CountContext::none:
            return 1;
        case CountContext::last_site:
            return 5;
        case CountContext::last_and_third_last_site:
            return 25;
    }
    throw InputError("numbers of changes are predicted in a way that is not known");
}

}  // namespace

constinit std::array<NumberRange, most_symbols> const number_ranges = make_ranges();

std::uint32_t symbol_of(std::uint32_t number) {
    if (number < 8) return number;
    auto const octave = static_cast<std::uint32_t>(std::bit_width(number) - 1);
    return octave < 6 ? 8 + 2 * (octave - 3) + (number >> (octave - 1) & 1) : octave + 8;
}

TableLayout::TableLayout(std::uint32_t classes, std::uint32_t residues, Contexts how)
    : num_classes(classes), num_residues(residues), contexts(how) {
    class_target = root_class + num_classes;
    change_count = class_target + num_classes + 1;
    residue_target = change_count + num_count_contexts(contexts.count);
    direct = residue_target + num_residues * (contexts.target == TargetContext::state ? 1 : num_candidates);
    size = direct + num_residues + 1;
}

std::uint32_t TableLayout::num_symbols(std::uint32_t table) const {
    if (table < dropped) return 2;
    if (table < drop_count) return 3;
    if (table < root_residue) return most_symbols;
    if (table == root_residue) return num_residues;
    if (table < change_count) return num_classes;
    return table < residue_target ? most_symbols : num_residues;
}

void check_native_taxa(RootedTree const& tree) {
    if (tree.num_tips() <= most_native_taxa) return;
    throw InputError("there are " + std::to_string(tree.num_tips()) + " taxa, the native coding takes at most " +
                     std::to_string(most_native_taxa));
}

std::vector<std::byte> NativeModel::write(RootedTree const& tree) const {
    RangeEncoder out;
    symbols.write(out);
    out.uniform(static_cast<std::uint32_t>(layout.contexts.count), 3);
    out.uniform(static_cast<std::uint32_t>(layout.contexts.target), 2);
    std::vector<TableCodes> codes;
    for (auto const& table : tables) codes.push_back(table.codes());
    ExpectedTables const expected(layout, symbols, tree.num_nodes() - 1);
    TableCoder(out, expected).code(layout, codes);
    for (auto edges : {residue_edges, class_edges}) edges.code(out, tree);
    return out.finish_briefly();
}

NativeModel NativeModel::read(std::span<std::byte const> bytes, RootedTree const& tree) {
    RangeDecoder in(bytes, most_zeros_behind_end);
    Symbols symbols(in);
    auto const count = static_cast<CountContext>(in.uniform(0, 3));
    auto const target = static_cast<TargetContext>(in.uniform(0, 2));
    TableLayout const layout(static_cast<std::uint32_t>(symbols.classes().size()),
                             static_cast<std::uint32_t>(symbols.residues().size()), {count, target});
    ExpectedTables const expected(layout, symbols, tree.num_nodes() - 1);
    std::vector<TableCodes> codes(layout.size);
    TableCoder(in, expected).code(layout, codes);
    std::vector<FrequencyTable> tables(codes.begin(), codes.end());
    EdgeWeights residue_edges(tree);
    EdgeWeights class_edges(tree);
    residue_edges.code(in, tree);
    class_edges.code(in, tree);
    in.expect_end();
    return {std::move(symbols), layout, std::move(tables), std::move(residue_edges), std::move(class_edges)};
}

NativeLines::NativeLines(NativeModel const& model, RootedTree const& tree)
    : lines_{WeightedLine(model.residue_edges.weights()), WeightedLine(model.class_edges.weights()),
             WeightedLine(std::vector<std::uint64_t>(tree.num_nodes() - 1, 1))} {}

}  // namespace regraft::codec
