#include "pack.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "common/input.hpp"
#include "common/text_input.hpp"
#include "regraft/codec/compressed_alignment.hpp"
#include "regraft/codec/guide_tree.hpp"
#include "regraft/codec/rgm.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/zstd.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/partition.hpp"
#include "regraft/msa/placement_tree.hpp"
#include "regraft/msa/text_layout.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

codec::GuideOptions guide_options(CompressOptions const& options) {
    auto const& how = level(options.level);
    return {.seed = options.seed, .spr_radius = how.spr_radius, .spr_rounds = how.spr_rounds};
}

codec::RootedTree tree_of(msa::Alignment const& alignment, CompressOptions const& options) {
    if (options.tree.empty()) return codec::guide_tree(alignment, guide_options(options));
    return codec::guide_tree_from_newick(read_unpacked(options.tree), shown_input(options.tree), alignment.names);
}

/// Returns the bytes that `write` passes to a sink.
template <class Write>
std::string collect(Write&& write) {
    std::string bytes;
    write([&](std::span<std::byte const> piece) {
        bytes.append(reinterpret_cast<char const*>(piece.data()), piece.size());
    });
    return bytes;
}

/// Whether the user requests features that only coded columns have.
bool wants_columns(CompressOptions const& options) {
    return options.kind || !options.tree.empty() || !options.partitions.empty() || !options.stored.empty();
}

std::vector<msa::PartitionSpec> partitions_of(msa::Alignment const& alignment, CompressOptions const& options) {
    if (options.partitions.empty()) return options.stored;
    return msa::parse_partitions(read_unpacked(options.partitions), shown_input(options.partitions),
                                 alignment.num_sites());
}

/// Codes the columns. None if they cannot be coded and need not be.
std::optional<codec::CompressedAlignment> encode(msa::Alignment const& alignment, codec::RootedTree const& tree,
                                                 CompressOptions const& options) {
    try {
        return codec::CompressedAlignment::encode(alignment, tree,
                                                  {.kind = options.kind.value_or(codec::Kind::native),
                                                   .sites_per_block = options.sites_per_block,
                                                   .effort = level(options.level).effort,
                                                   .work_per_block = level(options.level).work_per_block});
    } catch (InputError const& error) {
        if (!wants_columns(options)) return std::nullopt;
        throw InputError({alignment.file},
                         std::string(error.what()) + "; it can be compressed without --codec, --tree and --partitions");
    }
}

/// Whether it is known before the tree search that the columns cannot be coded and need not be. Throws InputError if
/// they need to be.
bool must_be_text(msa::Alignment const& alignment, CompressOptions const& options) {
    if (wants_columns(options) && !alignment.is_verbatim) {
        throw InputError({alignment.file},
                         "has characters that stand for others: gap, missing, matchchar or sets of states; it can be "
                         "compressed without --codec, --tree and --partitions");
    }
    return !wants_columns(options) && (alignment.num_taxa() > codec::most_native_taxa || !alignment.is_verbatim);
}

/// Packs coded columns. Empty if they cannot be coded and need not be.
std::string pack_columns(std::string_view text, msa::Alignment const& alignment, CompressOptions const& options,
                         Progress& progress) {
    codec::RgmExtras extras;
    extras.partitions = partitions_of(alignment, options);
    progress.phase("looking for a tree", 5, 50);
    auto const tree = tree_of(alignment, options);
    progress.phase("compressing", 50, 90);
    auto const compressed = encode(alignment, tree, options);
    if (!compressed) return "";
    extras.layout = msa::layout_of(text, alignment);
    return collect([&](codec::ByteSink const& sink) { write_rgm(*compressed, extras, sink); });
}

std::string pack_plain(std::string_view text, CompressOptions const& options) {
    auto const zstd_level = level(options.level).zstd_level;
    return collect([&](codec::ByteSink const& sink) { codec::write_plain_rgm(text, sink, zstd_level); });
}

/// Packs a short text with a model of texts. Empty if it is too long for that.
std::string pack_modelled(std::string_view text, CompressOptions const& options) {
    if (text.size() > level(options.level).longest_modelled) return "";
    return collect([&](codec::ByteSink const& sink) { codec::write_modelled_rgm(text, sink); });
}

/// Whether the compressed text as a whole is clearly larger than `size`. zstd's default level is fast; its highest
/// level hardly reaches half the size, in a hundred times the time and memory.
bool is_larger_as_text(std::string_view text, std::size_t size) {
    return zstd_compress(std::as_bytes(std::span(text)), zstd_default_level).size() >= 2 * size;
}

/// Packs rows. Empty if there are none, or if a reader would refuse them.
std::string pack_rows(Source const& source, CompressOptions const& options, std::string const& name,
                      Progress& progress) {
    constexpr std::size_t few_rows = 100;
    bool const must_be_rows = options.kind == codec::Kind::sparse;
    if (must_be_rows && !source.rows) {
        throw InputError({name},
                         "is no regular FASTA text of nearly equal rows of DNA or RNA; it can be compressed "
                         "without --codec sparse");
    }
    bool const is_worthwhile = source.rows && (!source.text || source.rows->rows.num_taxa() >= few_rows);
    if (!must_be_rows && !is_worthwhile) return "";
    progress.phase("placing rows in a tree", 20, 80);
    msa::PlacementOptions placing;
    placing.reached = [&](double part) { progress.reached(part); };
    auto const tree = msa::placement_tree(source.rows->rows, placing);
    progress.phase("compressing", 80, 90);
    try {
        return collect([&](codec::ByteSink const& sink) { codec::write_rgm(*source.rows, tree, sink); });
    } catch (InputError const& error) {
        if (!must_be_rows && source.text) return "";
        throw InputError({name}, error.what());
    }
}

/// Unpacks what is packed. Throws std::logic_error unless it is what is expected.
void check(std::string_view packed, std::string const& name,
           std::function<bool(codec::RgmFile const&)> const& is_expected) {
    auto const bytes = std::as_bytes(std::span(packed));
    std::string problem;
    try {
        codec::RgmFile const file(codec::bytes_in_memory({bytes.begin(), bytes.end()}, name));
        if (is_expected(file)) return;
        problem = "it differs";
    } catch (InputError const& error) {
        problem = error.what();
    }
    throw std::logic_error(name + " does not come back from its compressed form: " + problem +
                           "; nothing is written. Please report this, with the file if you can");
}

/// Replaces what is packed by something smaller.
void take_smaller(Packed& packed, std::string bytes, codec::Kind kind) {
    if (bytes.empty() || (!packed.bytes.empty() && packed.bytes.size() <= bytes.size())) return;
    packed.bytes = std::move(bytes);
    packed.kind = kind;
}

/// Replaces what is packed by a text that is a sixteenth smaller. Columns have a tree, and can be read in part.
void take_much_smaller(Packed& packed, std::string text) {
    if (!packed.bytes.empty() && 16 * text.size() > 15 * packed.bytes.size()) return;
    take_smaller(packed, std::move(text), codec::Kind::plain);
}

/// Packs a text.
Packed pack_text(std::string_view text, std::string const& name, CompressOptions const& options, Progress& progress) {
    Packed packed;
    auto const alignment = msa::parse_alignment(text, name);
    packed.taxa = alignment.num_taxa();
    packed.sites = alignment.num_sites();
    packed.kind = options.kind.value_or(codec::Kind::native);
    if (options.kind == codec::Kind::plain) {
        packed.bytes = pack_plain(text, options);
        take_smaller(packed, pack_modelled(text, options), codec::Kind::plain);
    } else if (!must_be_text(alignment, options)) {
        packed.bytes = pack_columns(text, alignment, options, progress);
    }
    return packed;
}

}  // namespace

Packed pack(Source source, std::string const& name, CompressOptions const& options, Progress& progress) {
    auto const rows = wanted_rows(options) == Rows::never ? "" : pack_rows(source, options, name, progress);
    Packed packed;
    if (source.rows) {
        packed.taxa = source.rows->rows.num_taxa();
        packed.sites = source.rows->rows.num_sites();
        source.rows.reset();
    }
    if (source.text) packed = pack_text(*source.text, name, options, progress);
    take_smaller(packed, rows, codec::Kind::sparse);
    bool const may_be_text = source.text && !wants_columns(options);
    if (may_be_text && (packed.bytes.empty() || !is_larger_as_text(*source.text, packed.bytes.size())))
        take_smaller(packed, pack_plain(*source.text, options), codec::Kind::plain);
    if (may_be_text) take_much_smaller(packed, pack_modelled(*source.text, options));
    if (options.verify) {
        progress.phase("checking", 90, 98);
        if (source.text) {
            source.hashes = {};
            source.hashes.add(*source.text);
        }
        check(packed.bytes, name, [&](codec::RgmFile const& file) {
            TextHashes found;
            file.write_text([&](std::string_view piece) { found.add(piece); });
            return found == source.hashes;
        });
    }
    return packed;
}

std::string packed_rows(msa::DifferenceText const& rows, msa::PlacementTree const& tree, std::string const& name,
                        bool verify) {
    std::string bytes;
    try {
        bytes = collect([&](codec::ByteSink const& sink) { codec::write_rgm(rows, tree, sink); });
    } catch (InputError const& error) {
        throw InputError({name}, error.what());
    }
    if (verify) {
        check(bytes, name, [&](codec::RgmFile const& file) {
            return file.extras().layout == rows.layout && file.differences() == rows.rows;
        });
    }
    return bytes;
}

Rows wanted_rows(CompressOptions const& options) {
    if (options.kind == codec::Kind::sparse) return Rows::always;
    return wants_columns(options) ? Rows::never : Rows::if_they_suffice;
}

}  // namespace regraft::msa_cli
