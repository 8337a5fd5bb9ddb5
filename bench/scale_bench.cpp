// What one rank computes when ranks die, by the number of ranks: which parts grow with the machine although few died.
// --short: up to 10,000 ranks.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "exchange/cut.hpp"
#include "heap_meter.hpp"
#include "regraft/assign/balance.hpp"
#include "regraft/assign/reassign.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/random.hpp"
#include "regraft/erasure/plan.hpp"
#include "regraft/load/plan.hpp"
#include "regraft/placement/directory.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/node_aware.hpp"
#include "regraft/placement/pairwise.hpp"
#include "regraft/placement/permuted.hpp"
#include "regraft/repair/plan.hpp"
#include "regraft/schedule/local_senders.hpp"
#include "regraft/schedule/range_senders.hpp"

namespace {

using namespace regraft;

constexpr std::uint64_t blocks_per_pe = 64;
constexpr std::uint64_t block_bytes = 1 << 14;
constexpr std::uint32_t replicas = 3;

std::vector<PeId> first_pes(std::uint32_t count) {
    std::vector<PeId> pes(count);
    for (std::uint32_t pe = 0; pe < count; ++pe) pes[pe] = PeId{pe};
    return pes;
}

/// All PEs except so many, drawn by a fixed seed; never PE 0.
std::vector<PeId> survivors_of(std::uint32_t num_pes, std::int64_t num_dead) {
    std::vector<char> dies(num_pes, 0);
    Random random(7);
    while (num_dead > 0) {
        auto& chosen = dies[1 + random.below(num_pes - 1)];
        if (chosen == 0) --num_dead;
        chosen = 1;
    }
    std::vector<PeId> alive;
    for (std::uint32_t pe = 0; pe < num_pes; ++pe) {
        if (dies[pe] == 0) alive.push_back(PeId{pe});
    }
    return alive;
}

using MakePlacement = placement::Any (*)(std::uint64_t num_blocks, std::uint32_t num_pes);

placement::Any permuted(std::uint64_t num_blocks, std::uint32_t num_pes) {
    return placement::Permuted(num_blocks, num_pes, replicas);
}
placement::Any mod_k(std::uint64_t num_blocks, std::uint32_t num_pes) {
    return placement::ModK(num_blocks, num_pes, replicas);
}
placement::Any pairwise(std::uint64_t num_blocks, std::uint32_t num_pes) {
    return placement::Pairwise(num_blocks, num_pes, replicas);
}
placement::Any node_aware(std::uint64_t num_blocks, std::uint32_t num_pes) {
    std::vector<std::uint32_t> node_of(num_pes);
    for (std::uint32_t pe = 0; pe < num_pes; ++pe) node_of[pe] = pe / 48;
    return placement::NodeAware(num_blocks, node_of, replicas);
}

/// A job in which some ranks died.
struct Job {
    std::uint32_t num_pes;
    BlockSizes sizes;
    std::vector<PeId> members;
    placement::Directory directory;

    Job(MakePlacement make, std::uint32_t pes, std::int64_t num_dead)
        : num_pes(pes),
          sizes(blocks_per_pe * pes, block_bytes),
          members(survivors_of(pes, num_dead)),
          directory(make(sizes.num_blocks(), pes), first_pes(pes)) {
        directory.retain(members);
    }
};

/// Whether the plan restores all copies that are missing, and no receiver gets more than 17/16 of the mean.
bool restores_all(repair::Plan const& plan, Job const& job) {
    auto directory = job.directory;
    std::uint64_t copied = 0;
    for (auto const& step : plan.steps) {
        if (!step.drops.empty()) return false;
        for (auto const& copy : step.copies) {
            copied += job.sizes.bytes(copy.blocks);
            directory.add(copy.blocks, copy.receiver);
        }
    }
    for (auto const& range : directory.short_of(replicas)) {
        if (!std::includes(plan.lost.begin(), plan.lost.end(), &range, &range + 1)) return false;
    }
    auto const mean = copied / job.members.size() / block_bytes;
    return copied == plan.bytes_missing && plan.most_received <= (mean + 1 + mean / 16) * block_bytes;
}

/// Arguments: number of PEs, number of dead PEs.
void run_repair_plan(benchmark::State& state, MakePlacement make) {
    Job const job(make, static_cast<std::uint32_t>(state.range(0)), state.range(1));
    repair::Plan plan;
    auto const peak = bench::peak_during([&] { plan = repair::plan(job.directory, job.sizes, job.members); });
    if (!restores_all(plan, job)) state.SkipWithError("not a plan that restores all");
    for (auto _ : state) {
        plan = repair::plan(job.directory, job.sizes, job.members);
        benchmark::DoNotOptimize(plan.steps.data());
    }
    state.counters["peak_bytes"] = static_cast<double>(peak);
    state.counters["copies"] = plan.steps.empty() ? 0 : static_cast<double>(plan.steps.front().copies.size());
}

/// Each PE wants what it submitted and a part of what the dead did: a rollback. Row i for PE i.
Csr<BlockRange> rollback(Job const& job) {
    std::vector<std::vector<BlockRange>> taken_over(job.members.size());
    std::size_t next = 0;
    Csr<BlockRange> wanted;
    auto const own = [&](std::uint32_t pe) { return even_part<BlockId>(job.sizes.num_blocks(), pe, job.num_pes); };
    auto const is_member = [&](std::uint32_t pe) {
        return std::binary_search(job.members.begin(), job.members.end(), PeId{pe});
    };
    for (std::uint32_t pe = 0; pe < job.num_pes; ++pe) {
        if (is_member(pe)) continue;
        for (auto block = own(pe).first; block < own(pe).last; block = advance(block, 1)) {
            taken_over[next].push_back({block, advance(block, 1)});
            next = (next + 17) % taken_over.size();
        }
    }
    std::size_t member = 0;
    for (std::uint32_t pe = 0; pe < job.num_pes; ++pe) {
        if (is_member(pe)) {
            wanted.push_value(own(pe));
            for (auto const& range : taken_over[member++]) wanted.push_value(range);
        }
        wanted.end_row();
    }
    return wanted;
}

/// Only the survivors' parts of what the dead submitted.
Csr<BlockRange> blocks_of_the_dead(Job const& job) {
    auto const all = rollback(job);
    Csr<BlockRange> wanted;
    for (std::size_t pe = 0; pe < all.size(); ++pe) {
        auto const row = all[pe];
        wanted.push_row(row.empty() ? row : row.subspan(1));
    }
    return wanted;
}

/// Whether this PE gets all that it wants, and some of those that send to it or get from it see that alike.
bool fits_together(schedule::LocalSenders const& senders, Job const& job, CsrView<BlockRange> wanted, PeId self) {
    std::uint64_t blocks = 0;
    for (auto const& range : wanted[value(self)]) blocks += range.size();
    for (auto const* transfers : {&senders.in, &senders.local}) {
        for (auto const& transfer : *transfers) blocks -= transfer.blocks.size();
    }
    for (auto const& range : senders.lost) blocks -= range.size();
    if (blocks != 0) return false;
    using Transfers = std::vector<schedule::RangeTransfer>;
    auto const with = [](Transfers const& transfers, PeId sender, PeId receiver) {
        Transfers some;
        for (auto const& transfer : transfers) {
            if (transfer.sender == sender && transfer.receiver == receiver) some.push_back(transfer);
        }
        return some;
    };
    for (std::size_t i = 0; i < 4 && i < senders.in.size() && i < senders.out.size(); ++i) {
        auto const sender = senders.in[i].sender;
        auto const receiver = senders.out[i].receiver;
        auto const there = load::senders_alone(job.directory, job.sizes, sender, wanted);
        if (with(there.out, sender, self) != with(senders.in, sender, self)) return false;
        auto const here = load::senders_alone(job.directory, job.sizes, receiver, wanted);
        if (with(here.in, self, receiver) != with(senders.out, self, receiver)) return false;
    }
    return true;
}

/// What the busiest sender sends, over the mean, by the local rule.
double busiest_over_mean(Job const& job, CsrView<BlockRange> wanted) {
    std::vector<std::uint64_t> sent(job.num_pes, 0);
    for (auto const pe : job.members) {
        for (auto const& range : wanted[value(pe)]) {
            job.directory.visit(range, [&](placement::Run const& run) {
                if (run.holders.empty() || std::binary_search(run.holders.begin(), run.holders.end(), pe)) return;
                schedule::divide_locally(
                    {run.blocks, pe}, run.holders, job.sizes, {},
                    [&](BlockRange part, PeId sender) { sent[value(sender)] += job.sizes.bytes(part); });
            });
        }
    }
    auto const all = std::accumulate(sent.begin(), sent.end(), std::uint64_t{0});
    return static_cast<double>(*std::max_element(sent.begin(), sent.end())) * static_cast<double>(job.members.size()) /
           static_cast<double>(all);
}

/// Arguments: number of PEs, number of dead PEs.
void run_local_load(benchmark::State& state) {
    Job const job(permuted, static_cast<std::uint32_t>(state.range(0)), state.range(1));
    auto const wanted = rollback(job);
    auto const self = job.members[job.members.size() / 2];
    schedule::LocalSenders senders;
    auto const peak =
        bench::peak_during([&] { senders = load::senders_alone(job.directory, job.sizes, self, wanted); });
    if (!fits_together(senders, job, wanted, self)) state.SkipWithError("both ends do not see the same");
    for (auto _ : state) {
        senders = load::senders_alone(job.directory, job.sizes, self, wanted);
        benchmark::DoNotOptimize(senders.in.data());
    }
    state.counters["peak_bytes"] = static_cast<double>(peak);
    if (job.num_pes <= 100'000) state.counters["busiest_over_mean"] = busiest_over_mean(job, wanted);
}

/// What a plan for all needs: the requests of all PEs, in runs.
struct Requests {
    std::vector<schedule::RangeRequest> requests;
    Csr<PeId> holders;
};

Requests requests_of(Job const& job, CsrView<BlockRange> wanted) {
    Requests result;
    for (auto const pe : job.members) {
        for (auto const& range : wanted[value(pe)]) {
            job.directory.visit(range, [&](placement::Run const& run) {
                result.requests.push_back({run.blocks, pe});
                result.holders.push_row(run.holders);
            });
        }
    }
    return result;
}

using Wants = Csr<BlockRange> (*)(Job const& job);

/// Arguments: number of PEs, number of dead PEs.
void run_global_load(benchmark::State& state, Wants wants) {
    Job const job(permuted, static_cast<std::uint32_t>(state.range(0)), state.range(1));
    auto const wanted = wants(job);
    schedule::RangeSenders senders;
    auto const plan = [&] {
        auto const [requests, holders] = requests_of(job, wanted);
        senders = schedule::choose_range_senders(requests, holders, job.sizes);
    };
    auto const peak = bench::peak_during(plan);
    auto const [requests, holders] = requests_of(job, wanted);
    if (!schedule::is_valid(senders, requests, holders, job.sizes)) state.SkipWithError("not a choice of senders");
    for (auto _ : state) plan();
    state.counters["peak_bytes"] = static_cast<double>(peak);
    std::uint64_t all = 0;
    for (auto const& transfer : senders.transfers) all += job.sizes.bytes(transfer.blocks);
    state.counters["busiest_over_mean"] =
        static_cast<double>(senders.most_sent) * static_cast<double>(job.members.size()) / static_cast<double>(all);
}

/// Arguments: number of PEs, number of PEs that die at once.
void run_retain(benchmark::State& state) {
    Job const before(permuted, static_cast<std::uint32_t>(state.range(0)), 0);
    auto const survivors = survivors_of(before.num_pes, state.range(1));
    auto directory = before.directory;
    auto const peak = bench::peak_during([&] { directory.retain(survivors); });
    if (!directory.retains_only(survivors)) state.SkipWithError("not all of the dead are forgotten");
    for (auto _ : state) {
        state.PauseTiming();
        directory = before.directory;
        state.ResumeTiming();
        directory.retain(survivors);
    }
    state.counters["peak_bytes"] = static_cast<double>(peak);
}

/// Arguments: number of PEs, number of dead PEs. 1,000 sites for each, a partition for every ten.
void run_reassign(benchmark::State& state) {
    auto const num_pes = static_cast<std::uint32_t>(state.range(0));
    std::vector<std::uint64_t> begin;
    for (std::uint64_t q = 0; q <= num_pes / 10; ++q) begin.push_back(q * 10'000);
    auto const before = assign::balance(begin, num_pes);
    auto const survivors = survivors_of(num_pes, state.range(1));
    assign::Reassignment next;
    auto const peak = bench::peak_during([&] { next = assign::reassign(before, survivors); });
    if (!assign::covers_once(next.after, begin)) state.SkipWithError("not every site is on one PE");
    for (auto _ : state) {
        next = assign::reassign(before, survivors);
        benchmark::DoNotOptimize(next.new_pairs);
    }
    state.counters["peak_bytes"] = static_cast<double>(peak);
}

/// Arguments: number of PEs, number of dead PEs. 8 pieces of data, 2 of parity.
void run_erasure_plan(benchmark::State& state) {
    auto const num_pes = static_cast<std::uint32_t>(state.range(0));
    BlockSizes const sizes(blocks_per_pe * num_pes, block_bytes);
    Csr<BlockRange> own;
    for (std::uint32_t pe = 0; pe < num_pes; ++pe) {
        own.push_value(even_part<BlockId>(sizes.num_blocks(), pe, num_pes));
        own.end_row();
    }
    erasure::Holdings holdings(erasure::Layout(erasure::Code(8, 2), sizes, own), first_pes(num_pes));
    holdings.retain(survivors_of(num_pes, state.range(1)));
    constexpr std::uint64_t most_bytes = 1 << 20;
    erasure::Repair plan;
    auto const peak = bench::peak_during([&] { plan = erasure::plan_repair(holdings, {}, most_bytes); });
    auto const num_pieces = static_cast<std::uint64_t>(state.range(1)) * 10;
    if (plan.moves.size() + plan.given_up.size() < num_pieces) state.SkipWithError("not all pieces are restored");
    for (auto _ : state) {
        plan = erasure::plan_repair(holdings, {}, most_bytes);
        benchmark::DoNotOptimize(plan.moves.data());
    }
    state.counters["peak_bytes"] = static_cast<double>(peak);
}

/// Arguments: number of PEs, number of dead PEs. What a PE does to learn which are left when a communicator has shrunk:
/// the ids of all members have come by a message, as many bytes as the counter says.
void run_members(benchmark::State& state) {
    auto const before = first_pes(static_cast<std::uint32_t>(state.range(0)));
    auto const alive = survivors_of(static_cast<std::uint32_t>(state.range(0)), state.range(1));
    std::vector<PeId> lost;
    bool known = true;
    auto const compare = [&] {
        known = std::includes(before.begin(), before.end(), alive.begin(), alive.end());
        benchmark::DoNotOptimize(hash(std::as_bytes(std::span(alive))));
        lost.clear();
        std::set_difference(before.begin(), before.end(), alive.begin(), alive.end(), std::back_inserter(lost));
    };
    auto const peak = bench::peak_during(compare);
    if (!known || lost.size() != static_cast<std::size_t>(state.range(1))) state.SkipWithError("others are left");
    for (auto _ : state) compare();
    state.counters["peak_bytes"] = static_cast<double>(peak);
    state.counters["bytes_gathered"] = static_cast<double>(alive.size() * sizeof(PeId));
}

std::vector<exchange::Message> loads_of_the_dead(Job const& job) {
    auto const [requests, holders] = requests_of(job, blocks_of_the_dead(job));
    std::map<std::pair<PeId, PeId>, exchange::Message> pairs;
    for (auto const& transfer : schedule::choose_range_senders(requests, holders, job.sizes).transfers) {
        auto& message = pairs[{transfer.sender, transfer.receiver}];
        message.sender = value(transfer.sender);
        message.receiver = value(transfer.receiver);
        message.bytes += job.sizes.bytes(transfer.blocks);
        ++message.pieces;
    }
    std::vector<exchange::Message> messages;
    for (auto const& [pair, message] : pairs) messages.push_back(message);
    return messages;
}

std::vector<exchange::Message> one_pair(Job const& job) {
    return {{0, value(job.members.back()), std::uint64_t{1} << 30, 1}};
}

using Messages = std::vector<exchange::Message> (*)(Job const& job);

/// Arguments: number of PEs, number of dead PEs. How many collective calls carry the messages, and what each of them
/// can carry.
void run_calls(benchmark::State& state, Messages messages_of) {
    Job const job(permuted, static_cast<std::uint32_t>(state.range(0)), state.range(1));
    auto const messages = messages_of(job);
    exchange::Effort effort;
    auto const count = [&] { effort = exchange::effort_of(messages, job.num_pes, {}); };
    auto const peak = bench::peak_during(count);
    std::uint64_t longest = 0;
    for (auto const& message : messages) longest = std::max(longest, message.bytes);
    if (effort.calls == 0 || effort.calls > 1 + longest / 4096) state.SkipWithError("not a number of calls");
    for (auto _ : state) count();
    state.counters["peak_bytes"] = static_cast<double>(peak);
    state.counters["calls"] = static_cast<double>(effort.calls);
    state.counters["partners"] = static_cast<double>(effort.partners);
    state.counters["longest_message"] = static_cast<double>(longest);
}

}  // namespace

int main(int argc, char** argv) {
    auto* const end = std::remove_if(argv + 1, argv + argc, [](std::string_view arg) { return arg == "--short"; });
    bool const is_short = end != argv + argc;
    argc = static_cast<int>(end - argv);
    std::vector<std::int64_t> sizes{1000, 10'000};
    if (!is_short) sizes.insert(sizes.end(), {100'000, 1'000'000});

    struct Named {
        char const* name;
        MakePlacement make;
    };
    for (auto const& [name, make] : {Named{"permuted", permuted}, Named{"pairwise", pairwise}, Named{"mod_k", mod_k},
                                     Named{"node_aware", node_aware}}) {
        auto* const bench =
            benchmark::RegisterBenchmark(("repair_plan/" + std::string(name)).c_str(), run_repair_plan, make);
        bench->ArgNames({"pes", "dead"})->Unit(benchmark::kMillisecond);
        for (auto const num_pes : sizes) {
            bench->Args({num_pes, 1});
            if (num_pes >= 10'000) bench->Args({num_pes, 1000});
        }
    }
    auto* const local = benchmark::RegisterBenchmark("load_locally/rollback", run_local_load);
    auto* const global = benchmark::RegisterBenchmark("choose_range_senders/rollback", run_global_load, rollback);
    auto* const few =
        benchmark::RegisterBenchmark("choose_range_senders/of_the_dead", run_global_load, blocks_of_the_dead);
    auto* const retain = benchmark::RegisterBenchmark("directory_retain/permuted", run_retain);
    auto* const reassign = benchmark::RegisterBenchmark("reassign/sites", run_reassign);
    auto* const erasure = benchmark::RegisterBenchmark("erasure_plan/8_2", run_erasure_plan);
    auto* const members = benchmark::RegisterBenchmark("members/after_shrink", run_members);
    auto* const calls = benchmark::RegisterBenchmark("collective_calls/of_the_dead", run_calls, loads_of_the_dead);
    auto* const pair = benchmark::RegisterBenchmark("collective_calls/pair_of_1_GiB", run_calls, one_pair);
    for (auto* const bench : {local, global, few, retain, reassign, erasure, members, calls, pair}) {
        bool const all_alive = bench == local || bench == global;
        bench->ArgNames({"pes", "dead"})->Unit(benchmark::kMillisecond);
        for (auto const num_pes : sizes) {
            if (bench == global && num_pes > 10'000) break;  // takes a minute and more
            bench->Args({num_pes, all_alive ? 0 : 1});
            if (num_pes >= 10'000) bench->Args({num_pes, 1000});
        }
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::AddCustomContext("clock", "cpu_time");
    benchmark::AddCustomContext("unit", "PEs");
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
