// The index of a generation: which blocks are on disk, and where in its data files each lies (docs/mpi/disk.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/format_bytes.hpp"
#include "regraft/core/ids.hpp"

#pragma GCC visibility push(default)
namespace regraft::disk {

/// Blocks that lie one behind the other in a data file; the checksums of their parts (visit_parts) follow them.
struct Piece {
    BlockRange blocks;        // at least one
    std::uint64_t parts = 0;  // number of its checksums (num_parts)
    std::uint64_t seal = 0;   // the hash of the checksums
    friend bool operator==(Piece const&, Piece const&) = default;
};

/// The contents of a generation. Every block is in one piece.
struct Index {
    std::uint64_t generation = 0;  // number of the generation in its archive
    BlockSizes sizes{};            // of all blocks, numbered from 0
    /// What the writer says about the blocks; the library does not interpret it.
    std::vector<std::byte> attributes{};
    /// The pieces of each data file in their order; none is empty. Row = data file.
    Csr<Piece> files{};
};

/// Bytes in front of the first piece of a data file: a mark of the format, and the generation.
inline constexpr std::uint64_t head_bytes = 24;

/// The number of bytes of a piece and its checksums.
inline std::uint64_t bytes_on_disk(Piece const& piece, BlockSizes const& sizes) {
    return sizes.bytes(piece.blocks) + sizeof(std::uint64_t) * piece.parts;
}
/// The length of a data file in bytes.
std::uint64_t file_bytes(Index const& index, std::size_t file);
/// The head_bytes bytes in front of the first piece of a data file.
std::vector<std::byte> file_head(std::uint64_t generation, std::size_t file);

/// Appends sizes as the index has them.
void put_sizes(FormatWriter& out, BlockSizes const& sizes);
/// Reads back what put_sizes wrote. Throws InputError if the bytes end too early, or if all blocks together have more
/// than 2^62 bytes. Allocates O(bytes).
BlockSizes get_sizes(FormatReader& in);

/// The bytes of the index file. O(pieces), and O(blocks) if they differ in size.
std::vector<std::byte> encode(Index const& index);
/// Decodes the bytes of an index file. Throws InputError if they are not what encode wrote for this generation: for
/// example if they are cut, if any bit changed, or for another version of the format. `file` is the name for the
/// message. Allocates O(bytes). O(bytes + pieces log pieces).
Index decode(std::span<std::byte const> bytes, std::string const& file, std::uint64_t generation);

}  // namespace regraft::disk
#pragma GCC visibility pop
