// Cells without coding, row by row: this kind suits any alignment.
#include <algorithm>

#include "codec/codec.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::codec {
namespace {

class PlainCodec final : public ColumnDecoder::Codec {
public:
    using Codec::Codec;
    Kind kind() const override { return Kind::plain; }
    void decode(std::span<std::byte const> block, std::uint32_t block_sites, BlockSites sites,
                CellGrid out) const override;
    std::vector<Layer> layers(std::span<std::byte const> block, std::uint32_t) const override {
        return {{"cells", 8 * static_cast<double>(block.size())}};
    }
};

void PlainCodec::decode(std::span<std::byte const> block, std::uint32_t block_sites, BlockSites sites,
                        CellGrid out) const {
    std::size_t const num_rows = tree().num_tips();
    if (block.size() != num_rows * block_sites) throw InputError("a block has the wrong size");
    for (std::size_t row = 0; row < num_rows; ++row) {
        auto const cells = block.subspan(row * block_sites, block_sites);
        for (auto i = sites.first; i < sites.last; ++i)
            out.begin[row * out.row_stride + (i - sites.first) * out.site_stride] = static_cast<char>(cells[i]);
    }
}

}  // namespace

EncodedColumns encode_plain(msa::Alignment const& alignment, RootedTree const&, EncodeOptions const& options) {
    EncodedColumns out;
    out.kind = Kind::plain;
    out.sites_per_block = options.sites_per_block;
    for (std::size_t first = 0; first < alignment.num_sites(); first += options.sites_per_block) {
        for (std::size_t row = 0; row < alignment.num_taxa(); ++row) {
            auto const cells = std::as_bytes(std::span(alignment.row(row).substr(first, options.sites_per_block)));
            out.blocks.values.insert(out.blocks.values.end(), cells.begin(), cells.end());
        }
        out.blocks.end_row();
    }
    return out;
}

CodecPointer plain_codec(std::span<std::byte const> model, RootedTree tree) {
    if (!model.empty()) throw InputError("a model that is not there was expected to be empty");
    return std::make_shared<PlainCodec>(std::move(tree));
}

}  // namespace regraft::codec
