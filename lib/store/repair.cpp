// Repair: a plan that all members make alike, carried out step by step, each step agreed on.
#include <algorithm>
#include <utility>

#include "regraft/core/checked_cast.hpp"
#include "store/rows.hpp"
#include "store/version.hpp"

namespace regraft::store {
namespace {

ft::FailPhase repair_phase("repair");

/// What all members said about themselves.
struct Terms {
    std::vector<std::uint64_t> room;
    std::vector<std::uint32_t> node_of;

    repair::Options options(RepairOptions const& mine) const { return {mine.replicas, room, node_of}; }
};

Terms gather_terms(ft::Communicator& comm, RepairOptions const& mine) {
    std::vector<std::uint64_t> words{mine.replicas, mine.room};
    if (mine.node) words.push_back(*mine.node);
    auto const rows = exchange::all_gather(comm, words);
    Terms terms;
    bool limited = false;
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        REGRAFT_EXPECTS(rows[rank].size() == words.size() && rows[rank][0] == mine.replicas);
        limited = limited || rows[rank][1] != RepairOptions{}.room;
        terms.room.push_back(rows[rank][1]);
        if (mine.node) terms.node_of.push_back(checked_cast<std::uint32_t>(rows[rank][2]));
    }
    if (!limited) terms.room.clear();
    return terms;
}

/// Where the copies of a step come from and go to.
Traffic traffic_of(ft::Communicator const& comm, repair::Step const& step, HeldBlocks const& held,
                   BlockSizes const& sizes, std::span<BlockId const> seams,
                   std::vector<schedule::RangeTransfer>& transfers, HeldBlocks& arrived) {
    std::uint64_t total = 0;
    for (auto const& copy : step.copies) {
        if (copy.receiver == comm.self()) total += sizes.bytes(copy.blocks);
    }
    Memory memory(total);
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

}  // namespace

repair::Plan ReplicatedStore::repair(RepairOptions const& options) {
    if (!current_) return {};
    comm_.reach(repair_phase.before);
    auto const terms = gather_terms(comm_, options);
    auto& version = *current_;
    version.directory.retain(comm_.members());
    for (;;) {
        auto plan = repair::plan(version.directory, version.sizes, comm_.members(), terms.options(options));
        bool const done = std::all_of(plan.steps.begin(), plan.steps.end(),
                                      [&](repair::Step const& step) { return carry_out(step); });
        if (!done) continue;  // damage was found: another plan without it
        if (plan.steps.empty()) comm_.agree();
        comm_.reach(repair_phase.after);
        return plan;
    }
}

/// False if replicas that were to be copied are damaged. Those do not count any more, on all members.
bool ReplicatedStore::carry_out(repair::Step const& step) {
    auto& [directory, sizes, held, seams] = *current_;
    if (options_.integrity == Integrity::checked && forget_damage(step)) return false;
    HeldBlocks arrived;
    std::vector<schedule::RangeTransfer> transfers;
    auto const traffic = traffic_of(comm_, step, held, sizes, seams, transfers, arrived);
    comm_.reach(repair_phase.inside);
    exchange::all_to_all(comm_, traffic.out, traffic.in, options_.transport, messages_of(comm_, transfers, sizes));
    if (options_.integrity == Integrity::checked) exchange_checksums(comm_, options_, traffic, sizes, arrived);
    comm_.agree();

    held.take(std::move(arrived));
    for (auto const& copy : step.copies) {
        directory.add(copy.blocks, copy.receiver);
        seams.insert(seams.end(), {copy.blocks.first, copy.blocks.last});
    }
    std::sort(seams.begin(), seams.end());
    seams.erase(std::unique(seams.begin(), seams.end()), seams.end());
    for (auto const& drop : step.drops) {
        directory.remove(drop.blocks, drop.holder);
        if (drop.holder == comm_.self()) held.remove(drop.blocks, sizes);
    }
    return true;
}

/// Whether replicas that were to be copied are damaged: then nobody counts on them any more. Uniform.
bool ReplicatedStore::forget_damage(repair::Step const& step) {
    auto& [directory, sizes, held, seams] = *current_;
    std::vector<BlockRange> to_be_sent;
    for (auto const& copy : step.copies) {
        if (copy.sender == comm_.self()) to_be_sent.push_back(copy.blocks);
    }
    auto const bad = find_damage(comm_, to_be_sent, sizes, held);
    if (bad.damaged.empty()) return false;
    comm_.agree();
    for (auto const& damage : bad.damaged) {
        directory.remove(damage.blocks, damage.holder);
        if (damage.holder == comm_.self()) held.remove(damage.blocks, sizes);
    }
    return true;
}

}  // namespace regraft::store
