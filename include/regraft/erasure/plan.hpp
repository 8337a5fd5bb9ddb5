// From which pieces wanted or lost bytes follow. Pure: the same on every PE.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/erasure/holdings.hpp"

namespace regraft::erasure {

/// Bytes of a piece that its holder gives to the receiver, to lie at `place` of what the receiver wants. Sender and
/// receiver may be the same.
struct Copy {
    Piece piece;
    BlockRange blocks;  // these are the bytes
    ByteRange bytes;
    PeId sender{};
    PeId receiver{};
    std::uint64_t place = 0;
};

/// Bytes of a piece that follow from the same bytes of k other pieces.
struct Rebuild {
    Piece piece;
    ByteRange bytes;
    PeId receiver{};
    std::uint64_t place = 0;
};

/// One of the k: as many bytes of it as it has there, for it may end before. Empty pieces need no holder.
struct Source {
    std::uint32_t index = 0;
    std::optional<PeId> holder;
    std::uint64_t bytes = 0;
};

/// Somebody else who wants the same bytes: the one who rebuilds them gives them to him.
struct Forward {
    PeId receiver{};
    std::uint64_t place = 0;
};

/// Row i of sources and forwards is for rebuilds[i].
struct Rebuilds {
    std::vector<Rebuild> rebuilds;
    Csr<Source> sources;
    Csr<Forward> forwards;
};

/// What is sent to whom so that everybody has what he wants.
struct Reads {
    std::vector<Copy> copies;
    Rebuilds rebuilt;              // in parts of at most as many bytes as was said
    std::vector<BlockRange> lost;  // wanted by somebody, and fewer than k pieces of their stripe live; ascending
};

/// Row i of wanted: the blocks that member i wants, to lie one behind the other; place counts their bytes. Blocks come
/// from their holder, and if it is dead from those k pieces of the stripe whose holders have the least to send,
/// preferably the receiver. What several want of the dead is rebuilt by one of them. O(parts * (k + m) log (k +
/// m)).
Reads plan_reads(Holdings const& holdings, CsrView<BlockRange> wanted, std::uint64_t most_bytes);

/// Which pieces a repair restores.
enum class Restore {
    everything,
    data,  // only what blocks are in
};

struct Move {
    Piece piece;
    PeId holder{};
};

struct Repair {
    std::vector<Move> moves;       // who holds which piece afterwards that he does not hold, or not like this, now
    Rebuilds rebuilt;              // of these pieces; place counts bytes of the piece
    std::vector<Piece> given_up;   // pieces of data that do not follow from what lives
    std::vector<BlockRange> lost;  // by given_up, now and before, and what no slot has; ascending
    std::vector<Piece> unplaced;   // pieces that do, but nobody has room for them
    std::uint64_t bytes_restored = 0;
};

/// Every piece without a living holder gets a new one, as long as possible on a member and a node without a piece of
/// the stripe; of those the one that holds the least. A stripe of which less than k pieces live goes on without the
/// lost ones, and its parities are made anew for the others. node_of: the failure domain of each member; empty: every
/// member is its own. room: bytes that each member may get; empty: no limits. If room is short, the stripes that lack
/// the most pieces come first. O(p k + (k + m) * stripes that lack pieces * log p).
Repair plan_repair(Holdings const& holdings, std::span<std::uint32_t const> node_of, std::uint64_t most_bytes,
                   Restore restore = Restore::everything, std::span<std::uint64_t const> room = {});

}  // namespace regraft::erasure
