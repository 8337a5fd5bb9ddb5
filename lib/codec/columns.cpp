// The kinds of coding behind one interface.
#include "regraft/codec/columns.hpp"

#include <algorithm>
#include <utility>

#include "codec/codec.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::codec {
namespace {

/// Blocks of about this many cells: long enough that what each costs by itself does not matter, short enough that a few
/// sites are decoded in a fraction of a millisecond.
constexpr std::uint64_t cells_per_block = 1 << 16;
constexpr std::uint64_t fewest_sites = 16;
constexpr std::uint64_t most_sites = 256;

std::uint32_t default_sites_per_block(std::uint64_t num_taxa) {
    return static_cast<std::uint32_t>(
        std::clamp(cells_per_block / std::max<std::uint64_t>(num_taxa, 1), fewest_sites, most_sites));
}

CodecPointer make_codec(Kind kind, std::span<std::byte const> model, RootedTree tree) {
    switch (kind) {
        case Kind::plain:
            return plain_codec(model, std::move(tree));
        case Kind::native:
            return native_codec(model, std::move(tree));
        case Kind::thesis:
            return thesis_codec(model, std::move(tree));
    }
    throw InputError("columns are coded in a way that this version does not know");
}

}  // namespace

EncodedColumns encode_columns(msa::Alignment const& alignment, RootedTree const& tree, EncodeOptions const& options) {
    REGRAFT_EXPECTS(alignment.num_taxa() > 0);
    REGRAFT_EXPECTS(tree.num_tips() == alignment.num_taxa());
    auto chosen = options;
    if (chosen.sites_per_block == 0) chosen.sites_per_block = default_sites_per_block(alignment.num_taxa());
    switch (chosen.kind) {
        case Kind::plain:
            return encode_plain(alignment, tree, chosen);
        case Kind::native:
            return encode_native(alignment, tree, chosen);
        case Kind::thesis:
            return encode_thesis(alignment, tree, chosen);
    }
    REGRAFT_EXPECTS(!"a kind of coding");
    return {};
}

ColumnDecoder::ColumnDecoder(Kind kind, std::span<std::byte const> model, RootedTree tree)
    : codec_(make_codec(kind, model, std::move(tree))) {}

void ColumnDecoder::decode(std::span<std::byte const> block, std::uint32_t block_sites, BlockSites sites,
                           CellGrid out) const {
    REGRAFT_EXPECTS(sites.first <= sites.last && sites.last <= block_sites);
    codec_->decode(block, block_sites, sites, out);
}

Kind ColumnDecoder::kind() const {
    return codec_->kind();
}

RootedTree const& ColumnDecoder::tree() const {
    return codec_->tree();
}

}  // namespace regraft::codec
