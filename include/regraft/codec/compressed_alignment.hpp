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

/// A compressed alignment, or a range of its blocks. Immutable; copies share everything.
class CompressedAlignment {
public:
    /// Compresses all of it along a tree with a tip per row. Parallel; the same bytes for any number of threads. Throws
    /// as encode_columns.
    static CompressedAlignment encode(msa::Alignment const& alignment, RootedTree const& tree,
                                      EncodeOptions const& = {});

    /// From parts that were stored: blocks first_block, first_block + 1, ... of an alignment of num_sites sites.
    /// `encoded.blocks` has those only. Throws InputError if the model does not fit the tree.
    CompressedAlignment(std::vector<std::string> names, RootedTree tree, EncodedColumns encoded,
                        std::uint64_t num_sites, std::uint64_t first_block = 0);

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

private:
    struct Parts;
    std::shared_ptr<Parts const> parts_;
};

}  // namespace regraft::codec
