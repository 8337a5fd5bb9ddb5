// Who holds which piece now, and from which pieces wanted or lost bytes follow. Pure: the same on every PE.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/erasure/layout.hpp"

namespace regraft::erasure {

/// A value that every PE keeps for itself: what the layout said at submission, without the dead, and with what repairs
/// have changed. Memory for changes only.
class Holdings {
public:
    Holdings() = default;
    /// pe_of_slot: who submitted as slot 0, 1, ...; ascending.
    Holdings(Layout layout, std::vector<PeId> pe_of_slot);

    Layout const& layout() const { return *layout_; }
    /// The living, ascending: position = what plans below call member.
    std::span<PeId const> members() const { return members_; }
    /// From now on only these hold anything; members: ascending.
    void retain(std::span<PeId const> members);
    /// From now on this member holds the piece.
    void move(Piece piece, PeId holder);
    /// The piece is lost for good: its stripe goes on as if it were empty, and its blocks are lost.
    void give_up(Piece data);

    bool given_up(Piece piece) const { return !given_up_.empty() && given_up_.contains(piece); }
    /// How long the piece is that takes part in the stripe.
    std::uint64_t bytes(Piece piece) const;
    /// The living PE that holds the piece, if there is one.
    std::optional<PeId> holder(Piece piece) const;
    /// All that a member holds: ascending.
    std::vector<Piece> held(PeId pe) const;

private:
    std::shared_ptr<Layout const> layout_ = std::make_shared<Layout const>();  // copies of this value share it
    std::vector<PeId> pe_of_slot_;
    std::vector<PeId> members_;
    std::map<Piece, PeId> moved_;
    std::set<Piece> given_up_;
};

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
    std::vector<BlockRange> lost;  // by given_up, now and before; ascending
    std::uint64_t bytes_restored = 0;
    std::uint32_t most_on_one = 0;  // pieces of one stripe on one member afterwards, and on one node
    std::uint32_t most_on_node = 0;
};

/// Every piece without a living holder gets a new one, as long as possible on a member and a node without a piece of
/// the stripe; of those the one that holds the least. A stripe of which less than k pieces live goes on without the
/// lost ones, and its parities are made anew for the others. node_of: the failure domain of each member; empty: every
/// member is its own. O(p (k + m) log p + restored).
Repair plan_repair(Holdings const& holdings, std::span<std::uint32_t const> node_of, std::uint64_t most_bytes,
                   Restore restore = Restore::everything);

}  // namespace regraft::erasure
