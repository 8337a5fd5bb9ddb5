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

#include "common/input.hpp"
#include "common/output.hpp"
#include "common/words.hpp"
#include "files.hpp"
#include "pack.hpp"
#include "progress.hpp"
#include "regraft/codec/guide_tree.hpp"
#include "regraft/core/errors.hpp"
#include "selection.hpp"
#include "stat_report.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

void use_threads(Manners const& manners) {
#ifdef _OPENMP
    if (manners.threads > 0) omp_set_num_threads(static_cast<int>(manners.threads));
#else
    static_cast<void>(manners);
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

Source read_alignment(std::string const& input, CompressOptions const& options) {
    if (input == "-" && isatty(STDIN_FILENO) != 0)
        throw InputError("an alignment is not read from a terminal; expected a FILE");
    return read_source(input, wanted_rows(options), size_limit(options.manners));
}

std::string summary(std::uint64_t text_bytes, Packed const& packed, double seconds) {
    auto const after = static_cast<double>(packed.bytes.size());
    return fmt::format("{} -> {}, {}, {:.3f} bits per taxon and site, {}", bytes(static_cast<double>(text_bytes)),
                       bytes(after), change_of_size(text_bytes, packed.bytes.size()),
                       8 * after / num_cells(packed.taxa, packed.sites), duration(seconds));
}

/// In a pipe only errors are worth a line, as with gzip.
Voice summary_voice(Replacement const& result, Voice voice) {
    return result.output() == "-" && voice == Voice::normal ? Voice::quiet : voice;
}

void compress(std::string const& input, CompressOptions const& options) {
    auto const voice = options.manners.voice;
    Progress progress(shown_input(input), voice);
    Replacement result(input, compressed_name(input, options.places), options.places, Replacement::Result::binary);
    progress.phase("reading", 0);
    auto source = read_alignment(input, options);
    if (source.text && is_rgm(*source.text)) throw InputError({shown_input(input)}, "is compressed already");
    if (source.is_packed) result.keep_input();
    auto const text_bytes = source.num_bytes();
    auto const packed = pack(std::move(source), shown_input(input), options, progress);
    progress.phase("writing", 98);
    result.finish(packed.bytes);
    progress.clear();
    say(summary_voice(result, voice),
        fmt::format("{}: {}", shown_input(input), summary(text_bytes, packed, progress.seconds())));
    if (voice == Voice::verbose) {
        say(voice, fmt::format("{}: {}, {}, codec {}", shown_input(input), counted_taxa(packed.taxa),
                               counted(packed.sites, "site"), name(packed.kind)));
    }
}

/// Passes on the text of a file in the requested layout.
void write_text_of(codec::RgmFile const& file, Look const& look, msa::TextSink const& sink) {
    if (!look.format && !look.width) return file.write_text(sink);
    std::vector<std::size_t> rows(file.num_taxa());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    auto const layout = layout_for(file, rows, look);
    if (file.kind() == codec::Kind::sparse && layout.format == msa::TextFormat::fasta)
        return msa::write_text(file.differences(), layout, sink);
    auto const all = file.read({SiteId{0}, SiteId{file.num_sites()}}).rows({SiteId{0}, SiteId{file.num_sites()}});
    sink(write_text(all, layout));
}

void decompress(std::string const& input, DecompressOptions const& options) {
    auto const voice = options.manners.voice;
    Progress progress(shown_input(input), voice);
    Replacement result(input, decompressed_name(input, options.places), options.places, Replacement::Result::text);
    progress.phase("unpacking", 0);
    auto const file = open_rgm(input, options.manners);
    std::uint64_t num_bytes = 0;
    result.finish([&](msa::TextSink const& sink) {
        write_text_of(file, options.look, [&](std::string_view piece) {
            num_bytes += piece.size();
            sink(piece);
        });
    });
    progress.clear();
    auto const where = result.output() == "-" ? "" : " in " + result.output();
    say(summary_voice(result, voice),
        fmt::format("{}: {}{}, {}", shown_input(input), bytes(static_cast<double>(num_bytes)), where,
                    duration(progress.seconds())));
}

void extract(std::string const& input, ExtractOptions const& options) {
    auto const file = open_rgm(input, options.manners);
    auto const selection = select(file, options);
    Replacement result(input, options.places.output, options.places, Replacement::Result::text);
    result.finish(write_text(cut(file, selection), layout_for(file, selection.rows, options.look)));
    if (options.manners.voice == Voice::verbose) {
        say(options.manners.voice,
            fmt::format("{}: {} and {}, {} read", shown_input(input), counted(selection.rows.size(), "row"),
                        counted(selection.sites.size(), "site"), bytes(static_cast<double>(file.bytes_read()))));
    }
}

}  // namespace

int run(CompressOptions const& options) {
    use_threads(options.manners);
    return for_each(options.places.inputs, [&](auto const& input) { compress(input, options); });
}

int run(DecompressOptions const& options) {
    use_threads(options.manners);
    return for_each(options.places.inputs, [&](auto const& input) { decompress(input, options); });
}

int run(ExtractOptions const& options) {
    use_threads(options.manners);
    return for_each(options.places.inputs, [&](auto const& input) { extract(input, options); });
}

int run(StatOptions const& options) {
    use_threads(options.manners);
    bool later = false;  // whether it is not the first
    return for_each(options.inputs, [&](auto const& input) {
        auto const report = examine(input, options.manners);
        if (options.json) return print(to_json(report));
        if (std::exchange(later, true)) print("\n");
        print(to_text(report));
    });
}

int run(VerifyOptions const& options) {
    use_threads(options.manners);
    return for_each(options.inputs, [&](auto const& input) {
        auto const file = open_rgm(input, options.manners);
        file.verify();
        if (options.manners.voice == Voice::quiet) return;
        print(fmt::format("{}: fine, {} and {}\n", shown_input(input), counted_taxa(file.num_taxa()),
                          counted(file.num_sites(), "site")));
    });
}

int run(TreeOptions const& options) {
    use_threads(options.manners);
    return for_each(options.inputs, [&](auto const& input) {
        auto const file = open_rgm(input, options.manners);
        print(file.newick() + '\n');
    });
}

int run(CatOptions const& options) {
    use_threads(options.manners);
    return for_each(options.inputs, [&](auto const& input) {
        write_text_of(open_rgm(input, options.manners), options.look, [](std::string_view piece) { print(piece); });
    });
}

}  // namespace regraft::msa_cli
