#include "parts/part.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/input.hpp"
#include "parts/cut.hpp"
#include "parts/site_list.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/msa/alphabet.hpp"
#include "regraft/msa/characters.hpp"
#include "regraft/msa/difference_parts.hpp"
#include "regraft/msa/maple.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

constexpr char const* reference_name = "reference";

std::vector<std::uint64_t> sites_of_partition(Opened const& source, std::string const& name) {
    std::string names;
    for (auto const& partition : source.partitions()) {
        if (partition.name == name) return msa::sites_of(partition);
        names += (names.empty() ? "" : ", ") + partition.name;
    }
    throw InputError(fmt::format("--partition: there is no partition '{}', {}", escaped(name),
                                 names.empty() ? "none is stored" : "expected one of " + names));
}

std::optional<msa::TextFormat> text_format(Look const& look) {
    if (!look.format) return std::nullopt;
    switch (*look.format) {
        case OutputFormat::phylip:
            return msa::TextFormat::phylip;
        case OutputFormat::maple:
            return msa::TextFormat::maple;
        case OutputFormat::fasta:
        case OutputFormat::vcf:
            break;
    }
    return msa::TextFormat::fasta;
}

std::vector<std::string> const& names_of(Part const& part) {
    return std::visit(
        [](auto const& rows) -> auto const& { return rows.names; }, part);
}

}  // namespace

msa::Histogram histogram_of(Part const& part) {
    msa::Histogram histogram{};
    auto const count = [&](char c) -> auto& {
        return histogram[static_cast<unsigned char>(c)];
    };
    if (auto const* const alignment = std::get_if<msa::Alignment>(&part)) {
        for (char const cell : alignment->cells) ++count(cell);
        return histogram;
    }
    auto const& rows = std::get<msa::DifferenceRows>(part);
    std::uint64_t in_runs = 0;
    for (auto const& run : rows.runs.values) {
        count(run.character) += run.size;
        in_runs += run.size;
    }
    count('A') += rows.num_taxa() * rows.num_sites() - in_runs;
    return histogram;
}

msa::SetCharacters sets_of(Part const& part) {
    auto const* const alignment = std::get_if<msa::Alignment>(&part);
    return alignment == nullptr ? msa::SetCharacters() : alignment->sets;
}

msa::CharacterKind kind_of(Part const& part) {
    return msa::character_table(histogram_of(part)).kind;
}

std::size_t num_rows(Part const& part) {
    return names_of(part).size();
}

std::size_t num_sites(Part const& part) {
    return std::visit([](auto const& rows) { return rows.num_sites(); }, part);
}

std::vector<std::uint64_t> chosen_sites(Opened const& source, ExtractOptions const& options) {
    if (!options.partition.empty()) return sites_of_partition(source, options.partition);
    if (options.sites) return parse_sites(*options.sites, source.num_sites(), "--sites");
    std::vector<std::uint64_t> all(source.num_sites());
    std::iota(all.begin(), all.end(), std::uint64_t{0});
    return all;
}

Part part_of(Opened const& source, std::span<std::size_t const> rows, std::span<std::uint64_t const> sites) {
    if (!source.has_differences()) return source.cut(rows, sites);
    auto chosen = source.differences(rows);
    bool const are_all = sites.size() == source.num_sites() && std::ranges::is_sorted(sites);
    return are_all ? std::move(chosen) : msa::select_sites(chosen, sites);
}

std::vector<std::size_t> all_rows(Opened const& source) {
    std::vector<std::size_t> rows(source.names().size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
}

Part whole_of(Opened const& source) {
    return part_of(source, all_rows(source), chosen_sites(source, {}));
}

msa::DifferenceRows differences_of(Part part) {
    if (auto* const rows = std::get_if<msa::DifferenceRows>(&part)) return std::move(*rows);
    return msa::to_differences(std::get<msa::Alignment>(part));
}

Part variable_columns(Part const& part) {
    if (auto const* const rows = std::get_if<msa::DifferenceRows>(&part))
        return msa::select_sites(*rows, msa::variable_sites(*rows));
    auto const& alignment = std::get<msa::Alignment>(part);
    std::vector<std::size_t> rows(alignment.num_taxa());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return cut_cells(alignment, rows, msa::variable_sites(alignment));
}

Part consensus(Part const& part) {
    auto const cells = std::visit([](auto const& rows) { return msa::consensus(rows); }, part);
    return msa::Alignment{.file = "", .names = {"consensus"}, .cells = {cells.begin(), cells.end()}};
}

std::uint64_t name_width(std::span<std::string const> names) {
    std::size_t longest = 0;
    for (auto const& name : names) longest = std::max(longest, name.size());
    return longest < msa::max_name_width ? longest + 1 : 0;
}

msa::TextLayout layout_for(std::optional<msa::TextLayout> const& stored, std::span<std::string const> names,
                           Look const& look) {
    msa::TextLayout layout;
    layout.format = text_format(look).value_or(stored ? stored->format : msa::TextFormat::fasta);
    bool const is_maple = layout.format == msa::TextFormat::maple;
    bool const was_maple = stored && stored->format == msa::TextFormat::maple;
    if (stored && stored->skeleton.empty()) {
        layout.carriage_returns = stored->carriage_returns;
        if (is_maple == was_maple) layout.line_width = stored->line_width;
        if (is_maple && was_maple) layout.descriptions = stored->descriptions;
    }
    if (is_maple && !was_maple) layout.descriptions = {reference_name};
    if (layout.format == msa::TextFormat::phylip) layout.name_width = name_width(names);
    if (look.width) layout.line_width = *look.width;
    return layout;
}

msa::TextLayout layout_for(Opened const& source, std::span<std::size_t const> rows, Look const& look) {
    auto const stored = source.layout();
    std::vector<std::string> names;
    for (auto const row : rows) names.push_back(source.names()[row]);
    auto layout = layout_for(stored, names, look);
    bool const are_described = stored && stored->skeleton.empty() && !stored->descriptions.empty();
    if (are_described && stored->format == msa::TextFormat::fasta && layout.format == msa::TextFormat::fasta) {
        for (auto const row : rows) layout.descriptions.push_back(stored->descriptions[row]);
    }
    return layout;
}

void check_name(std::string const& name, std::string const& file) {
    if (name.find_first_of(" \t\v\f") == std::string::npos) return;
    throw InputError(
        {file},
        fmt::format(
            "taxon '{}' has a blank in its name, so it can only be written as it was read; rename gives it another one",
            escaped(name)));
}

void check_characters(std::string const& name, std::string_view cells, std::string const& file) {
    auto const found = std::ranges::find_if(cells, msa::is_state_set);
    if (found == cells.end()) return;
    throw InputError(
        {file},
        fmt::format(
            "taxon '{}', site {}: is a set of states, for which there is no character, so it can only be written as it was read",
            escaped(name), found - cells.begin() + 1));
}

namespace {

/// What the format of a NEXUS text says its data are, in lower case, unless that is DNA: the letters A, C, G and T may
/// mean something else. Empty if it does not say.
std::string other_datatype(Opened const& source) {
    if (source.is_regular()) return "";  // it is no NEXUS
    std::string text;
    source.write_text([&](std::string_view piece) { text += piece; });
    if (msa::find_format(text) != msa::InputFormat::nexus) return "";
    for (char& c : text) {
        if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    constexpr std::string_view item = "datatype";
    auto const found = text.substr(0, text.find("matrix")).find(item);
    if (found == std::string::npos) return "";
    auto const begin = text.find_first_not_of(" \t\r\n=", found + item.size());
    for (std::string_view const other : {"protein", "standard", "restriction"}) {
        if (begin != std::string::npos && text.compare(begin, other.size(), other) == 0) return std::string(other);
    }
    return "";
}

}  // namespace

void check_is_dna(Opened const& source, Part const& part, std::string_view format) {
    auto const layout = source.layout();
    if (layout && layout->format == msa::TextFormat::maple) return;
    if (auto const other = other_datatype(source); !other.empty()) {
        throw InputError({source.input()},
                         fmt::format("{} is for DNA, and the format of the file says datatype={}", format, other));
    }
    auto const kind = kind_of(part);
    if (kind == msa::CharacterKind::dna) return;
    // A part of DNA may happen to have ambiguous bases for the most part.
    if (kind == msa::CharacterKind::amino_acid && kind_of(whole_of(source)) == msa::CharacterKind::dna) return;
    static_cast<void>(
        msa::in_lower_case(differences_of(part), source.input()));  // tells which cell is no symbol of DNA
    throw InputError(
        {source.input()},
        fmt::format("{} is for DNA, and this looks like amino acids: most of its letters are no bases", format));
}

void write_text(Part part, msa::TextLayout const& layout, msa::TextSink const& sink, std::string const& file) {
    for (auto const& name : names_of(part)) check_name(name, file);
    if (auto const* const alignment = std::get_if<msa::Alignment>(&part)) {
        for (std::size_t row = 0; row < alignment->num_taxa(); ++row)
            check_characters(alignment->names[row], alignment->row(row), file);
    }
    if (layout.format == msa::TextFormat::maple && num_sites(part) != 0)
        part = msa::in_lower_case(differences_of(std::move(part)), file);
    if (num_sites(part) == 0 && std::holds_alternative<msa::DifferenceRows>(part))
        part = msa::to_alignment(std::get<msa::DifferenceRows>(part));
    if (auto const* const rows = std::get_if<msa::DifferenceRows>(&part)) {
        msa::write_text(*rows, layout, sink);
    } else if (layout.format == msa::TextFormat::maple) {
        throw InputError({file}, "MAPLE has no text for rows without sites");
    } else {
        sink(to_text(std::get<msa::Alignment>(part), layout));
    }
}

void write_text(Opened const& source, Look const& look, msa::TextSink const& sink) {
    if (!look.format && !look.width) return source.write_text(sink);
    auto part = whole_of(source);
    auto const layout = layout_for(source, all_rows(source), look);
    if (layout.format == msa::TextFormat::maple) check_is_dna(source, part, "MAPLE");
    write_text(std::move(part), layout, sink, source.input());
}

}  // namespace regraft::msa_cli
