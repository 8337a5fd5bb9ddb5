// Puts alignments of loci side by side, and writes which sites are those of which locus.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/input.hpp"
#include "common/packings.hpp"
#include "common/program.hpp"
#include "common/words.hpp"
#include "edit/edits.hpp"
#include "edit/outputs.hpp"
#include "edit/partitions.hpp"
#include "edit/rows.hpp"
#include "input/files.hpp"
#include "input/progress.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/msa/partition.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

struct Locus {
    std::string name;
    std::string input;
    Part part;
    msa::Histogram histogram{};
    msa::CharacterKind kind = msa::CharacterKind::other;
};

/// The row that a taxon has in a locus.
struct LocusRow {
    std::uint32_t locus = 0;
    std::uint32_t row = 0;
};

struct Supermatrix {
    std::vector<Locus> loci;
    std::vector<std::string> names;
    std::vector<std::vector<LocusRow>> rows;  // per taxon, by locus
    std::uint64_t num_sites = 0;
    std::optional<msa::TextLayout> layout;  // of the first locus
};

/// The name of a file without its folder, its extension, and those of packers.
std::string locus_name(std::string const& input) {
    if (input == "-") return "stdin";
    namespace fs = std::filesystem;
    auto name = fs::path(input).filename().string();
    auto const drop = [&](std::string_view end) {
        if (name.ends_with(end) && name.size() > end.size()) name.resize(name.size() - end.size());
    };
    for (auto const& packing : packings()) drop(packing.suffix);
    drop(suffix);
    for (auto const& packing : packings()) drop(packing.suffix);
    return fs::path(name).stem().string();
}

/// Throws InputError unless names are different and partition files can have them.
void check_locus_names(std::span<std::string const> inputs) {
    std::map<std::string, std::string> input_of;
    for (auto const& input : inputs) {
        auto const name = locus_name(input);
        auto in_lower_case = name;  // NEXUS does not tell upper and lower case
        for (auto& c : in_lower_case) c = 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        auto const [first, is_new] = input_of.emplace(in_lower_case, input);
        if (!is_new)
            throw InputError(
                {shown_input(input)},
                fmt::format("its locus would be named '{}', as that of {}; expected files whose names differ "
                            "before the extension",
                            escaped(name), shown_input(first->second)));
        auto const is_usual = [](unsigned char c) {
            return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_' || c == '.' ||
                   c == '-';
        };
        if (!std::ranges::all_of(name, is_usual))
            throw InputError({shown_input(input)},
                             fmt::format("its locus would be named '{}'; expected letters, digits, '_', '.' and '-', "
                                         "which partition files can have in names",
                                         escaped(name)));
    }
}

Supermatrix read_loci(ConcatOptions const& options) {
    Supermatrix matrix;
    std::unordered_map<std::string, std::size_t> taxon_of;
    for (auto const& input : options.places.inputs) {
        naming_files(std::vector<std::string>{input}, [&] {
            Opened const source(input, options.general);
            if (source.num_sites() == 0) throw InputError({shown_input(input)}, "has no sites, expected a locus");
            if (matrix.loci.empty()) matrix.layout = source.layout();
            matrix.num_sites += source.num_sites();
            auto const locus = static_cast<std::uint32_t>(matrix.loci.size());
            for (std::size_t row = 0; row < source.names().size(); ++row) {
                auto const& name = source.names()[row];
                auto const [taxon, is_new] = taxon_of.emplace(name, matrix.names.size());
                if (is_new) matrix.names.push_back(name);
                matrix.rows.resize(matrix.names.size());
                matrix.rows[taxon->second].push_back({locus, static_cast<std::uint32_t>(row)});
            }
            auto part = whole_of(source);
            auto const histogram = histogram_of(part);
            auto const kind = msa::character_table(histogram).kind;
            matrix.loci.push_back({locus_name(input), input, std::move(part), histogram, kind});
        });
        check_fill(matrix.loci.back().kind, options.fill, "--fill", input);
    }
    return matrix;
}

/// One more than the last of the states 0 to 9 and A to V that occur; at least 2.
std::uint32_t num_states(msa::Histogram const& histogram) {
    constexpr std::string_view symbols = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
    std::size_t count = 2;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        auto const symbol = static_cast<unsigned char>(symbols[i]);
        auto const in_lower_case = i < 10 ? symbol : symbol - 'A' + 'a';
        if (histogram[symbol] + histogram[in_lower_case] > 0) count = std::max(count, i + 1);
    }
    return static_cast<std::uint32_t>(count);
}

/// A usual model for the data of a locus, in words that RAxML-NG has.
std::string model_of(Locus const& locus) {
    if (locus.kind == msa::CharacterKind::dna) return "GTR+G4";
    if (locus.kind == msa::CharacterKind::amino_acid) return "LG+G4";
    auto const states = num_states(locus.histogram);
    return states == 2 ? "BIN+G4" : fmt::format("MULTI{}_MK+G4", states);
}

std::vector<msa::PartitionSpec> partitions_of(Supermatrix const& matrix) {
    std::vector<msa::PartitionSpec> partitions;
    std::uint64_t first = 0;
    for (auto const& locus : matrix.loci) {
        auto const last = first + num_sites(locus.part);
        partitions.push_back({model_of(locus), locus.name, {{first, last, 1}}});
        first = last;
    }
    return partitions;
}

MadeRows rows_of(Supermatrix const& matrix, ConcatOptions const& options) {
    auto layout = layout_for(matrix.layout, matrix.names, options.look);
    for (auto const& locus : matrix.loci) {
        if (layout.format == msa::TextFormat::maple && locus.kind != msa::CharacterKind::dna)
            throw InputError({shown_input(locus.input)}, "MAPLE is for DNA; expected --format fasta or phylip");
    }
    auto const readers = std::make_shared<std::vector<RowReader>>();
    for (auto const& locus : matrix.loci) readers->emplace_back(locus.part);
    auto make = [&matrix, readers, fill = options.fill](std::size_t taxon, std::string& cells) {
        auto const& rows = matrix.rows[taxon];
        auto next = rows.begin();
        for (std::uint32_t locus = 0; locus < matrix.loci.size(); ++locus) {
            if (next != rows.end() && next->locus == locus) {
                cells += (*readers)[locus](next->row);
                ++next;
            } else {
                cells.append(num_sites(matrix.loci[locus].part), fill);
            }
        }
    };
    bool const has_any_sets = std::ranges::any_of(matrix.loci, [](auto const& locus) { return has_sets(locus.part); });
    return {matrix.names, matrix.num_sites, std::move(layout), has_any_sets, std::move(make)};
}

std::string summary(Supermatrix const& matrix) {
    std::uint64_t lacking = matrix.loci.size() * matrix.names.size();
    for (auto const& locus : matrix.loci) lacking -= num_rows(locus.part);
    auto text = fmt::format("{} {}, {}, {}", matrix.loci.size(), matrix.loci.size() == 1 ? "locus" : "loci",
                            counted_taxa(matrix.names.size()), counted(matrix.num_sites, "site"));
    if (lacking > 0) text += fmt::format("; {} filled, as loci lack taxa", counted(lacking, "row"));
    return text;
}

}  // namespace

void concat(ConcatOptions const& options) {
    auto const& places = options.places;
    if (!options.partitions.empty()) check_locus_names(places.inputs);
    Replacement result(places.inputs[0], places.output, places, Replacement::Result::text);
    auto scheme = second_output(options.partitions, places);
    auto const matrix = read_loci(options);
    auto const rows = rows_of(matrix, options);
    result.finish([&](msa::TextSink const& sink) { write_text(rows, sink); });
    if (scheme) scheme->finish(partition_text(partitions_of(matrix), options.partitions));
    say(options.general.verbosity, fmt::format("{}: {}", shown_output(places.output), summary(matrix)));
}

}  // namespace regraft::msa_cli
