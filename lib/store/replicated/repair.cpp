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

/// What all members passed, and how their memory is.
struct Terms {
    std::vector<std::uint64_t> room;
    std::vector<std::uint32_t> node_of;
    std::vector<char> in_order;  // HeldBlocks::in_order of each member, until a step has changed something

    repair::Options options(RepairOptions const& mine) const { return {mine.replicas, room, node_of}; }
};

Terms gather_terms(ft::Communicator& comm, std::uint64_t identity, RepairOptions const& mine, bool in_order) {
    std::vector<std::uint64_t> words{call(Function::repair, identity), mine.replicas, mine.room,
                                     std::uint64_t{in_order}};
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
        terms.in_order.push_back(rows[rank][3] != 0 ? 1 : 0);
        if (mine.node) terms.node_of.push_back(checked_cast<std::uint32_t>(rows[rank][4]));
    }
    if (!limited) terms.room.clear();
    return terms;
}

/// The copies of a step, in pieces that lie in one piece at both ends.
struct Copies {
    std::vector<schedule::RangeTransfer> transfers;
    /// Whether a piece lies right behind the piece before it of the same message, at both ends. So fewer pieces travel.
    std::vector<char> joined;
};

/// Which pieces lie right behind others. Members whose memory is in order have the blocks that they hold one behind the
/// other; what arrives is laid out in the order of the step.
class Joins {
public:
    Joins(ft::Communicator const& comm, placement::Directory const& directory, std::span<char const> in_order)
        : comm_(comm), directory_(directory), in_order_(in_order), last_(comm.size()) {}

    /// Called for all pieces of a step in their order.
    bool operator()(BlockRange piece, PeId sender, PeId receiver) {
        auto const before = std::exchange(last_[comm_.position(receiver)], {piece, sender});
        if (in_order_.empty() || before.blocks.empty() || before.sender != sender) return false;
        if (in_order_[comm_.position(sender)] == 0) return false;
        return before.blocks.last == piece.first || follows(before.blocks, piece, sender);
    }

private:
    struct Arrived {
        BlockRange blocks{};
        PeId sender{};
    };
    /// Whether the sender holds nothing between both.
    bool follows(BlockRange before, BlockRange piece, PeId sender) {
        constexpr std::size_t most_senders = 8;  // finding what a member holds takes a while
        auto found = held_.find(sender);
        if (found == held_.end()) {
            if (held_.size() == most_senders) return false;
            found = held_.emplace(sender, directory_.held(sender)).first;
        }
        auto const& held = found->second;
        auto const next = std::ranges::lower_bound(held, piece.first, {}, &BlockRange::first);
        return next != held.end() && next != held.begin() && next->first == piece.first &&
               std::prev(next)->last == before.last;
    }

    ft::Communicator const& comm_;
    placement::Directory const& directory_;
    std::span<char const> in_order_;
    std::vector<Arrived> last_;  // by receiver
    std::map<PeId, std::vector<BlockRange>> held_;
};

Copies copies_of(ft::Communicator const& comm, repair::Step const& step, Version const& version,
                 std::span<char const> in_order) {
    Copies copies;
    Joins joins(comm, version.directory, in_order);
    for (auto const& [blocks, sender, receiver] : step.copies) {
        between_seams(blocks, version.seams.blocks(), [&, from = sender, to = receiver](BlockRange piece) {
            copies.transfers.push_back({piece, from, to, 0});
            copies.joined.push_back(joins(piece, from, to) ? 1 : 0);
        });
    }
    return copies;
}

/// The messages of a step, in which joined pieces count as one.
std::vector<exchange::Message> messages_of(ft::Communicator const& comm, Copies const& copies, BlockSizes const& sizes,
                                           Integrity integrity) {
    auto messages = messages_of(comm, copies.transfers, sizes, integrity);
    auto const pair = [](exchange::Message const& each) { return std::pair(each.sender, each.receiver); };
    for (std::size_t i = 0; i < copies.transfers.size(); ++i) {
        if (copies.joined[i] == 0) continue;
        auto const& transfer = copies.transfers[i];
        std::pair const between{checked_cast<std::uint32_t>(comm.position(transfer.sender)),
                                checked_cast<std::uint32_t>(comm.position(transfer.receiver))};
        --std::ranges::lower_bound(messages, between, {}, pair)->pieces;
    }
    return messages;
}

/// The rows with joined pieces as one. Pieces of checksums stay as they are.
template <class Byte>
Csr<std::span<Byte>> joined_rows(CsrView<std::span<Byte>> rows, CsrView<char> joined) {
    Csr<std::span<Byte>> result;
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        for (std::size_t i = 0; i < rows[rank].size(); ++i) {
            auto const& piece = rows[rank][i];
            if (i < joined[rank].size() && joined[rank][i] != 0) {
                auto& before = result.values.back();
                REGRAFT_EXPECTS(before.data() + before.size() == piece.data());
                before = {before.data(), before.size() + piece.size()};
            } else {
                result.push_value(piece);
            }
        }
        result.end_row();
    }
    return result;
}

/// The memory that the copies of a step are sent from and received in.
struct StepTraffic : Traffic {
    Csr<char> joined_out, joined_in;  // whether a piece is joined with the one before it, which is of the same member
};

StepTraffic traffic_of(ft::Communicator const& comm, Copies const& copies, HeldBlocks const& held,
                       BlockSizes const& sizes, std::function<Memory(std::uint64_t)> const& memory_of,
                       HeldBlocks& arrived) {
    std::uint64_t total = 0;
    for (auto const& copy : copies.transfers) {
        if (copy.receiver == comm.self()) total += sizes.bytes(copy.blocks);
    }
    auto memory = memory_of(total);
    auto rest = memory.bytes();
    RowsBuilder<BlockRange> blocks_out(comm.size()), blocks_in(comm.size());
    RowsBuilder<std::span<std::byte const>> out(comm.size());
    RowsBuilder<std::span<std::byte>> in(comm.size());
    RowsBuilder<char> joined_out(comm.size()), joined_in(comm.size());
    for (std::size_t i = 0; i < copies.transfers.size(); ++i) {
        auto const& [piece, from, to, request] = copies.transfers[i];
        if (from == comm.self()) {
            blocks_out.add(comm.position(to), piece);
            out.add(comm.position(to), held.at(piece, sizes));
            joined_out.add(comm.position(to), copies.joined[i]);
        }
        if (to == comm.self()) {
            auto const place = rest.first(sizes.bytes(piece));
            rest = rest.subspan(place.size());
            blocks_in.add(comm.position(from), piece);
            in.add(comm.position(from), place);
            joined_in.add(comm.position(from), copies.joined[i]);
            arrived.add(piece, place.data(), sizes);
        }
    }
    arrived.own(std::move(memory));
    return {{blocks_out.rows(), blocks_in.rows(), out.rows(), in.rows()}, joined_out.rows(), joined_in.rows()};
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
bool carry_out(Replicated& store, repair::Step const& step, std::span<char const> in_order, RepairReport& report) {
    auto& comm = store.comm;
    auto& keeping = store.keeping;
    auto& [directory, sizes, held, seams, common] = *store.current;
    HeldBlocks arrived;
    Complaint complaint;
    auto const memory_of = [&](std::uint64_t size) { return store.new_memory(size, complaint); };
    auto const copies = copies_of(comm, step, *store.current, in_order);
    auto traffic = traffic_of(comm, copies, held, sizes, memory_of, arrived);
    if (keeping) {
        if (auto const first = first_complaint(comm, complaint)) throw DiskError(*first);
    }
    std::optional<Seals> seals;
    if (store.checked()) seals.emplace(traffic, sizes, HeldSums(held, sizes));
    auto const messages = messages_of(comm, copies, sizes, store.options.integrity);
    auto const out = joined_rows<std::byte const>(traffic.out, traffic.joined_out);
    auto const in = joined_rows<std::byte>(traffic.in, traffic.joined_in);
    comm.reach(repair_phase.inside);
    for (Resends resends;; resends.add()) {
        exchange::all_to_all(comm, out, in, store.options.transport, messages);
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
        store.settle(held);
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
    if (store.keeping) store.free_spare();  // a folder takes two versions, and the repair adds to one
    store.layout = 0;
    auto terms = gather_terms(comm, store.identity, options, held.in_order(sizes));
    directory.retain(comm.members());
    if (!options.node) terms.node_of = repair::domains_of(comm.members(), directory.node_of());
    RepairReport report;
    bool done = false;
    while (!done) {  // if damage is found, another plan is made without the damaged replicas
        auto plan = repair::plan(directory, sizes, comm.members(), terms.options(options));
        done = std::all_of(plan.steps.begin(), plan.steps.end(), [&](repair::Step const& step) {
            return carry_out(store, step, std::exchange(terms.in_order, {}), report);
        });
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
