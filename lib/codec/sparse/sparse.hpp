// Nearly equal rows as a tree with changes, and runs (docs/alignments/file-format.md, sparse coding).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "codec/sparse/skeleton.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/msa/difference_rows.hpp"
#include "regraft/msa/placement_tree.hpp"

namespace regraft::codec {

/// Rows whose runs are coded together.
inline constexpr std::uint32_t runs_per_block = 1U << 12;

/// The largest number of changes, runs or differences in blocks of so many bytes. It bounds the memory for decoding.
constexpr std::uint64_t most_entries(std::uint64_t bytes) {
    return (std::uint64_t{1} << 20) + 256 * bytes;
}

struct SparseParts {
    std::vector<std::byte> tree;   // its shape, and the order of rows
    std::vector<std::byte> model;  // the letters, the order of runs, and the reference
    Csr<std::byte> blocks;         // the changes, then the runs of runs_per_block rows each
};

/// Throws InputError if the rows have more differences or runs than may be decoded.
SparseParts encode_sparse(msa::DifferenceRows const& rows, msa::PlacementTree const& tree);

/// A hash of names and cells (docs/alignments/file-format.md). In parallel.
std::uint64_t content_hash(msa::DifferenceRows const& rows);
/// The hash of each of the rows first .. last - 1, of which content_hash is made. In parallel.
std::vector<std::uint64_t> row_hashes(msa::DifferenceRows const& rows, std::uint64_t first, std::uint64_t last);

/// Sites of all rows as blocks of plain columns. Preconditions: as for CompressedAlignment.
Csr<std::byte> plain_blocks(msa::DifferenceRows const& rows, std::uint32_t sites_per_block, std::uint64_t first_block,
                            std::uint64_t last_block);

/// Decodes what encode_sparse made. All functions throw InputError for damaged bytes.
class SparseDecoder {
public:
    SparseDecoder(std::span<std::byte const> tree, std::span<std::byte const> model, std::uint32_t num_taxa,
                  std::uint64_t num_sites);

    std::uint64_t num_blocks() const;
    msa::PlacementTree tree(std::span<std::byte const> first_block) const;
    /// All rows, with these names. In parallel over blocks.
    msa::DifferenceRows rows(std::vector<std::string> names, CsrView<std::byte> blocks) const;
    /// Gives the bytes of a block.
    using ReadBlock = std::function<std::vector<std::byte>(std::uint64_t)>;
    /// Some rows, with these names. Reads the first block, and those with the runs of these rows.
    msa::DifferenceRows rows(std::vector<std::string> names, std::span<std::size_t const> chosen,
                             ReadBlock const& read) const;

private:
    Csr<msa::CharacterRun> runs(CsrView<std::byte> blocks) const;
    Csr<msa::CharacterRun> runs_of_block(std::uint64_t block, std::span<std::byte const> bytes,
                                         std::size_t wanted = runs_per_block) const;

    Skeleton skeleton_;
    std::vector<std::uint32_t> row_of_tip_;
    msa::DifferenceRows empty_;         // letters and reference alone
    std::vector<std::uint32_t> order_;  // of rows, in which their runs are coded
};

}  // namespace regraft::codec
