// Leaves out rows that are equal to another one, and puts them back.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/input.hpp"
#include "common/words.hpp"
#include "edit/edits.hpp"
#include "edit/outputs.hpp"
#include "edit/rows.hpp"
#include "edit/table.hpp"
#include "input/files.hpp"
#include "input/progress.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

constexpr char const* table_head = "taxon\tkept\tdescription";

/// For each row, the first one that is equal to it: that of rows that are kept is their own.
std::vector<std::size_t> first_equal(Part const& part) {
    RowReader read(part);
    RowReader read_other(part);
    std::unordered_multimap<std::uint64_t, std::size_t> kept;
    std::vector<std::size_t> first(num_rows(part));
    for (std::size_t row = 0; row < first.size(); ++row) {
        auto const cells = read(row);
        auto const code = hash(std::as_bytes(std::span(cells)));
        first[row] = row;
        for (auto [other, end] = kept.equal_range(code); other != end; ++other) {
            if (read_other(other->second) == cells) first[row] = other->second;
        }
        if (first[row] == row) kept.emplace(code, row);
    }
    return first;
}

/// A line for each taxon, in their order.
std::string table_of(std::span<std::string const> names, std::span<std::size_t const> first,
                     msa::TextLayout const& layout) {
    bool const are_described = layout.format == msa::TextFormat::fasta && !layout.descriptions.empty();
    std::string text = std::string(table_head) + '\n';
    for (std::size_t row = 0; row < names.size(); ++row)
        text +=
            fmt::format("{}\t{}\t{}\n", names[row], names[first[row]], are_described ? layout.descriptions[row] : "");
    return text;
}

/// A taxon as the table has it.
struct Restored {
    std::string name;
    std::size_t row = 0;  // of the alignment without equal rows
    std::string description;
};

std::vector<Restored> read_restored(std::string const& table, std::span<std::string const> names,
                                    std::string const& input) {
    std::unordered_map<std::string_view, std::size_t> row_of;
    for (std::size_t row = 0; row < names.size(); ++row) row_of.emplace(names[row], row);
    auto const lines = read_table(table, 2, 3, "two names with a tab between them, as dedup --table writes them");
    if (lines.empty() || lines[0].fields[0] != "taxon" || lines[0].fields[1] != "kept")
        throw InputError({shown_input(table)},
                         "is no table that dedup --table has written; expected 'taxon', a tab and 'kept' first");
    std::vector<Restored> restored;
    std::vector<char> is_used(names.size(), 0);
    std::unordered_map<std::string, std::uint64_t> line_of;
    for (auto const& [fields, where] : std::span(lines).subspan(1)) {
        auto const found = row_of.find(fields[1]);
        if (found == row_of.end())
            throw InputError(where,
                             fmt::format("there is no taxon '{}' in {}", escaped(fields[1]), shown_input(input)));
        auto const [first, is_new] = line_of.emplace(fields[0], where.line);
        if (!is_new)
            throw InputError(where, fmt::format("taxon '{}' is on line {} already", escaped(fields[0]), first->second));
        is_used[found->second] = 1;
        restored.push_back({fields[0], found->second, fields.size() > 2 ? fields[2] : ""});
    }
    for (std::size_t row = 0; row < names.size(); ++row) {
        if (is_used[row] == 0)
            throw InputError({shown_input(table)},
                             fmt::format("has no taxon '{}', which {} has", escaped(names[row]), shown_input(input)));
    }
    return restored;
}

void put_back(DedupOptions const& options) {
    auto const& input = options.places.inputs[0];
    Replacement result(input, options.places.output, options.places, Replacement::Result::text);
    Opened const source(input, options.general);
    auto const restored = read_restored(options.put_back, source.names(), input);
    auto const part = whole_of(source);
    MadeRows rows{{}, source.num_sites(), {}, has_sets(part), {}, source.input()};
    for (auto const& taxon : restored) rows.names.push_back(taxon.name);
    msa::check_names(rows.names, shown_input(options.put_back));
    rows.layout = layout_for(source.layout(), rows.names, options.look);
    if (rows.layout.format == msa::TextFormat::fasta) {
        bool are_described = false;
        for (auto const& taxon : restored) {
            rows.layout.descriptions.push_back(taxon.description);
            are_described = are_described || !taxon.description.empty();
        }
        if (!are_described) rows.layout.descriptions.clear();
    }
    RowReader read(part);
    rows.make = [&](std::size_t row, std::string& cells) { cells = read(restored[row].row); };
    result.finish([&](msa::TextSink const& sink) { write_text(rows, sink); });
    say(options.general.verbosity, fmt::format("{}: {}, {} of them put back", shown_output(options.places.output),
                                               counted_taxa(restored.size()), restored.size() - num_rows(part)));
}

}  // namespace

void dedup(DedupOptions const& options) {
    if (!options.put_back.empty()) return put_back(options);
    auto const& input = options.places.inputs[0];
    Replacement result(input, options.places.output, options.places, Replacement::Result::text);
    auto table = second_output(options.table, options.places);
    Opened const source(input, options.general);
    auto const part = whole_of(source);
    auto const first = first_equal(part);
    std::vector<std::size_t> kept;
    for (std::size_t row = 0; row < first.size(); ++row) {
        if (first[row] == row) kept.push_back(row);
    }
    auto const rows = some_rows(source, part, kept, options.look);
    result.finish([&](msa::TextSink const& sink) { write_text(rows, sink); });
    if (table) table->finish(table_of(source.names(), first, layout_for(source, all_rows(source), {})));
    auto const others =
        first.size() == kept.size() ? "no two sequences are equal" : "the others are equal to one of them";
    say(options.general.verbosity, fmt::format("{}: {} of {} kept, {}", shown_output(options.places.output),
                                               kept.size(), counted_taxa(first.size()), others));
}

}  // namespace regraft::msa_cli
