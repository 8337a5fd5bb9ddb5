// Gives taxa other names, by a table.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
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
#include "regraft/core/errors.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

/// A line of the table, in the direction in which it is used.
struct NewName {
    std::string from;
    std::string to;
    TextPosition where;
};

std::vector<NewName> read_names(RenameOptions const& options) {
    std::vector<NewName> found;
    for (auto& [fields, where] : read_table(options.table, 2, 2, "an old name, a tab and a new name")) {
        if (options.back) std::swap(fields[0], fields[1]);
        auto const& to = fields[1];
        if (to.empty()) throw InputError(where, fmt::format("there is no new name for '{}'", escaped(fields[0])));
        if (std::ranges::any_of(to, [](unsigned char c) { return c <= ' ' || c == 0x7F; }))
            throw InputError(where,
                             fmt::format("'{}' has a blank, a tab or a control character, expected a new name without",
                                         escaped(to)));
        found.push_back({std::move(fields[0]), std::move(fields[1]), std::move(where)});
    }
    if (found.empty())
        throw InputError({shown_input(options.table)}, "there are no names, expected an old and a new one per line");
    return found;
}

/// Throws InputError if two taxa have the same name now. where: of the new names; null: the old one is kept.
void check_collisions(std::vector<std::string> const& names, std::vector<TextPosition const*> const& where) {
    std::unordered_map<std::string_view, std::size_t> row_of;
    for (std::size_t row = 0; row < names.size(); ++row) {
        auto const [first, is_new] = row_of.emplace(names[row], row);
        if (is_new) continue;
        auto const other = first->second;
        auto const* const at = where[row] != nullptr ? where[row] : where[other];
        auto const* const before = at == where[row] ? where[other] : where[row];
        throw InputError(
            *at, fmt::format("'{}' {}", escaped(names[row]),
                             before != nullptr ? fmt::format("is the new name of a taxon on line {}, too", before->line)
                                               : std::string("is the name of another taxon, which keeps it")));
    }
}

std::vector<std::string> renamed(Opened const& source, std::vector<NewName> const& table, std::string const& input) {
    std::vector<std::string> names(source.names().begin(), source.names().end());
    std::unordered_map<std::string_view, std::size_t> row_of;
    for (std::size_t row = 0; row < names.size(); ++row) row_of.emplace(source.names()[row], row);
    std::vector<TextPosition const*> where(names.size(), nullptr);
    for (auto const& line : table) {
        auto const found = row_of.find(line.from);
        if (found == row_of.end())
            throw InputError(line.where,
                             fmt::format("there is no taxon '{}' in {}", escaped(line.from), shown_input(input)));
        auto const row = found->second;
        if (where[row] != nullptr)
            throw InputError(line.where, fmt::format("taxon '{}' has a new name on line {} already", escaped(line.from),
                                                     where[row]->line));
        names[row] = line.to;
        where[row] = &line.where;
    }
    check_collisions(names, where);
    msa::check_names(names, table[0].where.file);
    return names;
}

}  // namespace

void rename_taxa(RenameOptions const& options) {
    auto const& input = options.places.inputs[0];
    Replacement result(input, options.places.output, options.places, Replacement::Result::text);
    auto const table = read_names(options);
    Opened const source(input, options.general);
    auto names = renamed(source, table, input);
    auto const part = whole_of(source);
    auto rows = some_rows(source, part, all_rows(source), options.look);
    rows.names = std::move(names);
    if (rows.layout.format == msa::TextFormat::phylip) rows.layout.name_width = name_width(rows.names);
    result.finish([&](msa::TextSink const& sink) { write_text(rows, sink); });
    say(options.general.verbosity, fmt::format("{}: {} of {} renamed", shown_output(options.places.output),
                                               table.size(), counted_taxa(rows.names.size())));
}

}  // namespace regraft::msa_cli
