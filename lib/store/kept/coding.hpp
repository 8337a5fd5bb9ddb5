// How the pieces of an erasure code are listed in files: as if they were blocks. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/format_bytes.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/erasure/layout.hpp"

namespace regraft::store {

/// What turns the listed pieces back into the blocks that were submitted. Piece i of stripe s is listed as block
/// s * (data + parity) + i.
struct Coding {
    std::uint32_t data = 1;
    std::uint32_t parity = 0;
    BlockSizes sizes{};                 // of the blocks that were submitted
    Csr<BlockRange> own{};              // of each slot (erasure::Layout)
    std::vector<std::uint32_t> ring{};  // of the slots

    static Coding of(erasure::Layout const& layout);
    erasure::Layout layout() const;
};

/// The sizes of all pieces, as they are listed. O(pieces).
BlockSizes piece_sizes(erasure::Layout const& layout);

inline BlockId listed_as(erasure::Piece piece, erasure::Code const& code) {
    return BlockId{std::uint64_t{piece.stripe} * code.pieces() + piece.index};
}
erasure::Piece piece_listed_as(BlockId block, erasure::Code const& code);

/// Appends everything but the sizes.
void put_coding(FormatWriter& out, Coding const& coding);
/// Reads it back. Throws InputError if it describes no layout of blocks of these sizes. Allocates O(bytes).
Coding get_coding(FormatReader& in, BlockSizes sizes);

}  // namespace regraft::store
