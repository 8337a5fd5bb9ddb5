// What one rank computes when ranks die, by the number of ranks: what of it grows with the machine although few died.
// --short: up to 10,000 ranks.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "heap_meter.hpp"
#include "regraft/core/random.hpp"
#include "regraft/placement/directory.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/node_aware.hpp"
#include "regraft/placement/pairwise.hpp"
#include "regraft/placement/permuted.hpp"
#include "regraft/repair/plan.hpp"

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

/// All but so many, drawn by a fixed seed; never PE 0.
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

/// A job in which some died.
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

/// Arguments: PEs, of which so many died.
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
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
