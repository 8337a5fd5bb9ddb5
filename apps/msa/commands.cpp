#include "commands.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "append.hpp"
#include "common/input.hpp"
#include "common/output.hpp"
#include "common/words.hpp"
#include "deep_check.hpp"
#include "edit/edits.hpp"
#include "input/files.hpp"
#include "input/progress.hpp"
#include "pack.hpp"
#include "parts/part.hpp"
#include "parts/taxa.hpp"
#include "parts/vcf.hpp"
#include "regraft/codec/guide_tree.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/msa/difference_parts.hpp"
#include "stat_report.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

void use_threads(GeneralOptions const& general) {
#ifdef _OPENMP
    if (general.threads > 0) omp_set_num_threads(static_cast<int>(general.threads));
#else
    static_cast<void>(general);
#endif
}

int for_each(std::vector<std::string> const& files, std::function<void(std::string const&)> const& body) {
    int worst = done;
    for (auto const& file : files) {
        int const code = guarded(program, [&] {
            naming_files({file}, [&] { body(file); });
            return int{done};
        });
        worst = std::max(worst, code);
    }
    return worst;
}

Source read_alignment(std::string const& input, CompressOptions const& options, Progress& progress) {
    if (input == "-" && isatty(STDIN_FILENO) != 0)
        throw InputError("an alignment is not read from a terminal; expected a FILE");
    progress.phase("reading", 0, 20);
    return read_source(input, row_use(pack_options(options)), options.general,
                       [&](double part) { progress.reached(part); });
}

std::string summary(std::uint64_t text_bytes, codec::Packed const& packed, double seconds) {
    auto const after = static_cast<double>(packed.bytes.size());
    return fmt::format("{} -> {}, {}, {:.3f} bits per taxon and site, {}", bytes(static_cast<double>(text_bytes)),
                       bytes(after), change_of_size(text_bytes, packed.bytes.size()),
                       8 * after / num_cells(packed.taxa, packed.sites), duration(seconds));
}

/// In a pipe only errors are worth a line, as with gzip.
Verbosity summary_verbosity(Replacement const& result, Verbosity verbosity) {
    return result.output() == "-" && verbosity == Verbosity::normal ? Verbosity::quiet : verbosity;
}

void compress(std::string const& input, CompressOptions const& options) {
    auto const verbosity = options.general.verbosity;
    Progress progress(shown_input(input), verbosity);
    Replacement result(input, compressed_name(input, options.places), options.places, Replacement::Result::binary);
    auto source = read_alignment(input, options, progress);
    if (source.text && is_rgm(*source.text)) throw InputError({shown_input(input)}, "is compressed already");
    auto const only_alignment = source.only_alignment;
    if (source.is_packed || !only_alignment.empty()) result.keep_input();
    auto const text_bytes = source.num_bytes();
    auto const packed = pack(std::move(source), shown_input(input), options, progress);
    progress.phase("writing", 98, 100);
    result.finish(packed.bytes);
    progress.clear();
    say(summary_verbosity(result, verbosity),
        fmt::format("{}: {}", shown_input(input), summary(text_bytes, packed, progress.seconds())));
    if (!only_alignment.empty())
        say(verbosity, fmt::format("{}: {}, so it is kept; {} holds its alignment", shown_input(input), only_alignment,
                                   result.output() == "-" ? "the output" : result.output()));
    if (verbosity == Verbosity::verbose) {
        say(verbosity, fmt::format("{}: {}, {}, codec {}", shown_input(input), counted_taxa(packed.taxa),
                                   counted(packed.sites, "site"), name(packed.kind)));
    }
}

void decompress(std::string const& input, DecompressOptions const& options) {
    auto const verbosity = options.general.verbosity;
    Progress progress(shown_input(input), verbosity);
    Replacement result(input, decompressed_name(input, options.places), options.places, Replacement::Result::text);
    progress.phase("unpacking", 0, 100);
    Opened const source(open_rgm(input, options.general), shown_input(input));
    std::uint64_t num_bytes = 0;
    result.finish([&](msa::TextSink const& sink) {
        write_text(source, options.look, [&](std::string_view piece) {
            num_bytes += piece.size();
            progress.reached(static_cast<double>(num_bytes) / num_cells(source.names().size(), source.num_sites()));
            sink(piece);
        });
    });
    progress.clear();
    auto const where = result.output() == "-" ? "" : " in " + result.output();
    say(summary_verbosity(result, verbosity),
        fmt::format("{}: {}{}, {}", shown_input(input), bytes(static_cast<double>(num_bytes)), where,
                    duration(progress.seconds())));
}

/// Writes a part as VCF. The reference is a taxon, or that of MAPLE, which is none.
void extract_vcf(Opened const& source, std::vector<std::size_t> rows, std::vector<std::uint64_t> sites,
                 ExtractOptions const& options, Replacement& result) {
    if (!std::ranges::is_sorted(sites))
        throw InputError("--sites: VCF is in the order of sites, expected them in ascending order");
    auto const& names = source.names();
    auto const found = std::ranges::find(names, options.against);
    auto const layout = source.layout();
    bool const is_reference = found == names.end() && layout && layout->format == msa::TextFormat::maple &&
                              layout->descriptions[0] == options.against;
    if (found == names.end() && !is_reference)
        throw InputError(fmt::format("--against: there is no taxon '{}' in {}", escaped(options.against),
                                     shown_input(options.places.inputs[0])));
    auto const row = static_cast<std::size_t>(found - names.begin());
    std::erase(rows, row);
    if (rows.empty()) throw InputError("--against: no other taxon is left");
    if (!is_reference) rows.push_back(row);
    for (auto const taxon : rows) check_name(names[taxon], source.input());
    auto cells = part_of(source, rows, chosen_sites(source, {}));
    check_is_dna(source, cells, "VCF");
    auto part = differences_of(std::move(cells));
    VcfReference reference{options.against, part.reference_text()};
    if (!is_reference) {
        part.write_row(rows.size() - 1, reference.cells);
        std::vector<std::size_t> others(rows.size() - 1);
        std::iota(others.begin(), others.end(), std::size_t{0});
        part = select_rows(part, others);
    }
    result.finish([&](msa::TextSink const& sink) { write_vcf(part, reference, sites, sink); });
}

void extract(std::string const& input, ExtractOptions const& options) {
    Opened const source(input, options.general);
    auto const rows = chosen_rows(source.names(), options.taxa, input);
    auto const sites = chosen_sites(source, options);
    Replacement result(input, options.places.output, options.places, Replacement::Result::text);
    if (options.look.format == OutputFormat::vcf) return extract_vcf(source, rows, sites, options, result);
    auto part = part_of(source, rows, sites);
    if (options.only_variable) part = variable_columns(part);
    auto layout = layout_for(source, rows, options.look);
    if (options.consensus) {
        part = consensus(part);
        if (layout.format == msa::TextFormat::fasta) layout.descriptions.clear();
    }
    auto const shown = fmt::format("{} and {}", counted(num_rows(part), "row"), counted(num_sites(part), "site"));
    if (layout.format == msa::TextFormat::maple) check_is_dna(source, part, "MAPLE");
    result.finish([&](msa::TextSink const& sink) { write_text(std::move(part), layout, sink, source.input()); });
    if (options.general.verbosity == Verbosity::verbose) {
        auto const read = source.bytes_read();
        auto const where = read ? fmt::format(", {} read", bytes(static_cast<double>(*read))) : "";
        say(options.general.verbosity, fmt::format("{}: {}{}", shown_input(input), shown, where));
    }
}

/// Runs a command with one result, which comes from all of its inputs.
template <class EditOptions>
int edit(EditOptions const& options, void (*body)(EditOptions const&)) {
    use_threads(options.general);
    return guarded(program, [&] {
        naming_files(options.places.inputs, [&] { body(options); });
        return int{done};
    });
}

}  // namespace

int run(AppendOptions const& options) {
    use_threads(options.general);
    return for_each({options.places.inputs[0]}, [&](auto const&) { append(options); });
}

int run(CompactOptions const& options) {
    use_threads(options.general);
    return for_each(options.places.inputs, [&](auto const& input) { compact(input, options); });
}

int run(CompressOptions const& options) {
    use_threads(options.general);
    return for_each(options.places.inputs, [&](auto const& input) { compress(input, options); });
}

int run(DecompressOptions const& options) {
    use_threads(options.general);
    return for_each(options.places.inputs, [&](auto const& input) { decompress(input, options); });
}

int run(ExtractOptions const& options) {
    use_threads(options.general);
    return for_each(options.places.inputs, [&](auto const& input) { extract(input, options); });
}

int run(StatOptions const& options) {
    use_threads(options.general);
    bool later = false;  // whether it is not the first
    return for_each(options.inputs, [&](auto const& input) {
        auto const report = examine(input, options.general);
        if (options.json) return print(to_json(report));
        if (std::exchange(later, true)) print("\n");
        print(to_text(report));
    });
}

int run(VerifyOptions const& options) {
    use_threads(options.general);
    return for_each(options.inputs, [&](auto const& input) {
        auto const file = open_rgm(input, options.general);
        if (options.deep) {
            check_deeply(file);
        } else {
            file.verify();
        }
        if (options.general.verbosity == Verbosity::quiet) return;
        print(fmt::format("{}: fine, {} and {}\n", shown_input(input), counted_taxa(file.num_taxa()),
                          counted(file.num_sites(), "site")));
    });
}

int run(TreeOptions const& options) {
    use_threads(options.general);
    return for_each(options.inputs, [&](auto const& input) {
        auto const file = open_rgm(input, options.general);
        print(file.newick() + '\n');
    });
}

int run(CatOptions const& options) {
    use_threads(options.general);
    return for_each(options.inputs, [&](auto const& input) {
        write_text(Opened(input, options.general), options.look, [](std::string_view piece) { print(piece); });
    });
}

int run(ConcatOptions const& options) {
    return edit(options, concat);
}

int run(DedupOptions const& options) {
    return edit(options, dedup);
}

int run(RenameOptions const& options) {
    return edit(options, rename_taxa);
}

int run(TrimOptions const& options) {
    return edit(options, trim);
}

int run(MaskOptions const& options) {
    return edit(options, mask);
}

int run(TranslateOptions const& options) {
    return edit(options, translate);
}

int run(SampleOptions const& options) {
    return edit(options, sample);
}

}  // namespace regraft::msa_cli
