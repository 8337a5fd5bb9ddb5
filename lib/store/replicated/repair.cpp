// Repair: all members make the same plan and carry it out step by step; each step is agreed on.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "regraft/core/checked_cast.hpp"
#include "store/blocks/rows.hpp"
#include "store/replicated/replicated.hpp"
#include "store/together/delivery.hpp"
#include "store/together/volume.hpp"

namespace regraft::store {
namespace {

ft::FailPhase repair_phase("repair");

/// What all members passed.
struct Terms {
    std::vector<std::uint64_t> room;
    std::vector<std::uint32_t> node_of;

    repair::Options options(RepairOptions const& mine) const { return {mine.replicas, room, node_of}; }
};

Terms gather_terms(ft::Communicator& comm, std::uint64_t identity, RepairOptions const& mine) {
    std::vector<std::uint64_t> words{call(Function::repair, identity), mine.replicas, mine.room};
    if (mine.node) words.push_back(*mine.node);
    auto const rows = exchange::all_gather(comm, words);
    expect_same_call(comm, rows);
    Terms terms;
    bool limited = false;
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        REGRAFT_EXPECTS(rows[rank].size() == words.size() && "all members give a node or none does");
        REGRAFT_EXPECTS(rows[rank][1] == mine.replicas && "all members ask for as many copies");
        limited = limited || rows[rank][2] != RepairOptions{}.room;
        terms.room.push_back(rows[rank][2]);
        if (mine.node) terms.node_of.push_back(checked_cast<std::uint32_t>(rows[rank][3]));
    }
    if (!limited) terms.room.clear();
    return terms;
}

/// The memory that the copies of a step are sent from and received in.
Traffic traffic_of(ft::Communicator const& comm, repair::Step const& step, HeldBlocks const& held,
                   BlockSizes const& sizes, std::span<BlockId const> seams,
                   std::vector<schedule::RangeTransfer>& transfers,
                   std::function<Memory(std::uint64_t)> const& memory_of, HeldBlocks& arrived) {
    std::uint64_t total = 0;
    for (auto const& copy : step.copies) {
        if (copy.receiver == comm.self()) total += sizes.bytes(copy.blocks);
    }
    auto memory = memory_of(total);
    auto rest = memory.bytes();
    RowsBuilder<BlockRange> blocks_out(comm.size()), blocks_in(comm.size());
    RowsBuilder<std::span<std::byte const>> out(comm.size());
    RowsBuilder<std::span<std::byte>> in(comm.size());
    for (auto const& [blocks, sender, receiver] : step.copies) {
        between_seams(blocks, seams, [&, from = sender, to = receiver](BlockRange piece) {
            transfers.push_back({piece, from, to, 0});
            if (from == comm.self()) {
                blocks_out.add(comm.position(to), piece);
                out.add(comm.position(to), held.at(piece, sizes));
            }
            if (to == comm.self()) {
                auto const place = rest.first(sizes.bytes(piece));
                rest = rest.subspan(place.size());
                blocks_in.add(comm.position(from), piece);
                in.add(comm.position(from), place);
                arrived.add(piece, place.data(), sizes);
            }
        });
    }
    arrived.own(std::move(memory));
    return {blocks_out.rows(), blocks_in.rows(), out.rows(), in.rows()};
}

/// Adds the seams of copied blocks: copies that follow each other in the step lie one behind the other.
void add_seams(Seams& seams, repair::Step const& step) {
    std::map<PeId, BlockRange> open;
    for (auto const& [blocks, sender, receiver] : step.copies) {
        auto const [piece, is_new] = open.try_emplace(receiver, blocks);
        if (is_new) continue;
        if (piece->second.last == blocks.first) {
            piece->second.last = blocks.last;
            continue;
        }
        seams.add(piece->second, receiver);
        piece->second = blocks;
    }
    for (auto const& [receiver, blocks] : open) seams.add(blocks, receiver);
}

/// Whether replicas that were to be copied are damaged; if so, no member counts on them any more. Uniform.
bool forget_damage(Replicated& store, std::span<BlockRange const> looked_at, std::vector<Damage>& damaged) {
    auto& comm = store.comm;
    auto& [directory, sizes, held, seams, common] = *store.current;
    auto const bad = find_damage(comm, call(Function::repair, store.identity), 0, looked_at, sizes, held);
    if (bad.empty()) return false;
    comm.agree();
    for (auto const& [damage, replaceable] : bad) {
        directory.remove(damage.blocks, damage.holder);
        if (damage.holder == comm.self()) held.remove(damage.blocks, sizes);
        damaged.push_back(damage);
    }
    return true;
}

/// Returns false if replicas that were to be copied are damaged. Those count no more on any member.
bool carry_out(Replicated& store, repair::Step const& step, RepairReport& report) {
    auto& comm = store.comm;
    auto& keeping = store.keeping;
    auto& [directory, sizes, held, seams, common] = *store.current;
    HeldBlocks arrived;
    std::vector<schedule::RangeTransfer> transfers;
    Complaint complaint;
    auto const memory_of = [&](std::uint64_t size) { return store.new_memory(size, complaint); };
    auto traffic = traffic_of(comm, step, held, sizes, seams.blocks(), transfers, memory_of, arrived);
    if (keeping) {
        if (auto const first = first_complaint(comm, complaint)) throw DiskError(*first);
    }
    std::optional<Seals> seals;
    if (store.checked()) seals.emplace(traffic, sizes, HeldSums(held, sizes));
    auto const messages = messages_of(comm, transfers, sizes, store.options.integrity);
    comm.reach(repair_phase.inside);
    for (Resends resends;; resends.add()) {
        exchange::all_to_all(comm, traffic.out, traffic.in, store.options.transport, messages);
        if (comm.agree(!seals || seals->hold(traffic, sizes))) break;
        if (forget_damage(store, traffic.blocks_out.values, report.damaged)) return false;
    }
    if (seals) seals->keep(traffic, sizes, arrived);

    held.take(std::move(arrived));
    for (auto const& copy : step.copies) directory.add(copy.blocks, copy.receiver);
    add_seams(seams, step);
    for (auto const& drop : step.drops) {
        directory.remove(drop.blocks, drop.holder);
        if (drop.holder == comm.self()) held.remove(drop.blocks, sizes);
    }
    seams.prune(directory);
    if (keeping) {
        // If a manifest cannot be written, the one before stays, and the next job makes these copies again.
        Complaint ignored;
        store.list(common, held, ignored);
        keeping->agreed(held);
        keeping->settle();
    }
    report.steps.push_back(step);
    return true;
}

}  // namespace

RepairReport repair(Replicated& store, RepairOptions const& options) {
    if (!store.current) return {};
    REGRAFT_EXPECTS(store.idle() && "no load is under way");
    auto& comm = store.comm;
    auto& [directory, sizes, held, seams, common] = *store.current;
    comm.reach(repair_phase.before);
    store.layout = 0;
    auto terms = gather_terms(comm, store.identity, options);
    directory.retain(comm.members());
    if (!options.node) terms.node_of = repair::domains_of(comm.members(), directory.node_of());
    RepairReport report;
    bool done = false;
    while (!done) {  // if damage is found, another plan is made without the damaged replicas
        auto plan = repair::plan(directory, sizes, comm.members(), terms.options(options));
        done = std::all_of(plan.steps.begin(), plan.steps.end(),
                           [&](repair::Step const& step) { return carry_out(store, step, report); });
        if (!done) continue;
        if (plan.steps.empty()) comm.agree();
        plan.steps = std::move(report.steps);  // these include the steps of earlier plans
        static_cast<repair::Plan&>(report) = std::move(plan);
    }
    Volume volume(comm.size());
    for (auto const& step : report.steps) {
        for (auto const& [blocks, sender, receiver] : step.copies) {
            volume.add(comm.position(sender), comm.position(receiver), sizes.bytes(blocks));
        }
    }
    report.bytes_missing += volume.moved - report.bytes_copied;
    report.bytes_copied = volume.moved;
    report.most_sent = volume.most_sent();
    report.most_received = volume.most_received();
    comm.reach(repair_phase.after);
    return report;
}

RepairReport ReplicatedStore::repair(RepairOptions const& options) {
    return store::repair(*impl_, options);
}

}  // namespace regraft::store
