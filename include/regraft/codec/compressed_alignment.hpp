// An alignment in compressed form with random access by site, as a rank keeps it in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "regraft/codec/columns.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/msa/alignment.hpp"

#pragma GCC visibility push(default)
namespace regraft::codec {

/// Largest number of sites of a block, and largest number of cells of a block with more than 256 sites: decoding takes
/// that memory.
inline constexpr std::uint32_t max_sites_per_block = 1 << 16;
inline constexpr std::uint64_t max_cells_per_block = std::uint64_t{1} << 26;  // taxa times sites of a block

/// A compressed alignment, or a range of its blocks. Immutable; copies share everything.
class CompressedAlignment {
public:
    /// Compresses a whole alignment along a tree with a tip per row. Parallel; the same bytes for any number of
    /// threads. Throws as encode_columns, and InputError if the options ask for blocks above the limits.
    static CompressedAlignment encode(msa::Alignment const& alignment, RootedTree const& tree,
                                      EncodeOptions const& = {});

    /// Makes an alignment from stored parts: blocks first_block, first_block + 1, ... of an alignment of num_sites
    /// sites. `encoded.blocks` has only those. Throws InputError if the model does not fit the tree, or if blocks are
    /// above the limits. Precondition: the numbers of names, tips, sites and blocks fit each other.
    CompressedAlignment(std::vector<std::string> names, RootedTree tree, EncodedColumns encoded,
                        std::uint64_t num_sites, std::uint64_t first_block = 0);

    /// An object with other blocks of the same alignment, which shares names and tree with this one. Precondition: as
    /// above.
    CompressedAlignment with_blocks(Csr<std::byte> blocks, std::uint64_t first_block) const;

    std::span<std::string const> names() const;  // per row
    /// The number of rows.
    std::size_t num_taxa() const;
    std::uint64_t num_sites() const;  // of the whole alignment
    SiteRange sites() const;          // the sites that are here, in whole blocks
    /// Decodes the blocks of encoded() one by one.
    ColumnDecoder const& decoder() const;
    /// The blocks that are here, and the model that all blocks share.
    EncodedColumns const& encoded() const;

    /// Decodes sites, in parallel over blocks. Throws InputError for damaged blocks. Precondition: sites within
    /// sites().
    void decode(SiteRange sites, CellGrid out) const;
    /// The rows of some sites, as an alignment without a file name.
    msa::Alignment rows(SiteRange sites) const;

    /// The blocks that contain any of the sites, as they are stored: payload of storage blocks. Precondition: sites
    /// within sites().
    CsrView<std::byte> bytes(SiteRange sites) const;

    /// A hash of names and cells (docs/alignments/file-format.md). If encode made this object, it is the hash of the
    /// original, so that it tells whether decoding reproduces that; otherwise it is the hash of what decoding gives.
    /// Throws as decode. Precondition: all blocks are here.
    std::uint64_t content_hash() const;
    /// The hash of the cells of each block that is here, of which content_hash is made. Throws as decode.
    std::vector<std::uint64_t> block_hashes() const;

private:
    struct [[gnu::visibility("hidden")]] Parts;
    explicit CompressedAlignment(std::shared_ptr<Parts const> parts);

    std::shared_ptr<Parts const> parts_;
};

}  // namespace regraft::codec
#pragma GCC visibility pop
