#include "append.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "commands.hpp"
#include "common/input.hpp"
#include "common/text_input.hpp"
#include "common/words.hpp"
#include "input/files.hpp"
#include "input/progress.hpp"
#include "input/source.hpp"
#include "pack.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/difference_parts.hpp"
#include "regraft/msa/maple.hpp"
#include "stat_report.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

/// How an alignment is compressed that was compressed before.
CompressOptions as_before(codec::RgmFile const& file, GeneralOptions const& general, bool verify) {
    CompressOptions options;
    options.general = general;
    if (file.kind() == codec::Kind::thesis) options.kind = codec::Kind::thesis;
    options.stored = file.extras().partitions;
    options.verify = verify;
    return options;
}

/// Compresses the text of a file, or what has become of it, as the file was compressed.
std::string packed_again(codec::RgmFile const& file, std::string text, std::string const& name,
                         GeneralOptions const& general, bool verify, Progress& progress) {
    auto const options = as_before(file, general, verify);
    return pack(source_of(std::move(text), row_use(pack_options(options))), name, options, progress).bytes;
}

/// The rows of a sparse file, and their layout.
msa::DifferenceText text_of(codec::RgmFile const& file) {
    return {file.differences(), file.extras().layout.value_or(msa::TextLayout{})};
}

void check_new_names(codec::RgmFile const& file, std::string const& target, std::span<std::string const> names,
                     std::string const& input) {
    std::unordered_set<std::string_view> const known(file.names().begin(), file.names().end());
    for (std::size_t row = 0; row < names.size(); ++row) {
        if (!known.contains(names[row])) continue;
        throw InputError({shown_input(input)},
                         fmt::format("taxon '{}', number {}, is in {} already", escaped(names[row]), row + 1, target));
    }
}

void check_sites(std::uint64_t found, std::uint64_t expected, std::string const& target, std::string const& input) {
    if (found == expected) return;
    throw InputError({shown_input(input)},
                     fmt::format("has {}, expected {} as in {}", counted(found, "site"), expected, target));
}

/// An alignment of any format as FASTA, one row per line; as MAPLE, the cells are in lower case.
std::string as_fasta(std::string const& input, GeneralOptions const& general, bool in_maple) {
    auto const source = read_source(input, codec::RowUse::if_they_suffice, general);
    auto rows =
        source.text ? msa::to_differences(msa::parse_alignment(*source.text, shown_input(input))) : source.rows->rows;
    if (in_maple) rows = msa::in_lower_case(std::move(rows), shown_input(input));
    std::string text;
    msa::write_text(rows, {}, [&](std::string_view piece) { text += piece; });
    return text;
}

/// An alignment of any format as rows like those of a file.
msa::DifferenceText more_rows(std::string const& input, msa::DifferenceText const& like, AppendOptions const& options) {
    auto const& target = options.places.inputs[0];
    bool const in_maple = like.layout.format == msa::TextFormat::maple;
    bool const is_read_at_once = input == "-" || in_maple || options.general.names != Names::first;
    if (!is_read_at_once) {
        if (auto rows = read_rows(input, size_limit(options.general), like.rows)) return *std::move(rows);
    }
    auto const text = as_fasta(input, options.general, in_maple);
    auto rows = msa::read_differences(msa::pieces_of(text), like.rows);
    if (rows) return *std::move(rows);
    auto const found = msa::read_differences(msa::pieces_of(text));
    if (found) check_sites(found->rows.num_sites(), like.rows.num_sites(), target, input);
    throw InputError({shown_input(input)}, "its rows differ too much from those of " + target);
}

std::string with_more_rows(codec::RgmFile const& file, AppendOptions const& options, Progress& progress) {
    auto const& target = options.places.inputs[0];
    auto text = text_of(file);
    auto tree = file.placement_tree();
    for (auto const& input : std::span(options.places.inputs).subspan(1)) {
        progress.phase("reading " + shown_input(input), 20, 40);
        auto const more = more_rows(input, text, options);
        check_new_names(file, target, more.rows.names, input);
        msa::append(text, more);
    }
    msa::check_names(text.rows.names, target);
    progress.phase("placing rows in the tree", 40, 60);
    msa::PlacementOptions placing;
    placing.rounds = 0;
    placing.reached = [&](double part) { progress.reached(part); };
    tree = msa::extended_tree(tree, text.rows, placing);
    progress.phase("compressing", 60, 98);
    return packed_rows(text, tree, target, options.verify);
}

/// The text of a file with more rows, in its layout.
std::string with_more_lines(codec::RgmFile const& file, AppendOptions const& options) {
    auto const& target = options.places.inputs[0];
    auto const layout = file.extras().layout;
    if (layout && !layout->skeleton.empty()) {
        throw InputError({target},
                         "holds a text whose layout is not regular, so nothing can be added to it; decompress it, "
                         "add the rows, and compress it again");
    }
    SiteRange const sites{SiteId{0}, SiteId{file.num_sites()}};
    auto all = file.read(sites).rows(sites);
    for (auto const& input : std::span(options.places.inputs).subspan(1)) {
        auto const source = read_source(input, codec::RowUse::never, options.general);
        auto const more = msa::parse_alignment(*source.text, shown_input(input));
        check_sites(more.num_sites(), file.num_sites(), target, input);
        check_new_names(file, target, more.names, input);
        all.names.insert(all.names.end(), more.names.begin(), more.names.end());
        all.cells.insert(all.cells.end(), more.cells.begin(), more.cells.end());
    }
    msa::check_names(all.names, target);
    auto wider = layout.value_or(msa::TextLayout{});
    if (!wider.descriptions.empty()) wider.descriptions.resize(all.num_taxa());
    return msa::to_text(all, wider);
}

}  // namespace

void append(AppendOptions const& options) {
    auto const& target = options.places.inputs[0];
    auto const verbosity = options.general.verbosity;
    Progress progress(target, verbosity);
    Replacement result(target, options.places.output.empty() ? target : options.places.output, options.places,
                       Replacement::Result::binary);
    progress.phase("unpacking", 0, 20);
    auto const file = open_rgm(target, options.general);
    std::string bytes;
    if (file.kind() == codec::Kind::sparse) {
        bytes = with_more_rows(file, options, progress);
    } else {
        bytes = packed_again(file, with_more_lines(file, options), target, options.general, options.verify, progress);
    }
    progress.phase("writing", 98, 100);
    result.finish(bytes);
    progress.clear();
    say(verbosity, fmt::format("{}: {}, {}", result.output(), common::bytes(static_cast<double>(bytes.size())),
                               duration(progress.seconds())));
}

void compact(std::string const& input, CompactOptions const& options) {
    auto const verbosity = options.general.verbosity;
    Progress progress(input, verbosity);
    Replacement result(input, options.places.output.empty() ? input : options.places.output, options.places,
                       Replacement::Result::binary);
    progress.phase("unpacking", 0, 20);
    auto const file = open_rgm(input, options.general);
    std::string bytes;
    if (file.kind() == codec::Kind::sparse) {
        auto const text = text_of(file);
        progress.phase("moving rows in the tree", 20, 60);
        msa::PlacementOptions placing;
        placing.reached = [&](double part) { progress.reached(part); };
        auto const tree = msa::extended_tree(file.placement_tree(), text.rows, placing);
        progress.phase("compressing", 60, 98);
        bytes = packed_rows(text, tree, input, options.verify);
    } else {
        bytes = packed_again(file, file.text(), input, options.general, options.verify, progress);
    }
    auto const before = file_size(input);
    bool const is_smaller = bytes.size() < before;
    progress.phase("writing", 98, 100);
    if (is_smaller || !options.places.output.empty()) result.finish(bytes);
    progress.clear();
    say(verbosity, is_smaller
                       ? fmt::format("{}: {} -> {}, {}", result.output(), common::bytes(static_cast<double>(before)),
                                     common::bytes(static_cast<double>(bytes.size())), duration(progress.seconds()))
                       : fmt::format("{}: is as small as it gets", input));
}

}  // namespace regraft::msa_cli
