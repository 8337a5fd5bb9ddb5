// Who holds which piece now, and how many deaths that survives. Pure: the same on every PE.
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

namespace regraft::erasure {

/// A value that every PE keeps for itself: what the layout said at submission, without the dead, and with what repairs
/// have changed. Memory for changes only.
class Holdings {
public:
    Holdings() = default;
    /// pe_of_slot: who submitted as slot 0, 1, ...; ascending.
    Holdings(Layout layout, std::vector<PeId> pe_of_slot);

    Layout const& layout() const { return *layout_; }
    /// Who submitted, slot by slot.
    std::span<PeId const> submitters() const { return pe_of_slot_; }
    /// The living, ascending: position = what plans call member.
    std::span<PeId const> members() const { return members_; }
    /// From now on only these hold anything; members: ascending.
    void retain(std::span<PeId const> members);
    /// From now on this member holds the piece.
    void move(Piece piece, PeId holder);
    /// From now on nobody holds the piece, until it is moved to somebody: it is damaged.
    void drop(Piece piece);
    /// The piece is lost for good: its stripe goes on as if it were empty, and its blocks are lost.
    void give_up(Piece data);

    bool given_up(Piece piece) const { return !given_up_.empty() && given_up_.contains(piece); }
    std::set<Piece> const& given_up() const { return given_up_; }
    /// How long the piece is that takes part in the stripe.
    std::uint64_t bytes(Piece piece) const;
    /// The living PE that holds the piece, if there is one.
    std::optional<PeId> holder(Piece piece) const;
    /// All that a member holds: ascending. O(k + m + changes).
    std::vector<Piece> held(PeId pe) const;
    /// How many bytes of pieces each member holds. O(p k + changes).
    std::vector<std::uint64_t> bytes_held() const;
    /// The stripes of which pieces are not where the layout put them, ascending; of the others every piece has a living
    /// holder. O(p + changes).
    std::vector<std::uint32_t> changed_stripes() const;
    /// How many pieces of the stripe are there, those without a byte included: all follow from k.
    std::uint32_t available(std::uint32_t stripe) const;

private:
    std::shared_ptr<Layout const> layout_ = std::make_shared<Layout const>();  // copies of this value share it
    std::vector<PeId> pe_of_slot_;
    std::vector<PeId> members_;
    std::map<Piece, std::optional<PeId>> moved_;  // nothing: dropped
    std::set<Piece> given_up_;
};

/// How many members, and how many nodes, may die, whichever they are, before a block is lost that is not lost yet.
struct Safety {
    std::uint32_t members = 0;
    std::uint32_t nodes = 0;
};

/// node_of: the failure domain of each member; empty: every member is its own. O(p + (k + m) * changed stripes), with
/// nodes O(p (k + m)).
Safety safety(Holdings const& holdings, std::span<std::uint32_t const> node_of);

}  // namespace regraft::erasure
