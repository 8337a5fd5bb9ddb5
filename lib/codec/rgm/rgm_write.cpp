// Writes .rgm files (docs/alignments/file-format.md).
#include <algorithm>

#include "codec/entropy/text_model.hpp"
#include "codec/rgm/rgm_format.hpp"
#include "codec/sparse/sparse.hpp"
#include "regraft/codec/binary_newick.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/zstd.hpp"

namespace regraft::codec {
namespace {

std::vector<std::byte> prefix(std::uint8_t features) {
    FormatWriter out;
    out.append(rgm_magic);
    out.fixed(rgm_version, 1);
    out.fixed(features, 1);
    return out.take();
}

/// Writes index and footer. `front` is the part before it that the checksum covers: prefix and header, and a text if
/// there is one.
void write_end(std::span<std::byte const> front, std::size_t header_size, std::span<std::byte const> index,
               ByteSink const& sink) {
    FormatWriter out;
    out.append(front);
    out.append(index);
    out.fixed(checked_cast<std::uint32_t>(header_size), 4);
    out.fixed(checked_cast<std::uint32_t>(index.size()), 4);
    out.fixed(hash(out.bytes()), 8);
    sink(out.bytes().subspan(front.size()));
}

std::vector<std::byte> encode_tree(RootedTree const& tree) {
    FormatWriter out;
    out.append(encode_topology(tree));
    out.append(encode_row_order(tree.row_of_tip));
    return out.take();
}

/// A file with blocks.
struct Contents {
    Kind kind;
    std::uint64_t num_sites;
    std::uint32_t per_block;  // sites; of a sparse file, rows
    std::span<std::string const> names;
    std::vector<std::byte> tree;
    std::span<std::byte const> model;
    RgmExtras const& extras;
    CsrView<std::byte> blocks;
    std::uint64_t content_hash;
};

void write_blocks(Contents const& contents, ByteSink const& sink) {
    FormatWriter out;
    out.append(prefix(0));
    auto const header_size = [&] { return out.bytes().size() - prefix_size; };
    out.fixed(static_cast<std::uint8_t>(contents.kind), 1);
    out.number(contents.num_sites);
    out.number(contents.per_block);
    out.section(encode_lines(contents.names, header_size()));
    out.section(contents.tree);
    out.section(contents.model);
    out.section(encode_partitions(contents.extras.partitions, header_size()));
    auto const& layout = contents.extras.layout;
    out.section(layout ? encode_layout(*layout, contents.names, header_size()) : std::vector<std::byte>{});
    FormatWriter index;
    index.append(encode_index(contents.blocks));
    index.fixed(contents.content_hash, 8);

    // Everything that can fail has been done by now.
    sink(out.bytes());
    if (!contents.blocks.values.empty()) sink(contents.blocks.values);
    write_end(out.bytes(), header_size(), index.bytes(), sink);
}

void write_text_file(std::span<std::byte const> text, TextCoding coding, std::span<std::byte const> body,
                     ByteSink const& sink) {
    FormatWriter out;
    out.append(prefix(feature_text));
    out.number(text.size());
    out.fixed(static_cast<std::uint8_t>(coding), 1);
    auto const header_size = out.bytes().size() - prefix_size;
    out.append(body);
    sink(out.bytes());
    FormatWriter index;
    index.fixed(hash(text), 8);
    write_end(out.bytes(), header_size, index.bytes(), sink);
}

}  // namespace

void write_rgm(CompressedAlignment const& alignment, RgmExtras const& extras, ByteSink const& sink) {
    REGRAFT_EXPECTS(alignment.sites().size() == alignment.num_sites());
    auto const& encoded = alignment.encoded();
    write_blocks({.kind = encoded.kind,
                  .num_sites = alignment.num_sites(),
                  .per_block = encoded.sites_per_block,
                  .names = alignment.names(),
                  .tree = encode_tree(alignment.decoder().tree()),
                  .model = encoded.model,
                  .extras = extras,
                  .blocks = encoded.blocks,
                  .content_hash = alignment.content_hash()},
                 sink);
}

void write_rgm(msa::DifferenceText const& text, msa::PlacementTree const& tree, ByteSink const& sink) {
    auto const parts = encode_sparse(text.rows, tree);
    RgmExtras const extras{.partitions = {}, .layout = text.layout};
    write_blocks({.kind = Kind::sparse,
                  .num_sites = text.rows.num_sites(),
                  .per_block = runs_per_block,
                  .names = text.rows.names,
                  .tree = parts.tree,
                  .model = parts.model,
                  .extras = extras,
                  .blocks = parts.blocks,
                  .content_hash = content_hash(text.rows)},
                 sink);
}

void write_plain_rgm(std::string_view text, ByteSink const& sink, int zstd_level) {
    constexpr std::size_t longest_for_high_level = std::size_t{8} << 20;
    auto const bytes = std::as_bytes(std::span(text));
    auto frame = zstd_compress(bytes, zstd_default_level);
    if (text.size() <= longest_for_high_level && zstd_level != zstd_default_level) {
        auto smaller = zstd_compress(bytes, zstd_level);
        if (smaller.size() < frame.size()) frame = std::move(smaller);
    }
    write_text_file(bytes, TextCoding::zstd, frame, sink);
}

void write_modelled_rgm(std::string_view text, ByteSink const& sink) {
    auto const bytes = std::as_bytes(std::span(text));
    write_text_file(bytes, TextCoding::modelled, encode_modelled(bytes, {}), sink);
}

}  // namespace regraft::codec
