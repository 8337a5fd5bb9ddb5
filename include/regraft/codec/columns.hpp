// Columns of an alignment as blocks of bytes that can be decoded one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "regraft/codec/rooted_tree.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/msa/alignment.hpp"

#pragma GCC visibility push(default)
namespace regraft::codec {

/// How columns are coded. The values are those of the file format.
enum class Kind : std::uint8_t {
    plain = 0,   // not coded: a block is its cells, row by row
    native = 1,  // layers, edges as order statistics, entropy coded (docs/alignments/file-format.md)
    thesis = 2,  // the reference: root state and (XOR mask, edge) records
    sparse = 3,  // no columns: rows as differences along a tree, for many nearly equal rows (RgmFile)
};

/// Largest number of taxa for the native coding.
inline constexpr std::uint32_t most_native_taxa = 1U << 19;

/// How much time encoding may take; decoding takes about the same time for all values.
enum class Effort : std::uint8_t { fast, normal, best };

/// How columns are encoded.
struct EncodeOptions {
    Kind kind = Kind::native;           // native or thesis or plain: sparse has no columns
    std::uint32_t sites_per_block = 0;  // 0: chosen so that a block takes about 100 us to decode
    Effort effort = Effort::normal;     // of the native coding alone
    std::uint32_t work_per_block = 1;   // if chosen: so many times 100 us
};

/// An encoded alignment without names and tree. Block i has the sites from i * sites_per_block up to the first of the
/// next block; the last block has the rest.
struct EncodedColumns {
    Kind kind = Kind::plain;            // how the blocks are coded
    std::uint32_t sites_per_block = 1;  // sites of every block but the last, at least 1
    std::vector<std::byte> model;       // information that all blocks share
    Csr<std::byte> blocks;              // row i: the bytes of block i, each decodable alone
};

/// Codes all columns along the tree. Parallel; the same bytes for any number of threads. O(taxa * sites) for a fixed
/// number of symbols. Memory: up to some 25 bytes per cell if neighbours hardly resemble each other, otherwise little
/// more than the alignment. Throws InputError if there are more symbols or taxa than the kind can hold. Preconditions:
/// the tree has a tip per row; at least one row; the kind is one of columns.
EncodedColumns encode_columns(msa::Alignment const& alignment, RootedTree const& tree, EncodeOptions const& = {});

/// The memory for decoded cells: the cell of a row and of the i-th of the requested sites goes to begin[row *
/// row_stride + i * site_stride]. One of the strides is 1.
struct CellGrid {
    char* begin = nullptr;        // the cell of row 0 and the first of the sites
    std::size_t row_stride = 1;   // cells from a row to the next
    std::size_t site_stride = 1;  // cells from a site to the next
};

/// The sites first .. last - 1 of a block, counted from its first.
struct BlockSites {
    std::uint32_t first = 0;  // the first site of the range
    std::uint32_t last = 0;   // one behind its last site
};

/// The size of a part of the format.
struct Layer {
    std::string name;  // what it holds, for people
    double bits = 0;   // its size; parts of a bit count, too
};

/// Decodes blocks. Immutable; any number of threads may use it at once; copies share everything.
class ColumnDecoder {
public:
    /// Throws InputError if the model is not one that encode_columns wrote for a tree of this size.
    ColumnDecoder(Kind kind, std::span<std::byte const> model, RootedTree tree);

    /// Decodes some sites of a block that has `block_sites` sites. Throws InputError if the block is damaged in a way
    /// that shows. It never reads or writes out of bounds, and takes memory for at most one block. Precondition: sites
    /// within the block.
    void decode(std::span<std::byte const> block, std::uint32_t block_sites, BlockSites sites, CellGrid out) const;

    /// The sizes of the parts of a block; their sum is about its size. Throws as decode.
    std::vector<Layer> layers(std::span<std::byte const> block, std::uint32_t block_sites) const;

    /// How the blocks are coded.
    Kind kind() const;
    /// The tree along which they were encoded.
    RootedTree const& tree() const;

    /// The interface that a codec implements.
    class [[gnu::visibility("hidden")]] Codec;

private:
    std::shared_ptr<Codec const> codec_;
};

}  // namespace regraft::codec
#pragma GCC visibility pop
