#include "selection.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "common/input.hpp"
#include "common/text_input.hpp"
#include "regraft/core/errors.hpp"
#include "site_list.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

constexpr std::uint64_t sites_at_once = 1U << 14;

std::vector<std::uint64_t> all_sites(codec::RgmFile const& file) {
    std::vector<std::uint64_t> sites(file.num_sites());
    std::iota(sites.begin(), sites.end(), std::uint64_t{0});
    return sites;
}

std::vector<std::uint64_t> sites_of_partition(codec::RgmFile const& file, std::string const& name) {
    auto const& partitions = file.extras().partitions;
    std::string names;
    for (auto const& partition : partitions) {
        if (partition.name == name) return msa::sites_of(partition);
        names += (names.empty() ? "" : ", ") + partition.name;
    }
    throw InputError(fmt::format("--partition: there is no partition '{}', {}", escaped(name),
                                 names.empty() ? "none is stored" : "expected one of " + names));
}

/// A requested taxon, and where the request is.
struct Wanted {
    std::string name;
    TextPosition where;
};

std::vector<Wanted> wanted_taxa(ExtractOptions const& options) {
    std::vector<Wanted> wanted;
    for (auto const& name : options.taxon) wanted.push_back({name, {"--taxon"}});
    if (options.taxa.empty()) return wanted;
    auto const text = read_unpacked(options.taxa);
    constexpr std::string_view blanks = " \t\r";
    std::uint64_t line = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        auto const end = std::min(text.find('\n', begin), text.size());
        auto name = std::string_view(text).substr(begin, end - begin);
        begin = end + 1;
        ++line;
        name.remove_prefix(std::min(name.find_first_not_of(blanks), name.size()));
        name = name.substr(0, name.find_last_not_of(blanks) + 1);
        if (!name.empty()) wanted.push_back({std::string(name), {shown_input(options.taxa), line}});
    }
    if (wanted.empty()) throw InputError({shown_input(options.taxa)}, "there are no names, expected one per line");
    return wanted;
}

std::vector<std::size_t> select_rows(codec::RgmFile const& file, ExtractOptions const& options) {
    auto const names = file.names();
    std::vector<std::size_t> rows;
    if (options.taxa.empty() && options.taxon.empty()) {
        rows.resize(names.size());
        std::iota(rows.begin(), rows.end(), std::size_t{0});
        return rows;
    }
    auto const wanted = wanted_taxa(options);
    std::unordered_map<std::string_view, std::optional<std::size_t>> row_of;  // only of what is wanted
    for (auto const& [name, where] : wanted) row_of.try_emplace(name);
    for (std::size_t row = 0; row < names.size(); ++row)
        if (auto const found = row_of.find(names[row]); found != row_of.end()) found->second = row;
    std::vector<char> seen(names.size(), 0);
    for (auto const& [name, where] : wanted) {
        auto const row = row_of.at(name);
        if (!row) {
            throw InputError(where, fmt::format("there is no taxon '{}' in {}", escaped(name),
                                                shown_input(options.places.inputs[0])));
        }
        if (seen[*row] != 0)
            throw InputError(
                where, fmt::format("taxon '{}' is named a second time, expected every taxon once", escaped(name)));
        seen[*row] = 1;
        rows.push_back(*row);
    }
    return rows;
}

/// A column of the result and the site that belongs there.
struct ChosenSite {
    std::uint64_t site = 0;
    std::uint64_t column = 0;
};

std::vector<ChosenSite> by_site(std::span<std::uint64_t const> sites) {
    std::vector<ChosenSite> chosen;
    chosen.reserve(sites.size());
    for (auto const site : sites) chosen.push_back({site, chosen.size()});
    std::ranges::sort(chosen, {}, &ChosenSite::site);
    return chosen;
}

/// The number of chosen sites, from the first one, that are decoded together: in blocks without a gap between them.
std::size_t count_neighbours(std::span<ChosenSite const> chosen, std::uint64_t sites_per_block) {
    auto const block = [&](std::size_t i) { return chosen[i].site / sites_per_block; };
    std::size_t count = 1;
    while (count < chosen.size() && block(count) - block(count - 1) <= 1 &&
           chosen[count].site - chosen[0].site < sites_at_once) {
        ++count;
    }
    return count;
}

/// Makes whole rows, and takes the sites from them.
void cut_rows(msa::DifferenceRows const& rows, std::span<std::uint64_t const> sites, std::span<char> cells) {
    auto const reference = rows.reference_text();
    auto row_cells = reference;
    for (std::size_t row = 0; row < rows.num_taxa(); ++row) {
        row_cells = reference;
        rows.write_row(row, row_cells);
        for (auto const site : sites) {
            cells.front() = row_cells[site];
            cells = cells.subspan(1);
        }
    }
}

/// The width of all names and a blank, so that the sequences are aligned.
std::uint64_t name_width(codec::RgmFile const& file, std::span<std::size_t const> rows) {
    std::size_t longest = 0;
    for (auto const row : rows) longest = std::max(longest, file.names()[row].size());
    return longest < msa::max_name_width ? longest + 1 : 0;
}

/// Checks that FASTA and PHYLIP both keep the name.
void check_name(std::string const& name) {
    if (name.find_first_of(" \t\v\f") == std::string::npos) return;
    throw InputError(
        fmt::format("taxon '{}' has a blank in its name, so it can only be written as it was read", escaped(name)));
}

}  // namespace

Selection select(codec::RgmFile const& file, ExtractOptions const& options) {
    Selection selection;
    selection.rows = select_rows(file, options);
    if (!options.partition.empty()) {
        selection.sites = sites_of_partition(file, options.partition);
    } else if (options.sites) {
        selection.sites = parse_sites(*options.sites, file.num_sites(), "--sites");
    } else {
        selection.sites = all_sites(file);
    }
    return selection;
}

msa::Alignment cut(codec::RgmFile const& file, Selection const& selection) {
    msa::Alignment result;
    for (auto const row : selection.rows) result.names.push_back(file.names()[row]);
    auto const width = selection.sites.size();
    result.cells.resize(selection.rows.size() * width);

    if (file.kind() == codec::Kind::sparse && selection.rows.size() * file.num_sites() <= file.num_taxa() * width) {
        cut_rows(file.differences(selection.rows), selection.sites, result.cells);
        return result;
    }
    auto const chosen = by_site(selection.sites);
    std::vector<char> decoded;
    for (std::span<ChosenSite const> rest = chosen; !rest.empty();) {
        auto const together = rest.first(count_neighbours(rest, file.sites_per_block()));
        rest = rest.subspan(together.size());
        SiteRange const sites{SiteId{together.front().site}, SiteId{together.back().site + 1}};
        decoded.resize(file.num_taxa() * sites.size());
        file.read(sites).decode(sites, {decoded.data(), sites.size(), 1});
        for (std::size_t i = 0; i < selection.rows.size(); ++i) {
            auto const* const from = decoded.data() + selection.rows[i] * sites.size();
            auto* const to = result.cells.data() + i * width;
            for (auto const& [site, column] : together) to[column] = from[site - value(sites.first)];
        }
    }
    return result;
}

msa::TextLayout layout_for(codec::RgmFile const& file, std::span<std::size_t const> rows, Look const& look) {
    auto const& stored = file.extras().layout;
    msa::TextLayout layout;
    if (stored) layout.format = stored->format;
    if (stored && stored->skeleton.empty()) {
        layout.line_width = stored->line_width;
        layout.carriage_returns = stored->carriage_returns;
        if (!stored->descriptions.empty() && look.format.value_or(layout.format) == msa::TextFormat::fasta) {
            for (auto const row : rows) layout.descriptions.push_back(stored->descriptions[row]);
        }
    }
    if (look.format) layout.format = *look.format;
    if (layout.format == msa::TextFormat::phylip) layout.name_width = name_width(file, rows);
    if (look.width) layout.line_width = *look.width;
    return layout;
}

std::string write_text(msa::Alignment const& alignment, msa::TextLayout const& layout) {
    for (auto const& name : alignment.names) check_name(name);
    return to_text(alignment, layout);
}

}  // namespace regraft::msa_cli
