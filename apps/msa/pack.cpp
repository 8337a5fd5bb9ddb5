#include "pack.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "common/input.hpp"
#include "regraft/codec/compressed_alignment.hpp"
#include "regraft/codec/guide_tree.hpp"
#include "regraft/codec/rgm.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/zstd.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/partition.hpp"
#include "regraft/msa/text_layout.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

codec::GuideOptions guide_options(CompressOptions const& options) {
    switch (options.effort) {
        case codec::Effort::fast:
            return {.seed = options.seed, .spr_radius = 5, .spr_rounds = 2};
        case codec::Effort::normal:
            return {.seed = options.seed};
        case codec::Effort::best:
            return {.seed = options.seed, .spr_radius = 20, .spr_rounds = 20};
    }
    return {};
}

codec::RootedTree tree_of(msa::Alignment const& alignment, CompressOptions const& options) {
    if (options.tree.empty()) return codec::guide_tree(alignment, guide_options(options));
    return codec::guide_tree_from_newick(read_text(options.tree), shown_input(options.tree), alignment.names);
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
    return options.kind || !options.tree.empty() || !options.partitions.empty();
}

std::vector<msa::PartitionSpec> partitions_of(msa::Alignment const& alignment, CompressOptions const& options) {
    if (options.partitions.empty()) return {};
    return msa::parse_partitions(read_text(options.partitions), shown_input(options.partitions), alignment.num_sites());
}

/// Codes the columns. None if they cannot be coded and need not be.
std::optional<codec::CompressedAlignment> encode(msa::Alignment const& alignment, codec::RootedTree const& tree,
                                                 CompressOptions const& options) {
    try {
        return codec::CompressedAlignment::encode(alignment, tree,
                                                  {.kind = options.kind.value_or(codec::Kind::native),
                                                   .sites_per_block = options.sites_per_block,
                                                   .effort = options.effort});
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
    progress.phase("looking for a tree", 5);
    auto const tree = tree_of(alignment, options);
    progress.phase("compressing", 50);
    auto const compressed = encode(alignment, tree, options);
    if (!compressed) return "";
    extras.layout = msa::layout_of(text, alignment);
    return collect([&](codec::ByteSink const& sink) { write_rgm(*compressed, extras, sink); });
}

std::string pack_plain(std::string_view text) {
    return collect([&](codec::ByteSink const& sink) { codec::write_plain_rgm(text, sink); });
}

/// Whether the compressed text as a whole is clearly larger than `size`. zstd's default level is fast; its highest
/// level hardly reaches half the size, in a hundred times the time and memory.
bool is_larger_as_text(std::string_view text, std::size_t size) {
    return zstd_compress(std::as_bytes(std::span(text)), zstd_default_level).size() >= 2 * size;
}

void check(Packed const& packed, std::string_view text, std::string const& name) {
    auto const bytes = std::as_bytes(std::span(packed.bytes));
    std::string problem;
    try {
        codec::RgmFile const file(codec::bytes_in_memory({bytes.begin(), bytes.end()}, name));
        if (file.text() == text) return;
        problem = "it differs";
    } catch (InputError const& error) {
        problem = error.what();
    }
    throw std::logic_error(name + " does not come back from its compressed form: " + problem +
                           "; nothing is written. Please report this, with the file if you can");
}

}  // namespace

Packed pack(std::string_view text, std::string const& name, CompressOptions const& options, Progress& progress) {
    Packed packed;
    {
        auto const alignment = msa::parse_alignment(text, name);
        packed.taxa = alignment.num_taxa();
        packed.sites = alignment.num_sites();
        packed.kind = options.kind.value_or(codec::Kind::native);
        if (options.kind == codec::Kind::plain) {
            packed.bytes = pack_plain(text);
        } else if (!must_be_text(alignment, options)) {
            packed.bytes = pack_columns(text, alignment, options, progress);
        }
    }
    if (!wants_columns(options) && (packed.bytes.empty() || !is_larger_as_text(text, packed.bytes.size()))) {
        auto plain = pack_plain(text);
        if (packed.bytes.empty() || plain.size() < packed.bytes.size()) {
            packed.bytes = std::move(plain);
            packed.kind = codec::Kind::plain;
        }
    }
    if (options.verify) {
        progress.phase("checking", 90);
        check(packed, text, name);
    }
    return packed;
}

}  // namespace regraft::msa_cli
