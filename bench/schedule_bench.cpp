// Rounds of an h-relation: the colouring alone, and the whole plan. --large adds ten million edges.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "heap_meter.hpp"
#include "regraft/core/random.hpp"
#include "regraft/schedule/edge_colouring.hpp"
#include "regraft/schedule/h_relation.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace {

using namespace regraft;
using schedule::Edge;
using Edges = std::vector<Edge>;

void use_threads(std::int64_t number) {
#ifdef _OPENMP
    omp_set_num_threads(static_cast<int>(number));
#else
    (void)number;
#endif
}

std::uint32_t draw(Random& random, std::uint32_t n) {
    return static_cast<std::uint32_t>(random.below(n));
}

/// Equal loads on both sides, as an optimal choice of senders leaves them.
Edges balanced(std::size_t num_edges, std::uint32_t num_pes, Random& random) {
    std::vector<std::uint32_t> sender(num_edges);
    for (std::size_t e = 0; e < num_edges; ++e) sender[e] = static_cast<std::uint32_t>(e % num_pes);
    shuffle(std::span(sender), random);
    Edges edges(num_edges);
    auto const per_receiver = (num_edges + num_pes - 1) / num_pes;
    for (std::size_t e = 0; e < num_edges; ++e) edges[e] = {sender[e], static_cast<std::uint32_t>(e / per_receiver)};
    return edges;
}

Edges uniform(std::size_t num_edges, std::uint32_t num_pes, Random& random) {
    Edges edges(num_edges);
    for (auto& edge : edges) edge = {draw(random, num_pes), draw(random, num_pes)};
    return edges;
}

/// One PE in a hundred receives a quarter of everything.
Edges hot_receiver(std::size_t num_edges, std::uint32_t num_pes, Random& random) {
    Edges edges(num_edges);
    std::uint32_t sender = 0;
    for (auto& edge : edges) {
        auto const receivers = random.below(4) == 0 ? std::max(num_pes / 100, 1U) : num_pes;
        edge = {sender, draw(random, receivers)};
        sender = sender + 1 == num_pes ? 0 : sender + 1;
    }
    return edges;
}

/// PE i receives about 1 / (i + 1) as much as PE 0.
Edges zipf(std::size_t num_edges, std::uint32_t num_pes, Random& random) {
    Edges edges(num_edges);
    for (auto& edge : edges) {
        auto const receiver = std::pow(static_cast<double>(num_pes) + 1, random.unit());
        edge = {draw(random, num_pes), std::min(static_cast<std::uint32_t>(receiver), num_pes) - 1};
    }
    return edges;
}

/// Eight partners per sender.
Edges block(std::size_t num_edges, std::uint32_t num_pes, Random& random) {
    Edges edges(num_edges);
    for (auto& edge : edges) {
        auto const sender = draw(random, num_pes);
        edge = {sender, static_cast<std::uint32_t>((sender * 7ULL + random.below(8) * 131 + 1) % num_pes)};
    }
    return edges;
}

using Family = Edges (*)(std::size_t, std::uint32_t, Random&);

/// Arguments: edges, PEs, threads. Instances and their check are kept for the next number of threads.
void run_colour_edges(benchmark::State& state, Family family) {
    static struct {
        Family family = nullptr;
        std::int64_t num_edges = 0;
        std::int64_t num_pes = 0;
        Edges edges;
        std::uint32_t degree = 0;
        std::size_t memory = 0;
        bool is_right = false;
    } instance;
    use_threads(state.range(2));
    if (instance.family != family || instance.num_edges != state.range(0) || instance.num_pes != state.range(1)) {
        Random random(1);
        instance.family = family;
        instance.num_edges = state.range(0);
        instance.num_pes = state.range(1);
        instance.edges =
            family(static_cast<std::size_t>(state.range(0)), static_cast<std::uint32_t>(state.range(1)), random);
        instance.degree = schedule::largest_degree(instance.edges);
        std::vector<std::uint32_t> colours;
        instance.memory = bench::peak_during([&] { colours = schedule::colour_edges(instance.edges); });
        instance.is_right = schedule::is_proper_colouring(instance.edges, colours, instance.degree);
    }
    if (!instance.is_right) state.SkipWithError("not a colouring with as many colours as the largest degree");
    std::vector<std::uint32_t> colours;
    for (auto _ : state) {
        colours = schedule::colour_edges(instance.edges);
        benchmark::DoNotOptimize(colours.data());
    }
    state.counters["Delta"] = instance.degree;
    state.counters["rounds"] = colours.empty() ? 0 : *std::max_element(colours.begin(), colours.end()) + 1;
    state.counters["bytes_per_edge"] = static_cast<double>(instance.memory) / static_cast<double>(state.range(0));
}

struct Wanted {
    std::vector<schedule::Request> requests;
    Csr<PeId> holders;
};

/// Every block is wanted by a random PE and held by three others.
Wanted redrawn(std::size_t num_requests, std::uint32_t num_pes) {
    Random random(2);
    Wanted wanted;
    for (std::size_t i = 0; i < num_requests; ++i) {
        wanted.requests.push_back({BlockId{i}, PeId{draw(random, num_pes)}});
        for (int copy = 0; copy < 3; ++copy) wanted.holders.push_value(PeId{draw(random, num_pes)});
        wanted.holders.end_row();
    }
    return wanted;
}

Wanted const& kept_redrawn(std::int64_t num_requests, std::int64_t num_pes) {
    static struct {
        std::int64_t num_requests = 0;
        std::int64_t num_pes = 0;
        Wanted wanted;
    } kept;
    if (kept.num_requests != num_requests || kept.num_pes != num_pes) {
        kept = {num_requests, num_pes,
                redrawn(static_cast<std::size_t>(num_requests), static_cast<std::uint32_t>(num_pes))};
    }
    return kept.wanted;
}

/// Arguments: requests, PEs, threads.
void run_h_relation(benchmark::State& state, schedule::Messages messages) {
    auto const& [requests, holders] = kept_redrawn(state.range(0), state.range(1));
    schedule::Options const options{.messages = messages};
    use_threads(state.range(2));
    if (!schedule::is_valid(schedule::h_relation(requests, holders, options), requests, holders, options)) {
        state.SkipWithError("not a plan");
    }
    schedule::HRelation plan;
    for (auto _ : state) plan = schedule::h_relation(requests, holders, options);
    state.counters["b"] = plan.b;
    state.counters["rounds"] = plan.h;
}

void run_choose_senders(benchmark::State& state) {
    auto const& [requests, holders] = kept_redrawn(state.range(0), state.range(1));
    use_threads(state.range(2));
    if (!schedule::is_valid(schedule::choose_senders(requests, holders), requests, holders)) {
        state.SkipWithError("not a choice of senders");
    }
    schedule::Senders senders;
    for (auto _ : state) senders = schedule::choose_senders(requests, holders);
    state.counters["b"] = senders.b;
    state.counters["r"] = senders.r;
}

std::vector<std::int64_t> threads() {
#ifdef _OPENMP
    return {1, 2};
#else
    return {1};
#endif
}

void add_sizes(benchmark::internal::Benchmark* bench, char const* unit, std::vector<std::int64_t> const& sizes,
               std::vector<std::int64_t> const& num_pes) {
    bench->ArgNames({unit, "pes", "threads"})->Unit(benchmark::kMillisecond);
    bench->ArgsProduct({sizes, num_pes, threads()});
}

}  // namespace

int main(int argc, char** argv) {
    auto* const end = std::remove_if(argv + 1, argv + argc, [](std::string_view arg) { return arg == "--large"; });
    bool const large = end != argv + argc;
    argc = static_cast<int>(end - argv);
    std::vector<std::int64_t> sizes{10'000, 100'000, 1'000'000};
    std::vector<std::int64_t> request_sizes{10'000, 1'000'000};
    if (large) sizes.push_back(10'000'000);
    if (large) request_sizes.push_back(10'000'000);

    struct Named {
        char const* name;
        Family family;
    };
    for (auto const& [name, family] : {Named{"balanced", balanced},
                                       {"random", uniform},
                                       {"hot_receiver", hot_receiver},
                                       {"zipf", zipf},
                                       {"block", block}}) {
        auto* const bench =
            benchmark::RegisterBenchmark(("colour_edges/" + std::string(name)).c_str(), run_colour_edges, family);
        add_sizes(bench, "edges", sizes, {1000, 24'576, 100'000});
    }
    using schedule::Messages;
    add_sizes(benchmark::RegisterBenchmark("choose_senders", run_choose_senders), "requests", request_sizes,
              {1000, 100'000});
    add_sizes(benchmark::RegisterBenchmark("h_relation/per_block", run_h_relation, Messages::per_block), "requests",
              request_sizes, {1000, 100'000});
    add_sizes(benchmark::RegisterBenchmark("h_relation/bundled", run_h_relation, Messages::bundled), "requests",
              request_sizes, {1000, 100'000});
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
