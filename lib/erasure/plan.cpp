#include "regraft/erasure/plan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "regraft/core/united.hpp"

namespace regraft::erasure {

namespace {

/// The position of the PE among the members.
std::size_t position(Holdings const& holdings, PeId pe) {
    auto const members = holdings.members();
    return static_cast<std::size_t>(std::lower_bound(members.begin(), members.end(), pe) - members.begin());
}

/// Counts what the members have to send, and chooses the next senders.
class Senders {
public:
    explicit Senders(Holdings const& holdings) : holdings_(holdings), sent_(holdings.members().size()) {}

    void sends(PeId pe, std::uint64_t bytes) { sent_[position(holdings_, pe)] += bytes; }

    /// Chooses k of the allowed pieces of this stripe from which to rebuild `bytes` of another; empty if there are
    /// fewer.
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
            candidates.push_back({is_free ? 0 : sent_[position(holdings_, *source.holder)] + source.bytes, source});
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
    Holdings const& holdings_;
    std::vector<std::uint64_t> sent_;  // bytes sent by each member
};

/// Visits the parts of a rebuild between multiples of most_bytes, so that overlapping requests have the same parts.
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

/// Rebuilds what is wanted. Bytes that several members want are rebuilt once, by the one of them that has rebuilt the
/// least.
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
                       (holdings.available(part.piece->stripe) < layout.code().data() &&
                        layout.bytes(*part.piece) != 0)) {
                plan.lost.push_back(part.blocks);
            } else if (size != 0) {
                degraded.push_back({*part.piece, part.bytes, receiver, place});
            }
            place += size;
        };
        for (auto const& range : wanted[member]) layout.visit(range, read);
    }
    // Comes last, when it is known what holders have to send anyway.
    rebuild_once(senders, degraded, layout.code().pieces(), most_bytes, plan.rebuilt);
    plan.lost = united(std::move(plan.lost));
    return plan;
}

namespace {

/// Finds new holders for pieces.
class Places {
public:
    Places(Holdings const& holdings, std::span<std::uint32_t const> node_of, std::span<std::uint64_t const> room)
        : members_(holdings.members()), node_of_(node_of), room_(room.begin(), room.end()) {
        REGRAFT_EXPECTS(node_of.empty() || node_of.size() == members_.size());
        REGRAFT_EXPECTS(room.empty() || room.size() == members_.size());
        auto const held = holdings.bytes_held();
        for (std::size_t member = 0; member < held.size(); ++member) by_bytes_.insert({held[member], member});
    }

    /// The member for one more piece of the stripe; none if no member has room.
    std::optional<PeId> next(Holdings const& holdings, Piece piece, std::uint64_t bytes) {
        std::vector<std::size_t> used;  // members with a piece of the stripe
        for (std::uint32_t i = 0; i < holdings.layout().code().pieces(); ++i) {
            if (auto const holder = holdings.holder({piece.stripe, i})) used.push_back(position(holdings, *holder));
        }
        auto best = by_bytes_.end();
        Cost best_cost;
        for (auto entry = by_bytes_.begin(); entry != by_bytes_.end(); ++entry) {
            if (!room_.empty() && room_[entry->second] < bytes) continue;
            auto const cost = cost_of(entry->second, used);
            if (best == by_bytes_.end() || cost < best_cost) std::tie(best, best_cost) = std::pair(entry, cost);
            if (best_cost == Cost{}) break;
        }
        if (best == by_bytes_.end()) return std::nullopt;
        auto const [held, member] = *best;
        by_bytes_.erase(best);
        by_bytes_.insert({held + bytes, member});
        if (!room_.empty()) room_[member] -= bytes;
        return members_[member];
    }

private:
    /// Numbers of pieces of the stripe that the member, and its node, have.
    using Cost = std::pair<std::ptrdiff_t, std::ptrdiff_t>;

    Cost cost_of(std::size_t member, std::span<std::size_t const> used) const {
        auto const own = std::count(used.begin(), used.end(), member);
        if (node_of_.empty()) return {own, own};
        return {own, std::count_if(used.begin(), used.end(),
                                   [&](std::size_t other) { return node_of_[other] == node_of_[member]; })};
    }

    std::span<PeId const> members_;
    std::span<std::uint32_t const> node_of_;
    std::vector<std::uint64_t> room_;                           // room of each member; empty: no limits
    std::set<std::pair<std::uint64_t, std::size_t>> by_bytes_;  // bytes held, member
};

/// A piece to be made anew.
struct Missing {
    Piece piece;
    std::uint32_t urgency;  // number of pieces that its stripe lacks as long as this one is missing
    std::uint32_t allowed;  // it can be rebuilt from the first `allowed` pieces of its stripe
};

/// Gives up what cannot be rebuilt, and returns the pieces to be made anew: the most urgent first.
std::vector<Missing> find_missing(Holdings& holdings, Restore restore, std::vector<Piece>& given_up) {
    auto const& code = holdings.layout().code();
    std::vector<Missing> missing;
    for (auto const stripe : holdings.changed_stripes()) {
        bool const broken = holdings.available(stripe) < code.data();
        for (std::uint32_t i = 0; i < code.data() && broken; ++i) {
            Piece const piece{stripe, i};
            if (holdings.holder(piece) || holdings.bytes(piece) == 0) continue;
            holdings.give_up(piece);
            given_up.push_back(piece);
        }
        auto const first = missing.size();
        for (std::uint32_t i = 0; i < (restore == Restore::data ? code.data() : code.pieces()); ++i) {
            Piece const piece{stripe, i};
            bool const anew = broken && i >= code.data();
            if (holdings.bytes(piece) == 0 || (holdings.holder(piece) && !anew)) continue;
            missing.push_back({piece, 0, broken ? code.data() : code.pieces()});
        }
        for (auto i = first; i < missing.size(); ++i)
            missing[i].urgency = static_cast<std::uint32_t>(missing.size() - i);
    }
    std::stable_sort(missing.begin(), missing.end(),
                     [](Missing const& a, Missing const& b) { return a.urgency > b.urgency; });
    return missing;
}

}  // namespace

Repair plan_repair(Holdings const& holdings, std::span<std::uint32_t const> node_of, std::uint64_t most_bytes,
                   Restore restore, std::span<std::uint64_t const> room) {
    REGRAFT_EXPECTS(most_bytes > 0);
    Repair plan;
    Holdings now = holdings;  // holdings without what is given up
    auto const missing = find_missing(now, restore, plan.given_up);
    if (!missing.empty()) {
        Holdings next = now;  // holdings with what is made anew
        Places places(holdings, node_of, room);
        Senders senders(now);
        for (auto const& [piece, urgency, allowed] : missing) {
            auto const bytes = now.bytes(piece);
            auto const holder = now.holder(piece);
            auto const target = holder ? holder : places.next(next, piece, bytes);
            if (!target) {
                plan.unplaced.push_back(piece);
                continue;
            }
            next.move(piece, *target);
            plan.moves.push_back({piece, *target});
            plan.bytes_restored += bytes;
            rebuild_in_parts(senders, {piece, {0, bytes}, *target, 0}, allowed, most_bytes, plan.rebuilt);
        }
    }
    plan.lost = now.layout().nobodys();
    for (auto const& piece : now.given_up()) {
        for (auto const& blocks : now.layout().blocks(piece)) plan.lost.push_back(blocks);
    }
    plan.lost = united(std::move(plan.lost));
    return plan;
}

}  // namespace regraft::erasure
