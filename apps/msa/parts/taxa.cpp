#include "parts/taxa.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "common/input.hpp"
#include "common/text_input.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/msa/newick.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

/// A taxon that is named, and where it is.
struct Named {
    std::string name;
    TextPosition where;
};

/// The names in a file, one per line.
std::vector<Named> names_in(std::string const& path) {
    std::vector<Named> named;
    auto const text = read_unpacked(path);
    constexpr std::string_view blanks = " \t\r";
    std::uint64_t line = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        auto const end = std::min(text.find('\n', begin), text.size());
        auto name = std::string_view(text).substr(begin, end - begin);
        begin = end + 1;
        ++line;
        name.remove_prefix(std::min(name.find_first_not_of(blanks), name.size()));
        name = name.substr(0, name.find_last_not_of(blanks) + 1);
        if (!name.empty()) named.push_back({std::string(name), {shown_input(path), line}});
    }
    if (named.empty()) throw InputError({shown_input(path)}, "there are no names, expected one per line");
    return named;
}

/// The tips of a tree in the order of its text.
std::vector<Named> tips_of(std::string const& path) {
    auto const file = shown_input(path);
    std::vector<Named> named;
    for (auto& name : msa::taxa_in_text_order(read_unpacked(path), file)) named.push_back({std::move(name), {file}});
    return named;
}

std::vector<Named> wanted_taxa(TaxaOptions const& options) {
    std::vector<Named> wanted;
    for (auto const& name : options.taxon) wanted.push_back({name, {"--taxon"}});
    if (!options.taxa.empty()) std::ranges::move(names_in(options.taxa), std::back_inserter(wanted));
    if (!options.taxa_of.empty()) std::ranges::move(tips_of(options.taxa_of), std::back_inserter(wanted));
    return wanted;
}

std::vector<Named> excluded_taxa(TaxaOptions const& options) {
    std::vector<Named> excluded;
    for (auto const& name : options.exclude) excluded.push_back({name, {"--exclude"}});
    if (!options.exclude_taxa.empty()) std::ranges::move(names_in(options.exclude_taxa), std::back_inserter(excluded));
    return excluded;
}

/// The rows of named taxa.
std::vector<std::size_t> rows_of(std::span<Named const> named, std::span<std::string const> names,
                                 std::string const& input) {
    std::unordered_map<std::string_view, std::optional<std::size_t>> row_of;  // only of what is named
    for (auto const& [name, where] : named) row_of.try_emplace(name);
    for (std::size_t row = 0; row < names.size(); ++row)
        if (auto const found = row_of.find(names[row]); found != row_of.end()) found->second = row;
    std::vector<char> seen(names.size(), 0);
    std::vector<std::size_t> rows;
    for (auto const& [name, where] : named) {
        auto const row = row_of.at(name);
        if (!row)
            throw InputError(where, fmt::format("there is no taxon '{}' in {}", escaped(name), shown_input(input)));
        if (seen[*row] != 0)
            throw InputError(
                where, fmt::format("taxon '{}' is named a second time, expected every taxon once", escaped(name)));
        seen[*row] = 1;
        rows.push_back(*row);
    }
    return rows;
}

}  // namespace

std::vector<std::size_t> chosen_rows(std::span<std::string const> names, TaxaOptions const& options,
                                     std::string const& input) {
    std::vector<char> is_excluded(names.size(), 0);
    for (auto const row : rows_of(excluded_taxa(options), names, input)) is_excluded[row] = 1;
    std::vector<std::size_t> rows;
    if (options.names_any()) {
        rows = rows_of(wanted_taxa(options), names, input);
        std::erase_if(rows, [&](auto row) { return is_excluded[row] != 0; });
    } else {
        for (std::size_t row = 0; row < names.size(); ++row) {
            if (is_excluded[row] == 0) rows.push_back(row);
        }
    }
    if (rows.empty()) throw InputError("--exclude: no taxon is left");
    return rows;
}

}  // namespace regraft::msa_cli
