// Leaves out columns and taxa with little data, and masks sites.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/input.hpp"
#include "common/words.hpp"
#include "edit/edits.hpp"
#include "edit/outputs.hpp"
#include "edit/partitions.hpp"
#include "edit/rows.hpp"
#include "input/files.hpp"
#include "input/progress.hpp"
#include "parts/site_list.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

/// Which characters stand for any state, such as gaps.
struct NoData {
    explicit NoData(msa::CharacterTable const& table) {
        for (std::size_t byte = 0; byte < is.size(); ++byte) is[byte] = table.is_undetermined(static_cast<char>(byte));
    }
    bool operator()(char cell) const { return is[static_cast<unsigned char>(cell)]; }
    std::array<bool, 256> is{};
};

/// The taxa of which this share of the sites has data, or more.
std::vector<std::size_t> taxa_with_data(Part const& part, NoData const& lacks, double share) {
    RowReader read(part);
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < num_rows(part); ++row) {
        auto const cells = read(row);
        auto const present =
            static_cast<double>(cells.size()) - static_cast<double>(std::ranges::count_if(cells, lacks));
        if (cells.empty() || present / static_cast<double>(cells.size()) >= share) rows.push_back(row);
    }
    return rows;
}

/// What the columns have in some rows.
struct Columns {
    std::vector<std::uint32_t> lacking;  // cells without data
    std::vector<msa::StateMask> common;  // states that all may have
};

Columns columns_of(Part const& part, std::span<std::size_t const> rows, msa::CharacterTable const& table) {
    NoData const lacks(table);
    RowReader read(part);
    auto const sites = num_sites(part);
    Columns columns{std::vector<std::uint32_t>(sites), std::vector<msa::StateMask>(sites, table.undetermined())};
    for (auto const row : rows) {
        auto const cells = read(row);
        for (std::size_t site = 0; site < sites; ++site) {
            columns.lacking[site] += lacks(cells[site]) ? 1 : 0;
            columns.common[site] &= table.states[static_cast<unsigned char>(cells[site])];
        }
    }
    return columns;
}

std::vector<std::uint64_t> kept_sites(Columns const& columns, std::size_t num_rows, TrimOptions const& options) {
    std::vector<std::uint64_t> kept;
    for (std::size_t site = 0; site < columns.lacking.size(); ++site) {
        auto const share = static_cast<double>(columns.lacking[site]) / static_cast<double>(num_rows);
        bool const goes = share > options.max_gaps.value_or(1) ||
                          (options.no_empty && columns.lacking[site] == num_rows) ||
                          (options.no_constant && columns.common[site] != 0);
        if (!goes) kept.push_back(site);
    }
    return kept;
}

std::vector<msa::PartitionSpec> partitions_of(Opened const& source, TrimOptions const& options) {
    if (!options.partitions.empty()) return read_partition_file(options.partitions, source.num_sites());
    auto const stored = source.partitions();
    if (stored.empty())
        throw InputError({shown_input(options.places.inputs[0])},
                         "has no partitions stored; expected --partitions FILE");
    return {stored.begin(), stored.end()};
}

/// The names of partitions that have no site left.
std::string lost(std::span<msa::PartitionSpec const> before, std::span<msa::PartitionSpec const> after) {
    std::vector<std::string> names;
    for (auto const& partition : before) {
        if (std::ranges::find(after, partition.name, &msa::PartitionSpec::name) == after.end())
            names.push_back(partition.name);
    }
    return names.empty() ? "" : "; without sites are " + first_few(names, [](auto const& name) { return name; });
}

}  // namespace

void trim(TrimOptions const& options) {
    auto const& places = options.places;
    auto const& input = places.inputs[0];
    Replacement result(input, places.output, places, Replacement::Result::text);
    auto list = second_output(options.kept, places);
    auto scheme = second_output(options.new_partitions, places);
    Opened const source(input, options.general);
    auto const partitions = scheme ? partitions_of(source, options) : std::vector<msa::PartitionSpec>();
    auto const part = whole_of(source);
    auto const table = msa::character_table(histogram_of(part), sets_of(part));
    auto const taxa = taxa_with_data(part, NoData(table), options.min_data);
    if (taxa.empty()) throw InputError({shown_input(input)}, "--min-data: no taxon is left");
    auto const sites = kept_sites(columns_of(part, taxa, table), taxa.size(), options);
    if (sites.empty() && source.num_sites() > 0) throw InputError({shown_input(input)}, "no site is left");

    auto const rows = some_cells(source, part, taxa, sites, options.look);
    result.finish([&](msa::TextSink const& sink) { write_text(rows, sink); });
    if (list) list->finish(site_list(sites) + '\n');
    auto const cut = cut_partitions(partitions, sites);
    if (scheme) scheme->finish(partition_text(cut, options.new_partitions));
    say(options.general.verbosity, fmt::format("{}: {} of {} and {} of {} kept{}", shown_output(places.output),
                                               sites.size(), counted(source.num_sites(), "site"), taxa.size(),
                                               counted_taxa(source.names().size()), lost(partitions, cut)));
}

void mask(MaskOptions const& options) {
    auto const& places = options.places;
    auto const& input = places.inputs[0];
    Replacement result(input, places.output, places, Replacement::Result::text);
    Opened const source(input, options.general);
    auto const sites = parse_sites(options.sites, source.num_sites(), "--sites");
    auto const part = whole_of(source);
    auto const kind = kind_of(part);
    auto const by = options.by.value_or(kind == msa::CharacterKind::dna          ? 'N'
                                        : kind == msa::CharacterKind::amino_acid ? 'X'
                                                                                 : '?');
    check_fill(kind, by, "--by", input);
    auto rows = some_rows(source, part, all_rows(source), options.look);
    rows.make = [&, read = std::make_shared<RowReader>(part)](std::size_t row, std::string& cells) {
        cells = (*read)(row);
        for (auto const site : sites) cells[site] = by;
    };
    result.finish([&](msa::TextSink const& sink) { write_text(rows, sink); });
    say(options.general.verbosity, fmt::format("{}: {} of {} masked by {}", shown_output(places.output), sites.size(),
                                               counted(source.num_sites(), "site"), by));
}

}  // namespace regraft::msa_cli
