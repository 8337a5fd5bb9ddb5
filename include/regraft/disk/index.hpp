// The index of a generation: which blocks there are on disk, and where in its data files each lies (docs/disk.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"

namespace regraft::disk {

/// Blocks that lie one behind the other in a data file; the checksums of their parts (visit_parts) follow them.
struct Piece {
    BlockRange blocks;
    std::uint64_t parts = 0;
    std::uint64_t seal = 0;  // the hash of the checksums
    friend bool operator==(Piece const&, Piece const&) = default;
};

/// Every block is in one piece.
struct Index {
    std::uint64_t generation = 0;
    BlockSizes sizes{};
    /// What the writer says about the blocks; nobody else looks at it.
    std::vector<std::byte> attributes{};
    /// Row by data file, in the order in which they lie there; none is empty.
    Csr<Piece> files{};
};

/// Bytes in front of the first piece of a data file: what it is, and of which generation.
inline constexpr std::uint64_t head_bytes = 24;

/// Bytes of a piece and its checksums.
inline std::uint64_t bytes_on_disk(Piece const& piece, BlockSizes const& sizes) {
    return sizes.bytes(piece.blocks) + sizeof(std::uint64_t) * piece.parts;
}
/// How long a data file is.
std::uint64_t file_bytes(Index const& index, std::size_t file);
std::vector<std::byte> file_head(std::uint64_t generation, std::size_t file);

/// The bytes of the index file. O(pieces), and O(blocks) if they differ in size.
std::vector<std::byte> encode(Index const& index);
/// Reads them back. Throws InputError if they are not what encode wrote for this generation: cut, with any bit changed,
/// of another version of the format. file: its name, for the message. Allocates O(bytes). O(bytes + pieces log pieces).
Index decode(std::span<std::byte const> bytes, std::string const& file, std::uint64_t generation);

}  // namespace regraft::disk
