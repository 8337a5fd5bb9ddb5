#include "recover/recovery.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "regraft/assign/balance.hpp"
#include "regraft/assign/reassign.hpp"
#include "regraft/core/block_sizes.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/united.hpp"
#include "regraft/matching/shares.hpp"
#include "regraft/schedule/local_senders.hpp"
#include "regraft/schedule/range_senders.hpp"
#include "regraft/store/options.hpp"

namespace regraft::plan {
namespace {

using assign::Work;
using schedule::RangeRequest;
using schedule::RangeTransfer;
using schedule::Request;
using schedule::Transfer;

/// Notes how long each step took.
class Stopwatch {
public:
    void finished(char const* step) {
        auto const now = Clock::now();
        steps_.push_back({step, std::chrono::duration<double>(now - last_).count()});
        last_ = now;
    }
    std::vector<TimedStep> take() { return std::move(steps_); }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point last_ = Clock::now();
    std::vector<TimedStep> steps_;
};

std::vector<std::uint64_t> partition_begins(std::uint64_t num_blocks, std::uint32_t num_partitions) {
    std::vector<std::uint64_t> begins{0};
    for (std::uint32_t q = 0; q < num_partitions; ++q)
        begins.push_back(value(even_part<BlockId>(num_blocks, q, num_partitions).last));
    return begins;
}

/// Ranks by whether they are alive.
class Living {
public:
    Living(std::uint32_t num_ranks, std::span<PeId const> failed) : alive_(num_ranks, 1) {
        for (auto const pe : failed) alive_[value(pe)] = 0;
    }
    bool operator()(PeId pe) const { return alive_[value(pe)] != 0; }
    std::vector<PeId> all() const {
        std::vector<PeId> pes;
        for (std::uint32_t pe = 0; pe < alive_.size(); ++pe) {
            if (alive_[pe] != 0) pes.push_back(PeId{pe});
        }
        return pes;
    }

private:
    std::vector<char> alive_;
};

/// Calls visit(run, holders) for the runs of blocks that the same ranks hold, ascending. The holders are those that
/// live, ascending, as the store has them: which of them send depends on their order.
template <class Visit>
void for_each_run(BlockRange blocks, placement::Any const& placement, Living const& lives, Visit&& visit) {
    std::vector<PeId> holders;
    while (!blocks.empty()) {
        auto const run = intersect(placement.run(blocks.first), blocks);
        holders.clear();
        for (std::uint32_t copy = 0; copy < placement.num_copies(run.first); ++copy) {
            PeId const pe{value(placement.holder(run.first, copy))};  // submitted when all lived: slot i is rank i
            if (lives(pe)) holders.push_back(pe);
        }
        std::sort(holders.begin(), holders.end());
        visit(run, holders);
        blocks.first = run.last;
    }
}

std::uint64_t count_extinct(placement::Any const& placement, Living const& lives) {
    std::uint64_t count = 0;
    BlockRange const all{BlockId{0}, BlockId{placement.shape().num_blocks}};
    for_each_run(all, placement, lives, [&](BlockRange run, auto const& holders) {
        if (holders.empty()) count += run.size();
    });
    return count;
}

/// What is wanted, by runs that the same ranks hold.
struct Wishes {
    std::vector<RangeRequest> requests;
    Csr<PeId> holders;  // that live, by request
};

Wishes wishes_for(CsrView<Work> wanted, placement::Any const& placement, Living const& lives) {
    Wishes wishes;
    for (std::uint32_t pe = 0; pe < wanted.size(); ++pe) {
        for (auto const& work : wanted[pe]) {
            BlockRange const blocks{BlockId{value(work.sites.first)}, BlockId{value(work.sites.last)}};
            for_each_run(blocks, placement, lives, [&](BlockRange run, auto const& holders) {
                wishes.requests.push_back({run, PeId{pe}});
                wishes.holders.push_row(holders);
            });
        }
    }
    return wishes;
}

/// What each rank loads after the failures.
Csr<Work> wanted_work(Job const& job, std::span<PeId const> survivors, Wanted wanted, Recovery& recovery) {
    auto const begins = partition_begins(job.placement.shape().num_blocks, job.num_partitions);
    if (wanted == Wanted::everything) return assign::balance(begins, survivors, job.num_ranks);
    auto reassignment = assign::reassign(assign::balance(begins, job.num_ranks), survivors);
    recovery.new_pairs = reassignment.new_pairs;
    return std::move(reassignment.gained);
}

/// The number of blocks. Throws InputError if that is more than the planners can number.
std::uint64_t count_requests(CsrView<Work> wanted) {
    auto const count = assign::num_sites(wanted.values);
    if (count > (std::uint64_t{1} << 30))
        throw InputError(fmt::format("{} blocks would have to be loaded, expected no more than 2^30", count));
    return count;
}

/// What ranks have to do, one by one.
class TrafficCount {
public:
    explicit TrafficCount(std::uint32_t num_ranks) : blocks_(num_ranks, 0), messages_(num_ranks, 0) {}
    void add(PeId rank, std::uint64_t blocks, std::uint64_t messages) {
        blocks_[value(rank)] += blocks;
        messages_[value(rank)] += messages;
    }
    Traffic most() const {
        auto const busiest = std::max_element(blocks_.begin(), blocks_.end());
        return {PeId{static_cast<std::uint32_t>(busiest - blocks_.begin())}, *busiest,
                *std::max_element(messages_.begin(), messages_.end())};
    }

private:
    std::vector<std::uint64_t> blocks_;
    std::vector<std::uint64_t> messages_;
};

/// Calls visit(message) with each message of a round: what one rank sends to another.
template <class Visit>
void for_each_message(std::span<Transfer const> round, Visit&& visit) {
    for (std::size_t begin = 0; begin < round.size();) {
        auto end = begin + 1;
        while (end < round.size() && round[end].sender == round[begin].sender &&
               round[end].receiver == round[begin].receiver) {
            ++end;
        }
        visit(round.subspan(begin, end - begin));
        begin = end;
    }
}

/// Notes how much each rank sends and receives, and the rounds. num_blocks(transfer): how many it stands for.
template <class NumBlocks>
void note_rounds(Recovery& recovery, CsrView<Transfer> rounds, std::uint32_t num_ranks, NumBlocks&& num_blocks) {
    TrafficCount sent(num_ranks);
    TrafficCount received(num_ranks);
    for (std::size_t i = 0; i < rounds.size(); ++i) {
        std::uint64_t largest = 0;
        for_each_message(rounds[i], [&](std::span<Transfer const> message) {
            std::uint64_t blocks = 0;
            for (auto const& transfer : message) blocks += num_blocks(transfer);
            sent.add(message.front().sender, blocks, 1);
            received.add(message.front().receiver, blocks, 1);
            largest = std::max(largest, blocks);
        });
        recovery.largest_messages.push_back(largest);
    }
    recovery.sent = sent.most();
    recovery.received = received.most();
}

/// Senders block by block, and their rounds.
void plan_blocks(Recovery& recovery, Wishes const& wishes, Job const& job, PlanOptions const& options) {
    std::vector<Request> requests;
    Csr<PeId> holders;
    requests.reserve(recovery.num_requests);
    holders.offsets.reserve(recovery.num_requests + 1);
    holders.values.reserve(recovery.num_requests * job.placement.shape().replicas);
    for (std::size_t i = 0; i < wishes.requests.size(); ++i) {
        auto const& [blocks, receiver] = wishes.requests[i];
        for (auto block = blocks.first; block < blocks.last; block = advance(block, 1)) {
            requests.push_back({block, receiver});
            holders.push_row(wishes.holders[i]);
        }
    }
    auto relation = schedule::h_relation(
        requests, holders, {.balance = schedule::Balance::fully, .messages = options.messages, .bytes = {}});
    recovery.num_sent = relation.rounds.values.size();
    recovery.num_local = relation.local.size();
    for (auto const& request : relation.unservable) recovery.lost.push_back({request.block, advance(request.block, 1)});
    note_rounds(recovery, relation.rounds, job.num_ranks, [](auto const&) { return 1; });
    if (options.lists_transfers) recovery.rounds = std::move(relation.rounds);
}

bool is_among(PeId pe, std::span<PeId const> pes) {
    return std::find(pes.begin(), pes.end(), pe) != pes.end();
}

/// Chooses senders as the store does.
schedule::RangeSenders choose_by_ranges(Wishes const& wishes, Rule rule, BlockSizes const& sizes) {
    if (rule == Rule::ranges) return schedule::choose_range_senders(wishes.requests, wishes.holders, sizes);
    schedule::RangeSenders senders;
    for (std::size_t i = 0; i < wishes.requests.size(); ++i) {
        auto const& request = wishes.requests[i];
        auto const holders = CsrView<PeId>(wishes.holders)[i];
        if (holders.empty()) {
            senders.unservable.push_back(i);
        } else if (is_among(request.receiver, holders)) {
            senders.local.push_back({request.blocks, request.receiver, request.receiver, i});
        } else {
            schedule::divide_locally(request, holders, sizes, {}, [&](BlockRange part, PeId sender) {
                senders.transfers.push_back({part, sender, request.receiver, i});
            });
        }
    }
    return senders;
}

/// Rounds for senders that are chosen already. Each transfer is whole, numbered in place of its block, or block by
/// block.
Csr<Transfer> rounds_of(std::span<RangeTransfer const> transfers, bool whole, schedule::Messages messages) {
    std::vector<Request> requests;
    Csr<PeId> senders;
    auto const add = [&](BlockId id, RangeTransfer const& transfer) {
        requests.push_back({id, transfer.receiver});
        senders.push_row(std::span(&transfer.sender, 1));
    };
    for (std::size_t i = 0; i < transfers.size(); ++i) {
        auto const& blocks = transfers[i].blocks;
        if (whole) {
            add(BlockId{i}, transfers[i]);
        } else {
            for (auto block = blocks.first; block < blocks.last; block = advance(block, 1)) add(block, transfers[i]);
        }
    }
    return schedule::h_relation(requests, senders,
                                {.balance = schedule::Balance::for_rounds, .messages = messages, .bytes = {}})
        .rounds;
}

/// Chooses senders by ranges. If a message is a block and no list of transfers is asked for, there are as many rounds
/// as the busiest rank has blocks (Koenig 1916), and none of them has to be made.
void plan_ranges(Recovery& recovery, Wishes const& wishes, Job const& job, PlanOptions const& options) {
    auto const num_blocks = job.placement.shape().num_blocks;
    if (num_blocks > (std::uint64_t{1} << 62) / job.block_bytes)
        throw InputError(
            fmt::format("{} blocks of {} bytes, expected no more than 2^62 bytes in all", num_blocks, job.block_bytes));
    auto const senders = choose_by_ranges(wishes, recovery.rule, BlockSizes(num_blocks, job.block_bytes));
    for (auto const& transfer : senders.transfers) recovery.num_sent += transfer.blocks.size();
    for (auto const& transfer : senders.local) recovery.num_local += transfer.blocks.size();
    for (auto const i : senders.unservable) recovery.lost.push_back(wishes.requests[i].blocks);
    bool const bundled = options.messages == schedule::Messages::bundled;
    if (options.lists_transfers || bundled) {
        bool const whole = !options.lists_transfers;
        auto rounds = rounds_of(senders.transfers, whole, options.messages);
        note_rounds(recovery, rounds, job.num_ranks, [&](Transfer const& transfer) {
            return whole ? senders.transfers[value(transfer.block)].blocks.size() : 1;
        });
        if (options.lists_transfers) recovery.rounds = std::move(rounds);
        return;
    }
    TrafficCount sent(job.num_ranks);
    TrafficCount received(job.num_ranks);
    for (auto const& [blocks, sender, receiver, request] : senders.transfers) {
        sent.add(sender, blocks.size(), blocks.size());
        received.add(receiver, blocks.size(), blocks.size());
    }
    recovery.sent = sent.most();
    recovery.received = received.most();
    recovery.largest_messages.assign(std::max(recovery.sent.most_blocks, recovery.received.most_blocks), 1);
}

/// How many blocks can only come from ranks among the given ones: row x of the holders stands for num_blocks[x] blocks.
std::uint64_t count_confined(CsrView<std::uint32_t> holders, std::span<std::uint64_t const> num_blocks,
                             std::span<std::uint32_t const> ranks) {
    if (ranks.empty()) return 0;
    std::vector<char> is_chosen(std::size_t{*std::max_element(ranks.begin(), ranks.end())} + 1, 0);
    for (auto const rank : ranks) is_chosen[rank] = 1;
    auto const inside = [&](std::uint32_t rank) { return rank < is_chosen.size() && is_chosen[rank] != 0; };
    std::uint64_t count = 0;
    for (std::size_t x = 0; x < holders.size(); ++x) {
        auto const row = holders[x];
        if (std::all_of(row.begin(), row.end(), inside)) count += num_blocks[x];
    }
    return count;
}

/// Proves how small b can be, by another solver than the ones that choose senders.
void certify(Recovery& recovery, Wishes const& wishes, std::uint32_t num_ranks) {
    Csr<std::uint32_t> holders;
    std::vector<std::uint64_t> num_blocks;
    for (std::size_t i = 0; i < wishes.requests.size(); ++i) {
        auto const& [blocks, receiver] = wishes.requests[i];
        auto const row = CsrView<PeId>(wishes.holders)[i];
        if (row.empty() || is_among(receiver, row)) continue;
        for (auto const pe : row) holders.push_value(value(pe));
        holders.end_row();
        num_blocks.push_back(blocks.size());
    }
    auto const shares = matching::min_b_shares(holders, num_blocks, num_ranks);
    recovery.least_b = shares.b;
    if (recovery.rule == Rule::least ? recovery.b != shares.b : recovery.b < shares.b)
        throw std::logic_error("two solvers disagree about b");
    for (auto const v : shares.hall_set) recovery.hall_set.push_back(PeId{v});
    recovery.hall_blocks = count_confined(holders, num_blocks, shares.hall_set);
    recovery.lower_bound = shares.lower_bound;
}

/// Returns the rule that the store takes by default.
Rule rule_for(Wanted wanted, std::size_t num_ranges) {
    if (wanted == Wanted::gained) return Rule::least;
    return num_ranges <= store::Options().most_planned_runs ? Rule::ranges : Rule::local;
}

}  // namespace

Recovery plan_recovery(Job const& job, std::vector<PeId> const& failed, PlanOptions const& options) {
    Living const lives(job.num_ranks, failed);
    Recovery recovery;
    recovery.survivors = lives.all();
    if (recovery.survivors.empty()) throw InputError("all ranks fail, expected that at least one survives");

    Stopwatch watch;
    auto const work = wanted_work(job, recovery.survivors, options.wanted, recovery);
    recovery.num_requests = count_requests(work);
    watch.finished("assign");
    auto const wishes = wishes_for(work, job.placement, lives);
    recovery.num_extinct = count_extinct(job.placement, lives);
    watch.finished("holders");
    recovery.rule = rule_for(options.wanted, wishes.requests.size());
    auto const plan = recovery.rule == Rule::least ? plan_blocks : plan_ranges;
    plan(recovery, wishes, job, options);
    recovery.lost = united(std::move(recovery.lost));
    recovery.num_lost = recovery.num_requests - recovery.num_sent - recovery.num_local;
    recovery.b = recovery.sent.most_blocks;
    watch.finished("schedule");
    certify(recovery, wishes, job.num_ranks);
    watch.finished("certificate");
    recovery.steps = watch.take();
    return recovery;
}

double predicted_seconds(Recovery const& recovery, Network const& network, std::uint64_t block_bytes) {
    double seconds = 0;
    for (auto const blocks : recovery.largest_messages) seconds += network.message_seconds(blocks * block_bytes);
    return seconds;
}

}  // namespace regraft::plan
