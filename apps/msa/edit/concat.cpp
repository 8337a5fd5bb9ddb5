// Puts alignments of loci side by side, and writes which sites are those of which locus.
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/input.hpp"
#include "common/named_alignments.hpp"
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
#include "regraft/msa/join.hpp"
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

struct Supermatrix {
    std::vector<Locus> loci;
    msa::JoinedTaxa taxa;
    std::vector<msa::PartitionSpec> partitions;
    std::uint64_t num_sites = 0;
    std::optional<msa::TextLayout> layout;  // of the first locus
};

/// An input: a locus, or a partition file whose charsets name loci.
struct Input {
    std::string path;
    std::vector<std::string> named;  // the loci, as the partition file has them; empty: the input is a locus
};

/// The alignments that an input names, if it is a partition file; a stream is none.
std::vector<std::string> named_in(std::string const& input) {
    std::error_code none;
    if (input == "-" || !std::filesystem::is_regular_file(input, none)) return {};
    std::array<char, 64> head{};
    InputFile file(input);
    auto const size = file.read(head);
    if (msa::find_format({head.data(), size}) != msa::InputFormat::nexus) return {};
    return msa::files_of_partitions(read_text(input), input);
}

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

/// Partition files cannot have all names.
void check_locus_names(std::span<Input const> inputs) {
    for (auto const& [input, named] : inputs) {
        if (!named.empty()) continue;
        auto const name = locus_name(input);
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

/// Adds a partition. Throws InputError if there is one of its name already. input: where it is from.
void add_partition(Supermatrix& matrix, std::map<std::string, std::string>& input_of, msa::PartitionSpec partition,
                   std::string const& input) {
    auto in_lower_case = partition.name;  // NEXUS does not tell upper and lower case
    for (auto& c : in_lower_case) c = 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    auto const [first, is_new] = input_of.emplace(in_lower_case, input);
    if (!is_new)
        throw InputError(
            {shown_input(input)},
            fmt::format(
                "its locus would be named '{}', as that of {}; expected files whose names differ before the extension, and charsets whose names differ",
                escaped(partition.name), shown_input(first->second)));
    matrix.partitions.push_back(std::move(partition));
}

/// Adds some sites of an alignment, and its taxa.
void add_locus(Supermatrix& matrix, std::string const& input, Opened const& source,
               std::span<std::uint64_t const> sites, ConcatOptions const& options) {
    if (matrix.loci.empty()) matrix.layout = source.layout();
    matrix.num_sites += sites.size();
    matrix.taxa.add(source.names());
    auto part = part_of(source, all_rows(source), sites);
    auto const histogram = histogram_of(part);
    auto const kind = msa::character_table(histogram).kind;
    matrix.loci.push_back({locus_name(input), input, std::move(part), histogram, kind});
    check_fill(kind, options.fill, "--fill", input);
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

/// The locus that has a site.
Locus const& locus_at(Supermatrix const& matrix, std::uint64_t site) {
    std::size_t locus = 0;
    for (; site >= num_sites(matrix.loci[locus].part); ++locus) site -= num_sites(matrix.loci[locus].part);
    return matrix.loci[locus];
}

/// Adds the loci that a partition file names, and its partitions.
void add_named(Supermatrix& matrix, std::map<std::string, std::string>& input_of, Input const& input,
               ConcatOptions const& options) {
    NamedAlignments<Opened> loci(input.path, [&](std::string const& path) { return Opened(path, options.general); });
    auto const begin = matrix.num_sites;
    auto [files, partitions] =
        read_partitions_of_files(input.path, [&](std::string const& path) { return loci.find(path); });
    for (auto const& [path, sites] : files) add_locus(matrix, loci.path(path), loci.at(path), sites, options);
    for (auto& partition : partitions) {
        for (auto& range : partition.sites) {
            range.first += begin;
            range.last += begin;
        }
        if (partition.model == no_model) partition.model = model_of(locus_at(matrix, partition.sites[0].first));
        add_partition(matrix, input_of, std::move(partition), input.path);
    }
}

void add_whole(Supermatrix& matrix, std::map<std::string, std::string>& input_of, std::string const& input,
               ConcatOptions const& options) {
    Opened const source(input, options.general);
    if (source.num_sites() == 0) throw InputError({shown_input(input)}, "has no sites, expected a locus");
    auto const begin = matrix.num_sites;
    add_locus(matrix, input, source, chosen_sites(source, {}), options);
    auto const& locus = matrix.loci.back();
    if (!options.partitions.empty())
        add_partition(matrix, input_of, {model_of(locus), locus.name, {{begin, matrix.num_sites, 1}}}, input);
}

Supermatrix read_loci(std::span<Input const> inputs, ConcatOptions const& options) {
    Supermatrix matrix;
    std::map<std::string, std::string> input_of;  // by the name of a partition
    for (auto const& input : inputs) {
        naming_files(std::vector<std::string>{input.path}, [&] {
            if (input.named.empty()) return add_whole(matrix, input_of, input.path, options);
            add_named(matrix, input_of, input, options);
        });
    }
    return matrix;
}

MadeRows rows_of(Supermatrix const& matrix, ConcatOptions const& options) {
    auto layout = layout_for(matrix.layout, matrix.taxa.names(), options.look);
    for (auto const& locus : matrix.loci) {
        if (layout.format == msa::TextFormat::maple && locus.kind != msa::CharacterKind::dna)
            throw InputError({shown_input(locus.input)}, "MAPLE is for DNA; expected --format fasta or phylip");
    }
    auto const readers = std::make_shared<std::vector<RowReader>>();
    for (auto const& locus : matrix.loci) readers->emplace_back(locus.part);
    auto make = [&matrix, readers, fill = options.fill](std::size_t taxon, std::string& cells) {
        auto const rows = matrix.taxa.rows(taxon);
        auto next = rows.begin();
        for (std::uint32_t locus = 0; locus < matrix.loci.size(); ++locus) {
            if (next != rows.end() && next->alignment == locus) {
                cells += (*readers)[locus](next->row);
                ++next;
            } else {
                cells.append(num_sites(matrix.loci[locus].part), fill);
            }
        }
    };
    bool const has_any_sets = std::ranges::any_of(matrix.loci, [](auto const& locus) { return has_sets(locus.part); });
    return {matrix.taxa.names(), matrix.num_sites, std::move(layout), has_any_sets, std::move(make)};
}

std::string summary(Supermatrix const& matrix) {
    std::uint64_t lacking = matrix.loci.size() * matrix.taxa.names().size();
    for (auto const& locus : matrix.loci) lacking -= num_rows(locus.part);
    auto text = fmt::format("{} {}, {}, {}", matrix.loci.size(), matrix.loci.size() == 1 ? "locus" : "loci",
                            counted_taxa(matrix.taxa.names().size()), counted(matrix.num_sites, "site"));
    if (lacking > 0) text += fmt::format("; {} filled, as loci lack taxa", counted(lacking, "row"));
    return text;
}

}  // namespace

void concat(ConcatOptions const& options) {
    auto places = options.places;
    std::vector<Input> inputs;
    for (auto const& input : options.places.inputs) {
        inputs.push_back({input, named_in(input)});
        for (auto const& name : inputs.back().named) places.inputs.push_back(path_from(input, name));
    }
    if (!options.partitions.empty()) check_locus_names(inputs);
    Replacement result(places.inputs[0], places.output, places, Replacement::Result::text);
    auto scheme = second_output(options.partitions, places);
    auto const matrix = read_loci(inputs, options);
    auto const rows = rows_of(matrix, options);
    result.finish([&](msa::TextSink const& sink) { write_text(rows, sink); });
    if (scheme) scheme->finish(partition_text(matrix.partitions, options.partitions));
    say(options.general.verbosity, fmt::format("{}: {}", shown_output(places.output), summary(matrix)));
}

}  // namespace regraft::msa_cli
