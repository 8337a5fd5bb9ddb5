// Tells which PE holds which piece now, and how many deaths that survives. Pure: the same on every PE.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "regraft/core/ids.hpp"
#include "regraft/erasure/layout.hpp"

#pragma GCC visibility push(default)
namespace regraft::erasure {

/// A value that every PE keeps for itself: the layout at submission, without the dead, and with the changes of repairs.
/// It takes memory only for changes.
class Holdings {
public:
    Holdings() = default;
    /// pe_of_slot: the PE that submitted as slot 0, 1, ...; ascending.
    Holdings(Layout layout, std::vector<PeId> pe_of_slot);

    /// Where the pieces were at submission.
    Layout const& layout() const { return *layout_; }
    /// The PEs that submitted, slot by slot.
    std::span<PeId const> submitters() const { return pe_of_slot_; }
    /// The living PEs, ascending; plans use the position in it as the number of a member.
    std::span<PeId const> members() const { return members_; }
    /// From now on only these PEs hold anything. members: ascending.
    void retain(std::span<PeId const> members);
    /// From now on this member holds the piece.
    void move(Piece piece, PeId holder);
    /// From now on no PE holds the piece, until it is moved to one: it is damaged.
    void drop(Piece piece);
    /// The piece is lost for good: its stripe counts it as empty, and its blocks are lost.
    void give_up(Piece data);

    /// Whether the piece is lost for good. O(log given_up).
    bool given_up(Piece piece) const { return !given_up_.empty() && given_up_.contains(piece); }
    /// All pieces of data that are lost for good.
    std::set<Piece> const& given_up() const { return given_up_; }
    /// The length in bytes with which the piece takes part in its stripe.
    std::uint64_t bytes(Piece piece) const;
    /// The living PE that holds the piece, if there is one.
    std::optional<PeId> holder(Piece piece) const;
    /// All pieces that pe holds, ascending. O(k + m + changes).
    std::vector<Piece> held(PeId pe) const;
    /// The bytes of pieces that each member holds. O(p k + changes).
    std::vector<std::uint64_t> bytes_held() const;
    /// The stripes with pieces that are not where the layout put them, ascending; in the others every piece has a
    /// living holder. O(p + changes).
    std::vector<std::uint32_t> changed_stripes() const;
    /// The number of pieces of the stripe that are there, including empty ones. All pieces can be rebuilt if it is at
    /// least k.
    std::uint32_t available(std::uint32_t stripe) const;

private:
    std::shared_ptr<Layout const> layout_ = std::make_shared<Layout const>();  // copies of this value share it
    std::vector<PeId> pe_of_slot_;
    std::vector<PeId> members_;
    std::map<Piece, std::optional<PeId>> moved_;  // no holder: dropped
    std::set<Piece> given_up_;
};

/// How many members, and how many nodes, may die, whichever they are, without a further block being lost.
struct Safety {
    std::uint32_t members = 0;  // so many PEs may die
    std::uint32_t nodes = 0;    // so many failure domains may die
};

/// Computes the safety. node_of: the failure domain of each member; empty: every member is its own domain. O(p + (k +
/// m) * changed stripes), with nodes O(p (k + m)).
Safety safety(Holdings const& holdings, std::span<std::uint32_t const> node_of);

}  // namespace regraft::erasure
#pragma GCC visibility pop
