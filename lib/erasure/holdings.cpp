#include "regraft/erasure/holdings.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "regraft/core/checked_cast.hpp"

namespace regraft::erasure {

Holdings::Holdings(Layout layout, std::vector<PeId> pe_of_slot)
    : layout_(std::make_shared<Layout const>(std::move(layout))),
      pe_of_slot_(std::move(pe_of_slot)),
      members_(pe_of_slot_) {
    REGRAFT_EXPECTS(pe_of_slot_.size() == layout_->num_slots());
    REGRAFT_EXPECTS(std::is_sorted(members_.begin(), members_.end()));
}

void Holdings::retain(std::span<PeId const> members) {
    REGRAFT_ASSERT(std::is_sorted(members.begin(), members.end()));
    members_.assign(members.begin(), members.end());
}

void Holdings::move(Piece piece, PeId holder) {
    moved_[piece] = holder;
}

void Holdings::drop(Piece piece) {
    moved_[piece] = std::nullopt;
}

void Holdings::give_up(Piece data) {
    REGRAFT_EXPECTS(data.index < layout_->code().data());
    given_up_.insert(data);
}

std::uint64_t Holdings::bytes(Piece piece) const {
    if (given_up_.empty() || piece.index < layout_->code().data()) return given_up(piece) ? 0 : layout_->bytes(piece);
    std::uint64_t longest = 0;
    for (std::uint32_t i = 0; i < layout_->code().data(); ++i) longest = std::max(longest, bytes({piece.stripe, i}));
    return longest;
}

std::optional<PeId> Holdings::holder(Piece piece) const {
    auto const found = moved_.empty() ? moved_.end() : moved_.find(piece);
    auto const pe = found != moved_.end() ? found->second : std::optional(pe_of_slot_[layout_->slot(piece)]);
    if (!pe || !std::binary_search(members_.begin(), members_.end(), *pe) || given_up(piece)) return std::nullopt;
    return pe;
}

std::vector<Piece> Holdings::held(PeId pe) const {
    std::vector<Piece> pieces;
    auto const found = std::lower_bound(pe_of_slot_.begin(), pe_of_slot_.end(), pe);
    if (found != pe_of_slot_.end() && *found == pe) {
        auto const slot = checked_cast<std::uint32_t>(found - pe_of_slot_.begin());
        for (std::uint32_t i = 0; i < layout_->code().pieces(); ++i) {
            auto const piece = layout_->piece(slot, i);
            if (holder(piece) == pe && !moved_.contains(piece)) pieces.push_back(piece);
        }
    }
    for (auto const& [piece, holder_of_piece] : moved_) {
        if (holder_of_piece == pe && holder(piece) == pe) pieces.push_back(piece);
    }
    std::sort(pieces.begin(), pieces.end());
    return pieces;
}

std::vector<std::uint64_t> Holdings::bytes_held() const {
    auto const& code = layout_->code();
    std::vector<std::uint64_t> held(members_.size());
    auto const add = [&](PeId pe, std::uint64_t bytes) {
        auto const at = std::lower_bound(members_.begin(), members_.end(), pe);
        if (at != members_.end() && *at == pe) held[static_cast<std::size_t>(at - members_.begin())] += bytes;
    };
    // First the layout, with the parities of a stripe looked at once; then the changes.
    for (std::uint32_t slot = 0; slot < layout_->num_slots(); ++slot) add(pe_of_slot_[slot], layout_->own_bytes(slot));
    for (std::uint32_t stripe = 0; stripe < layout_->num_slots() && code.parity() > 0; ++stripe) {
        auto const bytes = layout_->bytes({stripe, code.data()});
        for (auto i = code.data(); i < code.pieces(); ++i) add(pe_of_slot_[layout_->slot({stripe, i})], bytes);
    }
    for (auto const stripe : changed_stripes()) {
        for (std::uint32_t i = 0; i < code.pieces(); ++i) {
            Piece const piece{stripe, i};
            add(pe_of_slot_[layout_->slot(piece)], -layout_->bytes(piece));
            if (auto const pe = holder(piece)) add(*pe, bytes(piece));
        }
    }
    return held;
}

std::vector<std::uint32_t> Holdings::changed_stripes() const {
    std::vector<std::uint32_t> stripes;
    auto member = members_.begin();
    for (std::uint32_t slot = 0; slot < layout_->num_slots(); ++slot) {
        while (member != members_.end() && *member < pe_of_slot_[slot]) ++member;
        if (member != members_.end() && *member == pe_of_slot_[slot]) continue;
        for (std::uint32_t i = 0; i < layout_->code().pieces(); ++i) stripes.push_back(layout_->piece(slot, i).stripe);
    }
    for (auto const& [piece, holder_of_piece] : moved_) stripes.push_back(piece.stripe);
    for (auto const& piece : given_up_) stripes.push_back(piece.stripe);
    std::sort(stripes.begin(), stripes.end());
    stripes.erase(std::unique(stripes.begin(), stripes.end()), stripes.end());
    return stripes;
}

std::uint32_t Holdings::available(std::uint32_t stripe) const {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < layout_->code().pieces(); ++i) {
        Piece const piece{stripe, i};
        if (holder(piece) || bytes(piece) == 0) ++count;
    }
    return count;
}

namespace {

/// The number of holders that may die before more than `spare` pieces are gone; holders: one entry per piece.
std::uint32_t spared(std::vector<std::uint32_t>& holders, std::uint32_t spare) {
    std::sort(holders.begin(), holders.end());
    std::vector<std::uint32_t> counts;
    for (std::size_t i = 0; i < holders.size(); ++i) {
        if (i == 0 || holders[i] != holders[i - 1]) counts.push_back(0);
        ++counts.back();
    }
    std::sort(counts.begin(), counts.end(), std::greater<>());
    std::uint32_t gone = 0;
    std::uint32_t dead = 0;
    while (dead < counts.size() && gone + counts[dead] <= spare) gone += counts[dead++];
    return dead;
}

}  // namespace

Safety safety(Holdings const& holdings, std::span<std::uint32_t const> node_of) {
    REGRAFT_EXPECTS(node_of.empty() || node_of.size() == holdings.members().size());
    auto const& layout = holdings.layout();
    auto const& code = layout.code();
    auto const position = [&](PeId pe) {
        auto const at = std::lower_bound(holdings.members().begin(), holdings.members().end(), pe);
        return static_cast<std::uint32_t>(at - holdings.members().begin());
    };
    Safety result{code.parity(), code.parity()};
    std::vector<std::uint32_t> members, nodes;  // members, and nodes, that hold a piece of the stripe
    auto const look_at = [&](std::uint32_t stripe) {
        auto const available = holdings.available(stripe);
        bool const broken = available < code.data();  // then nothing can be rebuilt from its parities
        members.clear();
        nodes.clear();
        bool data = false;
        for (std::uint32_t i = 0; i < (broken ? code.data() : code.pieces()); ++i) {
            Piece const piece{stripe, i};
            if (holdings.bytes(piece) == 0) continue;
            auto const pe = holdings.holder(piece);
            data = data || (i < code.data() && (pe || !broken));
            if (!pe) continue;
            members.push_back(position(*pe));
            if (!node_of.empty()) nodes.push_back(node_of[members.back()]);
        }
        if (!data) return;
        auto const spare = broken ? 0 : available - code.data();
        result.members = std::min(result.members, spared(members, spare));
        if (!node_of.empty()) result.nodes = std::min(result.nodes, spared(nodes, spare));
    };
    auto const changed = holdings.changed_stripes();
    for (auto const stripe : changed) look_at(stripe);
    if (node_of.empty()) {  // in the other stripes every piece is on a different member
        result.nodes = result.members;
        return result;
    }
    // Other stripes are looked at only if, with something in every piece, their slots would survive fewer deaths.
    std::vector<std::uint32_t> node_of_slot;
    for (auto const pe : holdings.submitters()) {
        auto const at = position(pe);
        node_of_slot.push_back(at < node_of.size() ? node_of[at] : 0);  // a dead PE has no piece of the other stripes
    }
    for (std::uint32_t stripe = 0; stripe < layout.num_slots(); ++stripe) {
        nodes.clear();
        for (std::uint32_t i = 0; i < code.pieces(); ++i) nodes.push_back(node_of_slot[layout.slot({stripe, i})]);
        if (spared(nodes, code.parity()) >= result.nodes) continue;
        if (!std::binary_search(changed.begin(), changed.end(), stripe)) look_at(stripe);
    }
    return result;
}

}  // namespace regraft::erasure
