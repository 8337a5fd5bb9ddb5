// Which pieces are read, and which of them are damaged.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "store/erasure/erasure_version.hpp"

namespace regraft::store {

/// Bytes that this PE reads from a piece.
struct Reading {
    erasure::Piece piece;
    erasure::ByteRange bytes;
};
/// Everything that this PE reads for other members and for itself when the plan is carried out.
std::vector<Reading> readings(PeId self, std::span<erasure::Copy const> copies, erasure::Rebuilds const& rebuilds);
/// Everything that this PE holds.
std::vector<Reading> readings(PeId self, erasure::Holdings const& holdings);

/// A damaged piece, and its holder.
struct BadPiece {
    erasure::Piece piece;
    PeId holder{};
};
/// Finds the damaged pieces among those that members read, each its own, and drops them from the holdings. `alike` must
/// be the same on all members. call: of the store (identity.hpp). Collective, not uniform.
std::vector<BadPiece> drop_damage(ft::Communicator& comm, std::uint64_t call, std::uint64_t alike,
                                  std::span<Reading const> looked_at, ErasureVersion const& version,
                                  erasure::Holdings& holdings);
/// Appends the blocks of these pieces to damaged.
void report_damage(erasure::Layout const& layout, std::span<BadPiece const> bad, std::vector<Damage>& damaged);

}  // namespace regraft::store
