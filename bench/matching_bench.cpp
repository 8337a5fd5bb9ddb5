// min_b_matching beside Boost's push-relabel on what is left to send after failures.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "regraft/core/random.hpp"
#include "regraft/matching/b_matching.hpp"
#include "regraft/placement/mod_k.hpp"
#include "support/flow_oracle.hpp"

namespace {

using namespace regraft;

constexpr std::uint32_t replicas = 3;

struct Instance {
    Csr<std::uint32_t> graph;
    std::uint32_t num_right;
};

/// Mod-k placement, where one PE in ten died. Blocks may be lost.
Instance mod_k(std::uint64_t num_blocks, std::uint32_t num_pes) {
    Random random(1);
    std::vector<char> alive(num_pes);
    for (auto& flag : alive) flag = random.below(10) != 0 ? 1 : 0;
    placement::ModK const rule(num_blocks, num_pes, replicas);
    Instance instance{{}, num_pes};
    for (std::uint64_t b = 0; b < num_blocks; ++b) {
        for (std::uint32_t copy = 0; copy < rule.num_copies(BlockId{b}); ++copy) {
            auto const slot = value(rule.holder(BlockId{b}, copy));
            if (alive[slot] != 0) instance.graph.push_value(slot);
        }
        instance.graph.end_row();
    }
    return instance;
}

/// Holders that `draw` chooses anew for every block, as after many failures and repairs.
template <class Draw>
Instance drawn(std::uint64_t num_blocks, std::uint32_t num_pes, Draw draw) {
    Random random(2);
    Instance instance{{}, num_pes};
    for (std::uint64_t b = 0; b < num_blocks; ++b) {
        for (std::uint32_t copy = 0; copy < replicas; ++copy) instance.graph.push_value(draw(random, num_pes));
        instance.graph.end_row();
    }
    return instance;
}

Instance uniform(std::uint64_t num_blocks, std::uint32_t num_pes) {
    return drawn(num_blocks, num_pes,
                 [](Random& random, std::uint32_t n) { return static_cast<std::uint32_t>(random.below(n)); });
}

/// PE i holds about 1 / (i + 1) as much as PE 0.
Instance skewed(std::uint64_t num_blocks, std::uint32_t num_pes) {
    return drawn(num_blocks, num_pes, [](Random& random, std::uint32_t n) {
        return static_cast<std::uint32_t>(std::pow(static_cast<double>(n) + 1, random.unit())) - 1;
    });
}

/// Chains of 1, 2, 3, ... PEs, as many blocks as PEs: block i of a chain is on its PEs i and i + 1, the last one on its
/// first PE alone. So each chain takes an augmenting path through all of it, and no two are of the same length.
Instance chains(std::uint64_t num_blocks, std::uint32_t num_pes) {
    Instance instance{{}, num_pes};
    std::uint32_t first = 0;
    for (std::uint32_t length = 1; first + length <= std::min<std::uint64_t>(num_blocks, num_pes); ++length) {
        for (std::uint32_t i = first; i + 1 < first + length; ++i) {
            instance.graph.push_row(std::vector<std::uint32_t>{i, i + 1});
        }
        instance.graph.push_row(std::vector<std::uint32_t>{first, first});
        first += length;
    }
    return instance;
}

using Family = Instance (*)(std::uint64_t num_blocks, std::uint32_t num_pes);

Instance make(Family family, benchmark::State const& state) {
    return family(static_cast<std::uint64_t>(state.range(0)), static_cast<std::uint32_t>(state.range(1)));
}

void run_min_b_matching(benchmark::State& state, Family family) {
    auto const [graph, num_right] = make(family, state);
    auto const answer = matching::min_b_matching(graph, num_right);
    if (!matching::is_b_matching(graph, num_right, answer)) state.SkipWithError("not a matching");
    if (!matching::proves_lower_bound(graph, num_right, answer.hall_set, answer.b)) state.SkipWithError("not optimal");
    for (auto _ : state) benchmark::DoNotOptimize(matching::min_b_matching(graph, num_right).b);
    state.counters["b"] = answer.b;
    state.counters["lower_bound"] = answer.lower_bound;
}

/// Binary search on b, network built beforehand.
void run_push_relabel(benchmark::State& state, Family family) {
    auto const [graph, num_right] = make(family, state);
    auto const answer = matching::min_b_matching(graph, num_right);
    test::FlowOracle oracle(graph, num_right);
    if (oracle.min_b() != answer.b) state.SkipWithError("the two disagree");
    for (auto _ : state) benchmark::DoNotOptimize(oracle.min_b());
    state.counters["b"] = answer.b;
    state.counters["lower_bound"] = answer.lower_bound;
}

void add(std::string const& name, void (*run)(benchmark::State&, Family), Family family,
         std::vector<std::vector<std::int64_t>> const& sizes) {
    auto* const bench = benchmark::RegisterBenchmark(name.c_str(), run, family);
    bench->ArgNames({"blocks", "pes"})->Unit(benchmark::kMillisecond);
    for (auto const& size : sizes) bench->Args(size);
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::vector<std::int64_t>> const small{{1000, 100}, {10'000, 100}};
    std::vector<std::vector<std::int64_t>> const all{{1000, 100}, {10'000, 100}, {100'000, 1000}, {1'000'000, 1000}};
    add("min_b_matching/mod_k", run_min_b_matching, mod_k, all);
    add("min_b_matching/uniform", run_min_b_matching, uniform, all);
    add("min_b_matching/skewed", run_min_b_matching, skewed, all);
    add("min_b_matching/chains", run_min_b_matching, chains, {{1000, 1000}, {10'000, 10'000}, {100'000, 100'000}});
    add("push_relabel/mod_k", run_push_relabel, mod_k, small);
    add("push_relabel/uniform", run_push_relabel, uniform, small);
    add("push_relabel/skewed", run_push_relabel, skewed, small);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
