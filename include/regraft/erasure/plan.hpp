// Finds the pieces from which wanted or lost bytes can be had. Pure: the same on every PE.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/erasure/holdings.hpp"

#pragma GCC visibility push(default)
namespace regraft::erasure {

/// Bytes of a piece that its holder gives to the receiver. They go to offset `place` of what the receiver wants. Sender
/// and receiver may be the same.
struct Copy {
    Piece piece;              // the piece of data that is read
    BlockRange blocks;        // the blocks of these bytes
    ByteRange bytes;          // range within the piece
    PeId sender{};            // the holder of the piece
    PeId receiver{};          // the member that wants the bytes
    std::uint64_t place = 0;  // in bytes, from the begin of all that it wants
};

/// Bytes of a piece that are rebuilt from the same bytes of k other pieces.
struct Rebuild {
    Piece piece;              // the piece that is made again
    ByteRange bytes;          // range within the piece
    PeId receiver{};          // the member that makes it
    std::uint64_t place = 0;  // offset in what the receiver wants; in a repair, in the piece
};

/// One of the k pieces. `bytes` is how many of the wanted bytes it has, since it may end before. An empty piece needs
/// no holder.
struct Source {
    std::uint32_t index = 0;     // number of the piece in the stripe, below k + m
    std::optional<PeId> holder;  // a living PE; none: the piece is empty
    std::uint64_t bytes = 0;     // at most the length of Rebuild::bytes
};

/// Another member that wants the same bytes; the one that rebuilds them sends them to it.
struct Forward {
    PeId receiver{};          // the member that gets the bytes
    std::uint64_t place = 0;  // offset in what it wants
};

/// Rebuilds with their sources and forwards; row i of both is for rebuilds[i].
struct Rebuilds {
    std::vector<Rebuild> rebuilds;  // each of at most the most_bytes of the plan
    Csr<Source> sources;            // row i: k pieces
    Csr<Forward> forwards;          // row i: other members that want the same bytes
};

/// A plan of the messages that bring every member what it wants.
struct Reads {
    std::vector<Copy> copies;      // pieces that are read from their holders
    Rebuilds rebuilt;              // in parts of at most most_bytes bytes
    std::vector<BlockRange> lost;  // wanted blocks with fewer than k living pieces in their stripe; ascending
};

/// Plans reads. Row i of wanted: the blocks that member i wants, to lie one behind the other; place counts their bytes.
/// Blocks come from their holder. If it is dead, they are rebuilt from k pieces of the stripe, preferably those of the
/// receiver and then those whose holders have the least to send. If several members want the same bytes of the dead,
/// one of them rebuilds them. O(parts * (k + m) log (k + m)).
Reads plan_reads(Holdings const& holdings, CsrView<BlockRange> wanted, std::uint64_t most_bytes);

/// Which pieces a repair restores.
enum class Restore {
    everything,
    data,  // only pieces with blocks
};

/// From now on this member holds the piece (Holdings::move).
struct Move {
    Piece piece;    // the piece that is made anew
    PeId holder{};  // its holder from now on
};

/// What plan_repair decided.
struct Repair {
    std::vector<Move> moves;       // pieces whose holder changes, or that their holder gets anew
    Rebuilds rebuilt;              // rebuilds of these pieces; place counts bytes of the piece
    std::vector<Piece> given_up;   // pieces of data that cannot be rebuilt from what lives
    std::vector<BlockRange> lost;  // blocks lost by given_up, now and before, and blocks that no slot has; ascending
    std::vector<Piece> unplaced;   // pieces that can be rebuilt, but for which no member has room
    std::uint64_t bytes_restored = 0;  // bytes of all moves
};

/// Plans a repair: every piece without a living holder gets a new one. As far as possible that is a member on a node
/// without a piece of the stripe; among these it is the member that holds the least. A stripe with fewer than k living
/// pieces goes on without the lost ones, and its parities are made anew for the others. node_of: the failure domain of
/// each member; empty: every member is its own domain. room: bytes that each member may get; empty: no limits. If room
/// is short, the stripes that lack the most pieces come first. O(p k + (k + m) * stripes that lack pieces * log p).
Repair plan_repair(Holdings const& holdings, std::span<std::uint32_t const> node_of, std::uint64_t most_bytes,
                   Restore restore = Restore::everything, std::span<std::uint64_t const> room = {});

}  // namespace regraft::erasure
#pragma GCC visibility pop
