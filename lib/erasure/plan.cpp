#include "regraft/erasure/plan.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "regraft/core/checked_cast.hpp"
#include "regraft/core/united.hpp"

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
    auto const pe = found != moved_.end() ? found->second : pe_of_slot_[layout_->slot(piece)];
    if (!std::binary_search(members_.begin(), members_.end(), pe) || given_up(piece)) return std::nullopt;
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

namespace {

/// What the members have to send, and who is to send next.
class Senders {
public:
    explicit Senders(Holdings const& holdings) : holdings_(holdings), sent_(holdings.members().size()) {}

    void sends(PeId pe, std::uint64_t bytes) { sent_[position(pe)] += bytes; }

    /// k of the pieces of this stripe that are allowed, to rebuild `bytes` of another; empty if there are fewer.
    std::vector<Source> choose(Piece wanted, ByteRange bytes, PeId receiver, std::uint32_t num_allowed) {
        std::vector<Candidate> candidates;
        for (std::uint32_t i = 0; i < num_allowed; ++i) {
            Piece const piece{wanted.stripe, i};
            if (i == wanted.index) continue;
            auto const end = std::clamp(holdings_.bytes(piece), bytes.begin, bytes.end);
            Source const source{i, holdings_.holder(piece), end - bytes.begin};
            bool const empty = holdings_.bytes(piece) == 0;
            if (!source.holder && !empty) continue;
            bool const is_free = source.bytes == 0 || source.holder == receiver;
            candidates.push_back({is_free ? 0 : sent_[position(*source.holder)] + source.bytes, source});
        }
        auto const k = holdings_.layout().code().data();
        if (candidates.size() < k) return {};
        std::stable_sort(candidates.begin(), candidates.end(),
                         [](Candidate const& a, Candidate const& b) { return a.load < b.load; });
        std::vector<Source> chosen;
        for (std::uint32_t i = 0; i < k; ++i) {
            auto const& source = candidates[i].source;
            if (source.bytes != 0 && source.holder != receiver) sends(*source.holder, source.bytes);
            chosen.push_back(source);
        }
        return chosen;
    }

private:
    struct Candidate {
        std::uint64_t load;
        Source source;
    };
    std::size_t position(PeId pe) const {
        auto const members = holdings_.members();
        return static_cast<std::size_t>(std::lower_bound(members.begin(), members.end(), pe) - members.begin());
    }
    Holdings const& holdings_;
    std::vector<std::uint64_t> sent_;  // bytes, by member
};

/// The parts of what is to be rebuilt between multiples of most_bytes, so that those of different wishes are the same.
template <class Visit>
void visit_parts(Rebuild const& whole, std::uint64_t most_bytes, Visit visit) {
    for (auto begin = whole.bytes.begin; begin < whole.bytes.end;) {
        auto const room = most_bytes - begin % most_bytes;
        auto const end = begin + std::min(room, whole.bytes.end - begin);
        visit(Rebuild{whole.piece, {begin, end}, whole.receiver, whole.place + (begin - whole.bytes.begin)});
        begin = end;
    }
}

/// Rebuilds the piece's bytes in parts, each from the k pieces that suit it best.
void rebuild_in_parts(Senders& senders, Rebuild const& whole, std::uint32_t num_allowed, std::uint64_t most_bytes,
                      Rebuilds& out) {
    visit_parts(whole, most_bytes, [&](Rebuild const& part) {
        auto const sources = senders.choose(part.piece, part.bytes, part.receiver, num_allowed);
        REGRAFT_EXPECTS(!sources.empty());
        out.rebuilds.push_back(part);
        out.sources.push_row(sources);
        out.forwards.end_row();
    });
}

/// Rebuilds what is wanted, what several want only once: by the one of them who has rebuilt the least.
void rebuild_once(Senders& senders, std::span<Rebuild const> wanted, std::uint32_t num_pieces, std::uint64_t most_bytes,
                  Rebuilds& out) {
    std::vector<Rebuild> parts;
    for (auto const& whole : wanted) {
        visit_parts(whole, most_bytes, [&](Rebuild const& part) { parts.push_back(part); });
    }
    std::stable_sort(parts.begin(), parts.end(), [](Rebuild const& a, Rebuild const& b) {
        return a.piece != b.piece ? a.piece < b.piece : a.bytes < b.bytes;
    });
    std::map<PeId, std::uint64_t> rebuilt;
    for (auto first = parts.begin(); first != parts.end();) {
        auto const last = std::find_if(first, parts.end(), [&](Rebuild const& part) {
            return part.piece != first->piece || part.bytes != first->bytes;
        });
        auto const one = std::min_element(
            first, last, [&](Rebuild const& a, Rebuild const& b) { return rebuilt[a.receiver] < rebuilt[b.receiver]; });
        rebuilt[one->receiver] += one->bytes.size();
        rebuild_in_parts(senders, *one, num_pieces, most_bytes, out);
        for (auto other = first; other != last; ++other) {
            if (other == one) continue;
            out.forwards.push_value({other->receiver, other->place});
            if (other->receiver != one->receiver) senders.sends(one->receiver, one->bytes.size());
        }
        out.forwards.offsets.back() = out.forwards.values.size();
        first = last;
    }
}

/// How many pieces of the stripe are there, empty ones included.
std::uint32_t available(Holdings const& holdings, std::uint32_t stripe) {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < holdings.layout().code().pieces(); ++i) {
        Piece const piece{stripe, i};
        if (holdings.holder(piece) || holdings.bytes(piece) == 0) ++count;
    }
    return count;
}

}  // namespace

Reads plan_reads(Holdings const& holdings, CsrView<BlockRange> wanted, std::uint64_t most_bytes) {
    REGRAFT_EXPECTS(wanted.size() == holdings.members().size() && most_bytes > 0);
    auto const& layout = holdings.layout();
    Reads plan;
    Senders senders(holdings);
    std::vector<Rebuild> degraded;
    for (std::size_t member = 0; member < wanted.size(); ++member) {
        auto const receiver = holdings.members()[member];
        std::uint64_t place = 0;
        auto const read = [&](Part const& part) {
            auto const size = layout.sizes().bytes(part.blocks);
            if (!part.piece) {
                plan.lost.push_back(part.blocks);
            } else if (auto const holder = holdings.holder(*part.piece)) {
                plan.copies.push_back({*part.piece, part.blocks, part.bytes, *holder, receiver, place});
                if (*holder != receiver) senders.sends(*holder, size);
            } else if (holdings.given_up(*part.piece) ||
                       (available(holdings, part.piece->stripe) < layout.code().data() &&
                        layout.bytes(*part.piece) != 0)) {
                plan.lost.push_back(part.blocks);
            } else if (size != 0) {
                degraded.push_back({*part.piece, part.bytes, receiver, place});
            }
            place += size;
        };
        for (auto const& range : wanted[member]) layout.visit(range, read);
    }
    // Last, when it is known what holders have to send anyway.
    rebuild_once(senders, degraded, layout.code().pieces(), most_bytes, plan.rebuilt);
    plan.lost = united(std::move(plan.lost));
    return plan;
}

namespace {

/// Finds new holders for pieces.
class Places {
public:
    Places(Holdings const& holdings, std::span<std::uint32_t const> node_of) : holdings_(holdings), node_of_(node_of) {
        REGRAFT_EXPECTS(node_of.empty() || node_of.size() == holdings.members().size());
        auto const& layout = holdings.layout();
        std::vector<std::uint64_t> held(holdings.members().size());
        for (std::uint32_t stripe = 0; stripe < layout.num_slots(); ++stripe) {
            auto const parity_bytes = holdings.bytes({stripe, layout.code().data()});
            for (std::uint32_t i = 0; i < layout.code().pieces(); ++i) {
                auto const holder = holdings.holder({stripe, i});
                if (holder)
                    held[position(*holder)] += i < layout.code().data() ? holdings.bytes({stripe, i}) : parity_bytes;
            }
        }
        for (std::size_t member = 0; member < held.size(); ++member) by_bytes_.insert({held[member], member});
    }

    /// What the stripe has where now.
    void open(std::uint32_t stripe) {
        used_.clear();
        for (std::uint32_t i = 0; i < holdings_.layout().code().pieces(); ++i) {
            auto const holder = holdings_.holder({stripe, i});
            if (holder) used_.push_back(position(*holder));
        }
    }

    /// The member for one more piece of the open stripe.
    PeId next(std::uint64_t bytes) {
        auto best = by_bytes_.end();
        auto best_cost = std::pair(~std::ptrdiff_t{0}, ~std::ptrdiff_t{0});
        for (auto entry = by_bytes_.begin(); entry != by_bytes_.end(); ++entry) {
            auto const cost = std::pair(std::count(used_.begin(), used_.end(), entry->second), on_node(entry->second));
            if (best == by_bytes_.end() || cost < best_cost) std::tie(best, best_cost) = std::pair(entry, cost);
            if (best_cost == std::pair(std::ptrdiff_t{0}, std::ptrdiff_t{0})) break;
        }
        auto const [held, member] = *best;
        by_bytes_.erase(best);
        by_bytes_.insert({held + bytes, member});
        used_.push_back(member);
        return holdings_.members()[member];
    }

    /// Pieces of the open stripe on one member, and on one node.
    std::uint32_t most_on_one() const {
        return most([&](std::size_t member) { return std::count(used_.begin(), used_.end(), member); });
    }
    std::uint32_t most_on_node() const {
        return most([&](std::size_t member) { return on_node(member); });
    }

private:
    std::size_t position(PeId pe) const {
        auto const members = holdings_.members();
        return static_cast<std::size_t>(std::lower_bound(members.begin(), members.end(), pe) - members.begin());
    }
    std::ptrdiff_t on_node(std::size_t member) const {
        return std::count_if(used_.begin(), used_.end(), [&](std::size_t other) {
            return node_of_.empty() ? other == member : node_of_[other] == node_of_[member];
        });
    }
    template <class Count>
    std::uint32_t most(Count count) const {
        std::ptrdiff_t result = 0;
        for (auto member : used_) result = std::max<std::ptrdiff_t>(result, count(member));
        return static_cast<std::uint32_t>(result);
    }

    Holdings const& holdings_;
    std::span<std::uint32_t const> node_of_;
    std::set<std::pair<std::uint64_t, std::size_t>> by_bytes_;  // bytes held, member
    std::vector<std::size_t> used_;                             // members with a piece of the open stripe
};

}  // namespace

Repair plan_repair(Holdings const& holdings, std::span<std::uint32_t const> node_of, std::uint64_t most_bytes,
                   Restore restore) {
    REGRAFT_EXPECTS(most_bytes > 0);
    auto const& layout = holdings.layout();
    auto const& code = layout.code();
    Repair plan;
    Places places(holdings, node_of);
    Holdings next = holdings;  // without what is given up
    Senders senders(next);
    for (std::uint32_t stripe = 0; stripe < layout.num_slots(); ++stripe) {
        places.open(stripe);
        bool const broken = available(holdings, stripe) < code.data();
        for (std::uint32_t i = 0; i < code.data() && broken; ++i) {
            Piece const piece{stripe, i};
            if (holdings.holder(piece) || holdings.bytes(piece) == 0) continue;
            next.give_up(piece);
            plan.given_up.push_back(piece);
        }
        for (std::uint32_t i = 0; i < (restore == Restore::data ? code.data() : code.pieces()); ++i) {
            Piece const piece{stripe, i};
            auto const bytes = next.bytes(piece);
            auto const holder = next.holder(piece);
            bool const anew = broken && i >= code.data();
            if (bytes == 0 || (holder && !anew)) continue;
            auto const target = holder ? *holder : places.next(bytes);
            plan.moves.push_back({piece, target});
            plan.bytes_restored += bytes;
            rebuild_in_parts(senders, {piece, {0, bytes}, target, 0}, broken ? code.data() : code.pieces(), most_bytes,
                             plan.rebuilt);
        }
        plan.most_on_one = std::max(plan.most_on_one, places.most_on_one());
        plan.most_on_node = std::max(plan.most_on_node, places.most_on_node());
    }
    for (std::uint32_t stripe = 0; stripe < layout.num_slots(); ++stripe) {
        for (std::uint32_t i = 0; i < code.data(); ++i) {
            if (!next.given_up({stripe, i})) continue;
            for (auto const& blocks : layout.blocks({stripe, i})) plan.lost.push_back(blocks);
        }
    }
    plan.lost = united(std::move(plan.lost));
    return plan;
}

}  // namespace regraft::erasure
