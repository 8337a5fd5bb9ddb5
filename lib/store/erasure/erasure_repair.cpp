// Repair and scrub: lost pieces are made anew from k others, or everything is encoded anew with a smaller code.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "regraft/core/checked_cast.hpp"
#include "store/erasure/erasure.hpp"
#include "store/erasure/erasure_damage.hpp"
#include "store/erasure/erasure_rebuild.hpp"
#include "store/together/delivery.hpp"

namespace regraft::store {
namespace {

using erasure::Piece;

ft::FailPhase coded_repair_phase("erasure-repair");

constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t less(std::uint64_t room, std::uint64_t taken) {
    return room > taken ? room - taken : 0;
}

/// The bytes that each member may get beside what it has; empty if no member has a limit.
std::vector<std::uint64_t> gather_room(ft::Communicator& comm, std::uint64_t call, std::uint64_t room,
                                       std::uint64_t held) {
    auto const rows = exchange::all_gather(comm, std::vector{call, room == unlimited ? unlimited : less(room, held)});
    expect_same_call(comm, rows);
    std::vector<std::uint64_t> rooms;
    for (std::size_t rank = 0; rank < rows.size(); ++rank) rooms.push_back(rows[rank][1]);
    bool const limited = std::ranges::any_of(rooms, [](auto r) { return r != unlimited; });
    return limited ? rooms : std::vector<std::uint64_t>();
}

/// The holdings after the plan is carried out.
erasure::Holdings holdings_after(erasure::Holdings holdings, erasure::Repair const& plan) {
    for (auto piece : plan.given_up) holdings.give_up(piece);
    for (auto const& move : plan.moves) holdings.move(move.piece, move.holder);
    return holdings;
}

/// Calls visit for the pieces of data that are not lost, with their holders, in an order in which every member has its
/// own one behind the other.
template <class Visit>
void visit_data(erasure::Holdings const& holdings, Visit visit) {
    auto const& layout = holdings.layout();
    for (std::uint32_t slot = 0; slot < layout.num_slots(); ++slot) {
        for (std::uint32_t i = 0; i < layout.code().data(); ++i) {
            auto const piece = layout.piece(slot, i);
            auto const holder = holdings.holder(piece);
            if (!holder && layout.bytes(piece) != 0) continue;  // lost
            visit(piece, holder.value_or(holdings.members().front()));
        }
    }
}

/// The holdings of the data in a layout with as many slots as there are members; each member's own blocks are the data
/// that it holds.
erasure::Holdings with_fewer_slots(erasure::Holdings const& complete, std::span<std::uint32_t const> nodes,
                                   erasure::Code const& code) {
    auto const members = complete.members();
    RowsBuilder<BlockRange> own(members.size());
    visit_data(complete, [&](Piece piece, PeId holder) {
        auto const at = std::lower_bound(members.begin(), members.end(), holder) - members.begin();
        for (auto const& blocks : complete.layout().blocks(piece)) own.add(static_cast<std::size_t>(at), blocks);
    });
    return {erasure::Layout(code, complete.layout().sizes(), own.rows(), erasure::ring_order(nodes)),
            {members.begin(), members.end()}};
}

/// The number of its parities that a PE has room for.
std::uint32_t parities_within(erasure::Layout const& layout, std::uint32_t slot, std::uint64_t room) {
    auto const& code = layout.code();
    std::uint32_t count = 0;
    for (; count < code.parity(); ++count) {
        auto const bytes = layout.bytes(layout.piece(slot, code.data() + count));
        if (bytes > room) break;
        room -= bytes;
    }
    return count;
}

std::uint64_t damaged_parities(erasure::Code const& code, std::span<BadPiece const> bad) {
    return static_cast<std::uint64_t>(
        std::count_if(bad.begin(), bad.end(), [&](BadPiece const& b) { return b.piece.index >= code.data(); }));
}

/// A repair that is not yet agreed on. It may take several attempts.
struct PendingRepair {
    ErasureVersion base{};                  // the present version, without the dead and damaged pieces
    std::vector<BadPiece> bad{};            // damaged pieces found so far
    std::uint64_t room = 0;                 // room of this PE
    std::vector<std::uint64_t> all_room{};  // room of each member beside what it holds; empty: no limits
    std::optional<erasure::Code> code{};    // for encoding anew; nothing: that of the version

    // State of the attempt under way.
    erasure::Repair plan{};
    ErasureVersion next{};
    bool is_anew = false;  // next is encoded anew
    Volume volume{0};
};

/// Whether everything is to be encoded anew: there are fewer members than pieces, or the slots are those of another
/// job.
bool wants_anew(ft::Communicator const& comm, ErasureVersion const& of) {
    return of.inherited || comm.size() < of.holdings.layout().code().pieces();
}

/// The code with which everything is encoded anew after the plan, which covers only the data, is carried out. None if
/// encoding anew would lose data that has no place, or survive fewer deaths than the present code. Collective if room
/// is limited.
std::optional<erasure::Code> smaller_code(Coded& store, PendingRepair const& pending) {
    auto& comm = store.comm;
    auto const& base = pending.base;
    if (!pending.plan.unplaced.empty()) return std::nullopt;
    auto const code =
        pending.code.value_or(base.holdings.layout().code()).fitted(checked_cast<std::uint32_t>(comm.size()));
    if (pending.all_room.empty()) return code;
    // The room that is available for new parities is the room minus everything held, except for the old parities.
    auto const nodes = base.nodes();
    auto taken = base.bytes_held();
    for (auto const& piece : base.holdings.held(comm.self())) {
        if (piece.index >= base.holdings.layout().code().data()) taken -= base.holdings.bytes(piece);
    }
    for (auto const& [piece, holder] : pending.plan.moves)
        taken += holder == comm.self() ? base.holdings.bytes(piece) : 0;
    auto const complete = with_fewer_slots(holdings_after(base.holdings, pending.plan), nodes, code);
    auto const slot = checked_cast<std::uint32_t>(comm.position(comm.self()));
    std::uint64_t const mine = parities_within(complete.layout(), slot, less(pending.room, taken));
    auto const all = exchange::all_gather(comm, std::span(&mine, 1)).values;
    auto const parity = checked_cast<std::uint32_t>(*std::min_element(all.begin(), all.end()));
    if (parity == code.parity()) return code;
    auto const as_it_is =
        erasure::plan_repair(base.holdings, nodes, store.window(), erasure::Restore::everything, pending.all_room);
    if (parity < erasure::safety(holdings_after(base.holdings, as_it_is), nodes).members) return std::nullopt;
    return erasure::Code(code.data(), parity);
}

bool encode_anew(Coded& store, PendingRepair& pending, erasure::Code const& code) {
    auto const complete = std::exchange(pending.next, {});
    auto& next = pending.next;
    next.node_of = complete.nodes();
    next.located.assign(store.comm.members().begin(), store.comm.members().end());
    next.holdings = with_fewer_slots(complete.holdings, next.node_of, code);
    next.common = store.next_common(next.holdings.layout(), store.version);
    next.common.attributes = complete.common.attributes;
    visit_data(complete.holdings, [&](Piece piece, PeId holder) {
        if (holder == store.comm.self()) complete.hand_over(piece, next);
    });
    auto memory = store.fresh_memory();
    if (store.keeping) next.join_own(memory);
    pending.is_anew = true;
    bool const intact = encode(store.comm, next, store.options, memory, coded_repair_phase.inside);
    if (intact) store.list(next);
    return intact;
}

/// One attempt. Returns whether everything arrived as it was sent.
bool mend(Coded& store, PendingRepair& pending) {
    auto& comm = store.comm;
    auto const& base = pending.base;
    auto& plan = pending.plan;
    auto const plan_for = [&](erasure::Restore restore) {
        return erasure::plan_repair(base.holdings, base.nodes(), store.window(), restore, pending.all_room);
    };
    std::optional<erasure::Code> smaller;
    if (wants_anew(comm, base)) {
        plan = plan_for(erasure::Restore::data);
        smaller = smaller_code(store, pending);
    }
    if (!smaller) plan = plan_for(erasure::Restore::everything);

    std::map<Piece, std::shared_ptr<Memory>> made;
    auto memory = smaller || base.inherited ? SpareMemory() : store.fresh_memory();  // nobody lists these
    store.complaint.reset();
    pending.is_anew = false;
    auto& next = pending.next = base;
    next.holdings = holdings_after(base.holdings, plan);
    for (auto const& [piece, holder] : plan.moves) {
        if (holder == comm.self()) made[piece] = memory.take_for_piece(next.holdings.bytes(piece));
    }
    Rebuilding rebuilding(comm, base, plan.rebuilt, store.options, [&](erasure::Rebuild const& task) {
        return made.at(task.piece)->bytes().subspan(task.place, task.bytes.size());
    });
    comm.reach(coded_repair_phase.inside);
    bool const intact = rebuilding.run(coded_repair_phase.inside);
    pending.volume = rebuilding.volume();
    for (auto& [piece, bytes] : made) next.add_piece(piece, std::move(bytes));
    // What arrived damaged would get checksums and parities, and the next job could take it for right.
    if (smaller && !plan.rebuilt.rebuilds.empty() && !comm.agree(intact)) return false;
    if (smaller) return encode_anew(store, pending, *smaller) && intact;
    if (store.checked()) next.seal(comm.self());
    return intact;
}

/// Lists what a repair has made of the present version, in place of what was listed. If that fails, the files that the
/// manifest before names stay, and the next job makes these pieces again.
void list_again(Coded& store, ErasureVersion& next) {
    next.forget_others(store.comm.self());
    store.complaint.reset();
    store.list(next);
    if (!store.complaint) return store.settle(next);
    auto const listed = next.files();
    for (auto* const file : store.current->files()) {
        if (std::ranges::find(listed, file) == listed.end()) file->stay();
    }
}

enum class Look { where_needed, everywhere };  // which pieces are checked for damage

ErasureRepair look_and_repair(Coded& store, ErasureRepairOptions const& options, Look look,
                              std::optional<erasure::Code> const& code = {}) {
    REGRAFT_EXPECTS(store.idle() && "no load is under way");
    if (!store.current) return {};
    auto& comm = store.comm;
    auto& current = store.current;
    auto const version = store.version;
    comm.reach(coded_repair_phase.before);
    if (store.keeping) store.spare.clear();  // a folder takes two versions, and the repair makes one
    auto const call = store::call(look == Look::everywhere ? Function::scrub : Function::repair, store.identity);
    PendingRepair pending{.base = *current};  // shares the memory
    auto& base = pending.base;
    base.holdings.retain(comm.members());
    // Encoding anew would hide damage behind new parities.
    if (store.checked() && (look == Look::everywhere || wants_anew(comm, base))) {
        pending.bad = drop_damage(comm, call, version, readings(comm.self(), base.holdings), *current, base.holdings);
        base.forget_others(comm.self());
    }
    pending.room = options.room;
    pending.all_room = gather_room(comm, call, pending.room, base.bytes_held());
    pending.code = code;
    for (Resends resends; !agree_alike(comm, call, mend(store, pending) && !store.complaint, version);) {
        store.retract();
        auto const looked_at = readings(comm.self(), {}, pending.plan.rebuilt);
        auto const bad = drop_damage(comm, call, version, looked_at, *current, base.holdings);
        if (bad.empty()) resends.add();
        pending.bad.insert(pending.bad.end(), bad.begin(), bad.end());
    }
    ErasureRepair report;
    report_damage(current->holdings.layout(), pending.bad, report.damaged);
    report.damaged_parities = damaged_parities(current->holdings.layout().code(), pending.bad);
    if (pending.is_anew) {
        store.settle(pending.next);
    } else if (store.keeping && !pending.next.inherited) {
        list_again(store, pending.next);
    }
    *current = std::move(pending.next);
    current->forget_others(comm.self());

    auto const safe = erasure::safety(current->holdings, current->nodes());
    report.lost = std::move(pending.plan.lost);
    report.code = current->holdings.layout().code();
    report.deaths_survived = safe.members;
    report.nodes_survived = safe.nodes;
    report.bytes_restored = pending.plan.bytes_restored;
    report.bytes_moved = pending.volume.moved;
    report.most_sent = pending.volume.most_sent();
    report.most_received = pending.volume.most_received();
    report.unplaced = pending.plan.unplaced.size();
    report.bytes_received = pending.volume.received[comm.position(comm.self())];
    report.bytes_held = current->bytes_held();
    comm.reach(coded_repair_phase.after);
    return report;
}

}  // namespace

ErasureRepair repair(Coded& store, ErasureRepairOptions const& options, erasure::Code const& code) {
    return look_and_repair(store, options, Look::where_needed, code);
}

ErasureRepair ErasureStore::repair(ErasureRepairOptions const& options) {
    return look_and_repair(*impl_, options, Look::where_needed);
}

ErasureRepair ErasureStore::scrub(ErasureRepairOptions const& options) {
    REGRAFT_EXPECTS(impl_->checked() && "only with checksums");
    return look_and_repair(*impl_, options, Look::everywhere);
}

}  // namespace regraft::store
