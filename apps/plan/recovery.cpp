#include "recovery.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "match.hpp"
#include "regraft/assign/balance.hpp"
#include "regraft/assign/reassign.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/matching/shares.hpp"

namespace regraft::plan {
namespace {

using assign::Work;
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
    std::vector<Step> take() { return std::move(steps_); }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point last_ = Clock::now();
    std::vector<Step> steps_;
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

/// Appends the living holders of all blocks of a run, which are the same.
void append_living_holders(std::vector<PeId>& holders, placement::Any const& placement, BlockId block,
                           Living const& lives) {
    for (std::uint32_t copy = 0; copy < placement.num_copies(block); ++copy) {
        PeId const pe{value(placement.holder(block, copy))};  // submitted when all were alive: slot i is rank i
        if (lives(pe)) holders.push_back(pe);
    }
}

std::uint64_t count_extinct(placement::Any const& placement, Living const& lives) {
    std::uint64_t count = 0;
    std::vector<PeId> holders;
    for (BlockId block{0}; value(block) < placement.shape().num_blocks;) {
        auto const run = placement.run(block);
        holders.clear();
        append_living_holders(holders, placement, block, lives);
        if (holders.empty()) count += run.size();
        block = run.last;
    }
    return count;
}

/// Row by row, block by block.
std::vector<Request> requests_for(CsrView<Work> wanted, std::uint64_t num_blocks) {
    std::vector<Request> requests;
    requests.reserve(num_blocks);
    for (std::uint32_t pe = 0; pe < wanted.size(); ++pe) {
        for (auto const& work : wanted[pe]) {
            for (auto site = work.sites.first; site < work.sites.last; site = advance(site, 1))
                requests.push_back({BlockId{value(site)}, PeId{pe}});
        }
    }
    return requests;
}

/// Row i: the living holders of requests[i].block. Requests for neighbouring blocks mostly share a run.
Csr<PeId> living_holders(std::span<Request const> requests, placement::Any const& placement, Living const& lives) {
    Csr<PeId> rows;
    rows.offsets.reserve(requests.size() + 1);
    rows.values.reserve(requests.size() * placement.shape().replicas);
    BlockRange run{};
    std::vector<PeId> holders;
    for (auto const& request : requests) {
        if (!run.contains(request.block)) {
            run = placement.run(request.block);
            holders.clear();
            append_living_holders(holders, placement, request.block, lives);
        }
        rows.push_row(holders);
    }
    return rows;
}

/// Calls visit(message) with each message of a round: the blocks that one rank sends to another.
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

Traffic traffic(Recovery const& recovery, PeId Transfer::*side) {
    std::vector<std::uint64_t> blocks;
    std::vector<std::uint64_t> messages;
    auto const num_ranks = recovery.survivors.empty() ? 0 : std::size_t{value(recovery.survivors.back())} + 1;
    blocks.assign(num_ranks, 0);
    messages.assign(num_ranks, 0);
    auto const& rounds = recovery.relation.rounds;
    for (std::size_t i = 0; i < rounds.size(); ++i) {
        for_each_message(rounds[i], [&](std::span<Transfer const> message) {
            auto const rank = value(message.front().*side);
            blocks[rank] += message.size();
            ++messages[rank];
        });
    }
    if (num_ranks == 0) return {};
    auto const busiest = std::max_element(blocks.begin(), blocks.end());
    return {PeId{static_cast<std::uint32_t>(busiest - blocks.begin())}, *busiest,
            *std::max_element(messages.begin(), messages.end())};
}

/// Who computes what after the failures, as what is to be loaded.
Csr<Work> wanted_work(Job const& job, std::span<PeId const> survivors, Wanted wanted, Recovery& recovery) {
    auto const begins = partition_begins(job.placement.shape().num_blocks, job.num_partitions);
    if (wanted == Wanted::everything) return assign::balance(begins, survivors, job.num_ranks);
    auto reassignment = assign::reassign(assign::balance(begins, job.num_ranks), survivors);
    recovery.new_pairs = reassignment.new_pairs;
    return std::move(reassignment.gained);
}

/// The number of requests. Throws InputError if that is more than the planners can number.
std::uint64_t count_requests(CsrView<Work> wanted) {
    auto const count = assign::num_sites(wanted.values);
    if (count > (std::uint64_t{1} << 30))
        throw InputError(fmt::format("{} blocks would have to be loaded, expected no more than 2^30", count));
    return count;
}

/// Runs of requests with the same holders, among those that somebody else must serve.
struct Runs {
    Csr<std::uint32_t> holders;
    std::vector<std::uint64_t> num_requests;
};

Runs remote_runs(std::span<Request const> requests, CsrView<PeId> holders) {
    Runs runs;
    std::span<PeId const> last;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        auto const row = holders[i];
        if (row.empty() || std::find(row.begin(), row.end(), requests[i].receiver) != row.end()) continue;
        if (!std::equal(row.begin(), row.end(), last.begin(), last.end())) {
            for (auto const pe : row) runs.holders.push_value(value(pe));
            runs.holders.end_row();
            runs.num_requests.push_back(0);
            last = row;
        }
        ++runs.num_requests.back();
    }
    return runs;
}

/// Proves b, by another solver than the one that found it.
void certify(Recovery& recovery, std::span<Request const> requests, CsrView<PeId> holders, std::uint32_t num_ranks) {
    auto const runs = remote_runs(requests, holders);
    auto const shares = matching::min_b_shares(runs.holders, runs.num_requests, num_ranks);
    if (shares.b != recovery.relation.b) throw std::logic_error("two solvers disagree about b");
    for (auto const v : shares.hall_set) recovery.hall_set.push_back(PeId{v});
    recovery.hall_blocks = count_confined(runs.holders, shares.hall_set, runs.num_requests);
    recovery.lower_bound = shares.lower_bound;
}

}  // namespace

Recovery plan_recovery(Job const& job, std::vector<PeId> const& failed, Wanted wanted, schedule::Messages messages) {
    Living const lives(job.num_ranks, failed);
    Recovery recovery;
    recovery.survivors = lives.all();
    if (recovery.survivors.empty()) throw InputError("all ranks fail, expected that at least one survives");

    Stopwatch watch;
    auto const work = wanted_work(job, recovery.survivors, wanted, recovery);
    recovery.num_requests = count_requests(work);
    watch.finished("assign");
    auto const requests = requests_for(work, recovery.num_requests);
    auto const holders = living_holders(requests, job.placement, lives);
    recovery.num_extinct = count_extinct(job.placement, lives);
    watch.finished("holders");
    recovery.relation = schedule::h_relation(requests, holders,
                                             {.balance = schedule::Balance::fully, .messages = messages, .bytes = {}});
    watch.finished("schedule");
    certify(recovery, requests, holders, job.num_ranks);
    watch.finished("certificate");
    recovery.steps = watch.take();
    return recovery;
}

Traffic sent(Recovery const& recovery) {
    return traffic(recovery, &Transfer::sender);
}

Traffic received(Recovery const& recovery) {
    return traffic(recovery, &Transfer::receiver);
}

double predicted_seconds(Recovery const& recovery, Network const& network, std::uint64_t block_bytes) {
    double seconds = 0;
    auto const& rounds = recovery.relation.rounds;
    for (std::size_t i = 0; i < rounds.size(); ++i) {
        std::uint64_t largest = 0;
        for_each_message(rounds[i], [&](auto message) { largest = std::max<std::uint64_t>(largest, message.size()); });
        seconds += network.message_seconds(largest * block_bytes);
    }
    return seconds;
}

}  // namespace regraft::plan
