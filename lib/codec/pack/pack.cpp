#include "regraft/codec/pack.hpp"

#include <cstddef>
#include <span>
#include <utility>

#include "codec/pack/levels.hpp"
#include "regraft/codec/compressed_alignment.hpp"
#include "regraft/codec/guide_tree.hpp"
#include "regraft/codec/rgm.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/zstd.hpp"
#include "regraft/msa/placement_tree.hpp"
#include "regraft/msa/text_layout.hpp"

namespace regraft::codec {
namespace {

/// Returns the bytes that `write` passes to a sink.
template <class Write>
std::string collect(Write&& write) {
    std::string bytes;
    write([&](std::span<std::byte const> piece) {
        bytes.append(reinterpret_cast<char const*>(piece.data()), piece.size());
    });
    return bytes;
}

/// Whether features are asked for that only coded columns have.
bool wants_columns(PackOptions const& options) {
    return options.kind || options.tree || options.partitions;
}

RootedTree tree_of(msa::Alignment const& alignment, PackOptions const& options) {
    if (options.tree) return options.tree(alignment);
    auto const& how = level(options.level);
    return guide_tree(alignment, {.seed = options.seed, .spr_radius = how.spr_radius, .spr_rounds = how.spr_rounds});
}

constexpr auto way_out = "; it can be packed if no codec, tree and partitions are asked for";

/// Codes the columns. None if they cannot be coded and need not be.
std::optional<CompressedAlignment> encode(msa::Alignment const& alignment, RootedTree const& tree,
                                          PackOptions const& options) {
    try {
        return CompressedAlignment::encode(alignment, tree,
                                           {.kind = options.kind.value_or(Kind::native),
                                            .sites_per_block = options.sites_per_block,
                                            .effort = level(options.level).effort,
                                            .work_per_block = level(options.level).work_per_block});
    } catch (InputError const& error) {
        if (!wants_columns(options)) return std::nullopt;
        throw InputError({alignment.file}, std::string(error.what()) + way_out);
    }
}

/// Whether it is known before the tree search that the columns cannot be coded and need not be. Throws InputError if
/// they need to be.
bool must_be_text(msa::Alignment const& alignment, PackOptions const& options) {
    if (wants_columns(options) && !alignment.is_verbatim) {
        throw InputError(
            {alignment.file},
            std::string("has characters that stand for others: gap, missing, matchchar or sets of states") + way_out);
    }
    return !wants_columns(options) && (alignment.num_taxa() > most_native_taxa || !alignment.is_verbatim);
}

/// Packs coded columns. Empty if they cannot be coded and need not be.
std::string pack_columns(std::string_view text, msa::Alignment const& alignment, PackOptions const& options) {
    RgmExtras extras;
    if (options.partitions) extras.partitions = options.partitions(alignment);
    options.begins("looking for a tree", 0, .5);
    auto const tree = tree_of(alignment, options);
    options.begins("compressing", .5, 1);
    auto const compressed = encode(alignment, tree, options);
    if (!compressed) return "";
    extras.layout = msa::layout_of(text, alignment);
    return collect([&](ByteSink const& sink) { write_rgm(*compressed, extras, sink); });
}

std::string pack_plain(std::string_view text, PackOptions const& options) {
    auto const zstd_level = level(options.level).zstd_level;
    return collect([&](ByteSink const& sink) { write_plain_rgm(text, sink, zstd_level); });
}

/// Packs a short text with a model of texts. Empty if it is too long for that.
std::string pack_modelled(std::string_view text, PackOptions const& options) {
    if (text.size() > level(options.level).longest_modelled) return "";
    return collect([&](ByteSink const& sink) { write_modelled_rgm(text, sink); });
}

/// Whether the compressed text as a whole is clearly larger than `size`. zstd's default level is fast; its highest
/// level hardly reaches half the size, in a hundred times the time and memory.
bool is_larger_as_text(std::string_view text, std::size_t size) {
    return zstd_compress(std::as_bytes(std::span(text)), zstd_default_level).size() >= 2 * size;
}

/// Packs rows. Empty if there are none, or if a reader would refuse them.
std::string pack_rows(PackInput const& input, PackOptions const& options, std::string const& name) {
    constexpr std::size_t few_rows = 100;
    bool const must_be_rows = options.kind == Kind::sparse;
    if (must_be_rows && !input.rows) {
        throw InputError({name}, std::string("is no regular FASTA text of nearly equal rows of DNA or RNA") + way_out);
    }
    bool const is_worthwhile = input.rows && (!input.text || input.rows->rows.num_taxa() >= few_rows);
    if (!must_be_rows && !is_worthwhile) return "";
    options.begins("placing rows in a tree", 0, .9);
    auto const tree = msa::placement_tree(input.rows->rows, {.reached = options.reached});
    options.begins("compressing", .9, 1);
    try {
        return collect([&](ByteSink const& sink) { write_rgm(*input.rows, tree, sink); });
    } catch (InputError const& error) {
        if (!must_be_rows && input.text) return "";
        throw InputError({name}, error.what());
    }
}

/// Replaces what is packed by something smaller.
void take_smaller(Packed& packed, std::string bytes, Kind kind) {
    if (bytes.empty() || (!packed.bytes.empty() && packed.bytes.size() <= bytes.size())) return;
    packed.bytes = std::move(bytes);
    packed.kind = kind;
}

/// Replaces what is packed by a text that is a sixteenth smaller. Columns have a tree, and can be read in part.
void take_much_smaller(Packed& packed, std::string text) {
    if (!packed.bytes.empty() && 16 * text.size() > 15 * packed.bytes.size()) return;
    take_smaller(packed, std::move(text), Kind::plain);
}

/// Packs a text by columns, or as what the options ask for.
Packed pack_text(std::string_view text, std::string const& name, PackOptions const& options) {
    auto const alignment = msa::parse_alignment(text, name);
    Packed packed{
        .kind = options.kind.value_or(Kind::native), .taxa = alignment.num_taxa(), .sites = alignment.num_sites()};
    if (options.kind == Kind::plain) {
        packed.bytes = pack_plain(text, options);
        take_smaller(packed, pack_modelled(text, options), Kind::plain);
    } else if (!must_be_text(alignment, options)) {
        packed.bytes = pack_columns(text, alignment, options);
    }
    return packed;
}

}  // namespace

RowUse row_use(PackOptions const& options) {
    if (options.kind == Kind::sparse) return RowUse::always;
    return wants_columns(options) ? RowUse::never : RowUse::if_they_suffice;
}

bool rows_suffice(msa::DifferenceRows const& rows, std::uint64_t text_bytes) {
    constexpr std::uint64_t cells_per_entry = 64;
    auto const entries = rows.differences.values.size() + rows.runs.values.size();
    return text_bytes > most_text_by_columns ||
           (text_bytes > small_text && entries * cells_per_entry <= rows.num_taxa() * rows.num_sites());
}

Packed pack(PackInput input, std::string const& name, PackOptions const& options) {
    REGRAFT_EXPECTS(input.text || input.rows);
    auto rows = row_use(options) == RowUse::never ? "" : pack_rows(input, options, name);
    Packed packed;
    if (input.rows) {
        packed.taxa = input.rows->rows.num_taxa();
        packed.sites = input.rows->rows.num_sites();
        input.rows.reset();
    }
    if (input.text && options.kind != Kind::sparse) packed = pack_text(*input.text, name, options);
    take_smaller(packed, std::move(rows), Kind::sparse);
    if (!input.text || wants_columns(options)) return packed;
    if (packed.bytes.empty() || !is_larger_as_text(*input.text, packed.bytes.size()))
        take_smaller(packed, pack_plain(*input.text, options), Kind::plain);
    take_much_smaller(packed, pack_modelled(*input.text, options));
    return packed;
}

Packed pack(std::string_view text, std::string const& name, PackOptions const& options) {
    PackInput input{.text = text};
    auto const use = row_use(options);
    if (use != RowUse::never) input.rows = msa::read_differences(msa::pieces_of(text));
    if (input.rows && (use == RowUse::always || rows_suffice(input.rows->rows, text.size()))) input.text.reset();
    return pack(std::move(input), name, options);
}

}  // namespace regraft::codec
