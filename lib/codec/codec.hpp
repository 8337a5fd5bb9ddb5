// The interface of all kinds of coding, and the kinds there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "regraft/codec/columns.hpp"

namespace regraft::codec {

class ColumnDecoder::Codec {
public:
    explicit Codec(RootedTree tree) : tree_(std::move(tree)) {}
    Codec(Codec const&) = delete;
    Codec& operator=(Codec const&) = delete;
    virtual ~Codec() = default;

    virtual Kind kind() const = 0;
    /// Implements ColumnDecoder::decode.
    virtual void decode(std::span<std::byte const> block, std::uint32_t block_sites, BlockSites sites,
                        CellGrid out) const = 0;
    /// Implements ColumnDecoder::layers.
    virtual std::vector<Layer> layers(std::span<std::byte const> block, std::uint32_t block_sites) const = 0;
    RootedTree const& tree() const { return tree_; }

private:
    RootedTree tree_;
};

using CodecPointer = std::shared_ptr<ColumnDecoder::Codec const>;

/// Large enough that the fixed cost of a block hardly matters, and small enough that a few sites are decoded soon.
inline constexpr std::uint32_t default_sites_per_block = 64;

// An encoder and a decoder for each kind, as encode_columns and ColumnDecoder. Only the native coding chooses the
// number of sites per block.

EncodedColumns encode_plain(msa::Alignment const& alignment, RootedTree const& tree, EncodeOptions const& options);
CodecPointer plain_codec(std::span<std::byte const> model, RootedTree tree);

EncodedColumns encode_thesis(msa::Alignment const& alignment, RootedTree const& tree, EncodeOptions const& options);
CodecPointer thesis_codec(std::span<std::byte const> model, RootedTree tree);

EncodedColumns encode_native(msa::Alignment const& alignment, RootedTree const& tree, EncodeOptions const& options);
CodecPointer native_codec(std::span<std::byte const> model, RootedTree tree);

}  // namespace regraft::codec
