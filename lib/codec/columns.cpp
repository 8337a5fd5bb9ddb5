// The kinds of coding behind one interface.
#include "regraft/codec/columns.hpp"

#include <utility>

#include "codec/codec.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::codec {
namespace {

CodecPointer make_codec(Kind kind, std::span<std::byte const> model, RootedTree tree) {
    switch (kind) {
        case Kind::plain:
            return plain_codec(model, std::move(tree));
        case Kind::native:
            return native_codec(model, std::move(tree));
        case Kind::thesis:
            return thesis_codec(model, std::move(tree));
        case Kind::sparse:
            break;
    }
    throw InputError("columns are coded in a way that this version does not know");
}

}  // namespace

EncodedColumns encode_columns(msa::Alignment const& alignment, RootedTree const& tree, EncodeOptions const& options) {
    REGRAFT_EXPECTS(alignment.num_taxa() > 0);
    REGRAFT_EXPECTS(tree.num_tips() == alignment.num_taxa());
    auto chosen = options;
    if (chosen.sites_per_block == 0 && chosen.kind != Kind::native) chosen.sites_per_block = default_sites_per_block;
    switch (chosen.kind) {
        case Kind::plain:
            return encode_plain(alignment, tree, chosen);
        case Kind::native:
            return encode_native(alignment, tree, chosen);
        case Kind::thesis:
            return encode_thesis(alignment, tree, chosen);
        case Kind::sparse:
            break;
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

std::vector<Layer> ColumnDecoder::layers(std::span<std::byte const> block, std::uint32_t block_sites) const {
    return codec_->layers(block, block_sites);
}

Kind ColumnDecoder::kind() const {
    return codec_->kind();
}

RootedTree const& ColumnDecoder::tree() const {
    return codec_->tree();
}

}  // namespace regraft::codec
