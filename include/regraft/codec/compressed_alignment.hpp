// An alignment in compressed form with random access by site: what a rank keeps in memory.
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

namespace regraft::codec {

/// A block has at most so many sites, and if it has more than 256, at most so many cells: decoding takes that memory.
inline constexpr std::uint32_t max_sites_per_block = 1 << 16;
inline constexpr std::uint64_t max_cells_per_block = std::uint64_t{1} << 26;

/// A compressed alignment, or a range of its blocks. Immutable; copies share everything.
class CompressedAlignment {
public:
    /// Compresses all of it along a tree with a tip per row. Parallel; the same bytes for any number of threads. Throws
    /// as encode_columns, and InputError if the options ask for larger blocks than there may be.
    static CompressedAlignment encode(msa::Alignment const& alignment, RootedTree const& tree,
                                      EncodeOptions const& = {});

    /// From parts that were stored: blocks first_block, first_block + 1, ... of an alignment of num_sites sites.
    /// `encoded.blocks` has those only. Throws InputError if the model does not fit the tree, or blocks are larger than
    /// they may be. Precondition: the numbers of names, tips, sites and blocks fit each other.
    CompressedAlignment(std::vector<std::string> names, RootedTree tree, EncodedColumns encoded,
                        std::uint64_t num_sites, std::uint64_t first_block = 0);

    /// Other blocks of the same alignment, which share names and tree with this. Precondition: as above.
    CompressedAlignment with_blocks(Csr<std::byte> blocks, std::uint64_t first_block) const;

    std::span<std::string const> names() const;  // per row
    std::size_t num_taxa() const;
    std::uint64_t num_sites() const;  // of the whole alignment
    SiteRange sites() const;          // those that are here, whole blocks
    ColumnDecoder const& decoder() const;
    EncodedColumns const& encoded() const;

    /// Decodes sites, in parallel over blocks. Throws InputError for damaged blocks. Precondition: sites within
    /// sites().
    void decode(SiteRange sites, CellGrid out) const;
    /// The rows of some sites, as an alignment without a file.
    msa::Alignment rows(SiteRange sites) const;

    /// The blocks that contain any of the sites, as they are stored: payload of storage blocks. Precondition: sites
    /// within sites().
    CsrView<std::byte> bytes(SiteRange sites) const;

    /// A hash of names and cells (docs/file-format.md): of the original if encode made this, so that it tells whether
    /// decoding gives that again; else of what decoding gives. Throws as decode. Precondition: all blocks are here.
    std::uint64_t content_hash() const;

private:
    struct Parts;
    explicit CompressedAlignment(std::shared_ptr<Parts const> parts);

    std::shared_ptr<Parts const> parts_;
};

}  // namespace regraft::codec
