// Writes .rgm files (docs/file-format.md).
#include <algorithm>

#include "codec/rgm/rgm_format.hpp"
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

}  // namespace

void write_rgm(CompressedAlignment const& alignment, RgmExtras const& extras, ByteSink const& sink) {
    REGRAFT_EXPECTS(alignment.sites().size() == alignment.num_sites());
    auto const& encoded = alignment.encoded();
    FormatWriter out;
    out.append(prefix(0));
    auto const header_size = [&] { return out.bytes().size() - prefix_size; };
    out.fixed(static_cast<std::uint8_t>(encoded.kind), 1);
    out.number(alignment.num_sites());
    out.number(encoded.sites_per_block);
    out.section(encode_lines(alignment.names(), header_size()));
    out.section(encode_tree(alignment.decoder().tree()));
    out.section(encoded.model);
    out.section(encode_partitions(extras.partitions, header_size()));
    out.section(extras.layout ? encode_layout(*extras.layout, header_size()) : std::vector<std::byte>{});
    FormatWriter index;
    index.append(encode_index(encoded.blocks));
    index.fixed(alignment.content_hash(), 8);

    // Everything that can fail has been done by now.
    sink(out.bytes());
    if (!encoded.blocks.values.empty()) sink(encoded.blocks.values);
    write_end(out.bytes(), header_size(), index.bytes(), sink);
}

void write_plain_rgm(std::string_view text, ByteSink const& sink) {
    constexpr std::size_t longest_for_high_level = std::size_t{8} << 20;
    auto const bytes = std::as_bytes(std::span(text));
    auto frame = zstd_compress(bytes, zstd_default_level);
    if (text.size() <= longest_for_high_level) {
        auto smaller = zstd_compress(bytes, 19);
        if (smaller.size() < frame.size()) frame = std::move(smaller);
    }
    FormatWriter out;
    out.append(prefix(feature_text));
    out.number(text.size());
    auto const header_size = out.bytes().size() - prefix_size;
    out.append(frame);
    sink(out.bytes());
    FormatWriter index;
    index.fixed(hash(bytes), 8);
    write_end(out.bytes(), header_size, index.bytes(), sink);
}

}  // namespace regraft::codec
