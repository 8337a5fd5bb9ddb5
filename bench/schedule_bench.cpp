// Rounds of an h-relation: the colouring alone, beside greedy first-fit, and the whole plan. --large adds ten million
// edges. --write-edges=FOLDER only writes what peers in Python are measured on: FAMILY_EDGES_PES, two uint32 per edge.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <span>
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

/// Loads are equal on both sides, as an optimal choice of senders leaves them.
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

/// Each sender has eight partners.
Edges block(std::size_t num_edges, std::uint32_t num_pes, Random& random) {
    Edges edges(num_edges);
    for (auto& edge : edges) {
        auto const sender = draw(random, num_pes);
        edge = {sender, static_cast<std::uint32_t>((sender * 7ULL + random.below(8) * 131 + 1) % num_pes)};
    }
    return edges;
}

struct Family {
    char const* name;
    Edges (*draw)(std::size_t, std::uint32_t, Random&);
};
constexpr Family families[] = {
    {"balanced", balanced}, {"random", uniform}, {"hot_receiver", hot_receiver}, {"zipf", zipf}, {"block", block}};

Edges instance_of(Family const& family, std::int64_t num_edges, std::int64_t num_pes) {
    Random random(1);
    return family.draw(static_cast<std::size_t>(num_edges), static_cast<std::uint32_t>(num_pes), random);
}

/// The rounds in which a PE sends, or receives, as bits.
class Busy {
public:
    std::uint64_t word(std::size_t i) const { return i < words_.size() ? words_[i] : 0; }
    /// All words before it are full.
    std::size_t first() const { return first_; }

    void add(std::uint32_t round) {
        if (words_.size() <= round / 64) words_.resize(round / 64 + 1);
        words_[round / 64] |= std::uint64_t{1} << round % 64;
        while (first_ < words_.size() && words_[first_] == ~std::uint64_t{0}) ++first_;
    }

private:
    std::vector<std::uint64_t> words_;
    std::size_t first_ = 0;
};

/// Each edge gets the first round in which both its PEs are free; at most 2 Delta - 1 rounds.
std::vector<std::uint32_t> first_fit(std::span<Edge const> edges) {
    std::uint32_t num_pes = 0;
    for (auto const& edge : edges) num_pes = std::max({num_pes, edge.left + 1, edge.right + 1});
    std::vector<Busy> sends(num_pes);
    std::vector<Busy> receives(num_pes);
    std::vector<std::uint32_t> round_of;
    round_of.reserve(edges.size());
    for (auto const& [left, right] : edges) {
        auto& sender = sends[left];
        auto& receiver = receives[right];
        auto i = std::max(sender.first(), receiver.first());
        while ((sender.word(i) | receiver.word(i)) == ~std::uint64_t{0}) ++i;
        auto const round = static_cast<std::uint32_t>(i * 64) +
                           static_cast<std::uint32_t>(std::countr_one(sender.word(i) | receiver.word(i)));
        sender.add(round);
        receiver.add(round);
        round_of.push_back(round);
    }
    return round_of;
}

using Colour = std::vector<std::uint32_t> (*)(std::span<Edge const>);

struct Algorithm {
    Colour colour;
    std::uint32_t (*most_rounds)(std::uint32_t degree);
};
constexpr Algorithm exact{schedule::colour_edges, [](std::uint32_t degree) { return degree; }};
constexpr Algorithm greedy{first_fit, [](std::uint32_t degree) { return degree == 0 ? 0 : 2 * degree - 1; }};

/// Arguments: edges, PEs, threads. Instances and their check are kept for the next number of threads.
void run_colouring(benchmark::State& state, Algorithm algorithm, Family family) {
    static struct {
        Colour colour = nullptr;
        char const* family = nullptr;
        std::int64_t num_edges = 0;
        std::int64_t num_pes = 0;
        Edges edges;
        std::uint32_t degree = 0;
        std::size_t memory = 0;
        bool is_right = false;
    } instance;
    use_threads(state.range(2));
    if (instance.colour != algorithm.colour || instance.family != family.name || instance.num_edges != state.range(0) ||
        instance.num_pes != state.range(1)) {
        instance.colour = algorithm.colour;
        instance.family = family.name;
        instance.num_edges = state.range(0);
        instance.num_pes = state.range(1);
        instance.edges = instance_of(family, state.range(0), state.range(1));
        instance.degree = schedule::largest_degree(instance.edges);
        std::vector<std::uint32_t> colours;
        instance.memory = bench::peak_during([&] { colours = algorithm.colour(instance.edges); });
        instance.is_right =
            schedule::is_proper_colouring(instance.edges, colours, algorithm.most_rounds(instance.degree));
    }
    if (!instance.is_right) state.SkipWithError("twice the same PE in a round, or more rounds than it may have");
    std::vector<std::uint32_t> colours;
    for (auto _ : state) {
        colours = algorithm.colour(instance.edges);
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

// Instances on which peers are measured: with 1e6 edges rustworkx takes more than a minute.
std::vector<std::int64_t> const peer_sizes{10'000, 100'000};
constexpr std::int64_t peer_pes = 1000;

/// Whether all files could be written.
bool write_edges(std::filesystem::path const& folder) {
    for (auto const& family : families) {
        for (auto const num_edges : peer_sizes) {
            auto const edges = instance_of(family, num_edges, peer_pes);
            auto const bytes = std::as_bytes(std::span(edges));
            auto const name =
                std::string(family.name) + "_" + std::to_string(num_edges) + "_" + std::to_string(peer_pes);
            std::ofstream file(folder / name, std::ios::binary);
            file.write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
            if (!file.flush()) return false;
        }
    }
    return true;
}

void register_all(bool large) {
    std::vector<std::int64_t> sizes{10'000, 100'000, 1'000'000};
    std::vector<std::int64_t> request_sizes{10'000, 1'000'000};
    if (large) sizes.push_back(10'000'000);
    if (large) request_sizes.push_back(10'000'000);

    for (auto const& family : families) {
        add_sizes(benchmark::RegisterBenchmark((std::string("colour_edges/") + family.name).c_str(), run_colouring,
                                               exact, family),
                  "edges", sizes, {1000, 24'576, 100'000});
        benchmark::RegisterBenchmark((std::string("first_fit/") + family.name).c_str(), run_colouring, greedy, family)
            ->ArgNames({"edges", "pes", "threads"})
            ->Unit(benchmark::kMillisecond)
            ->ArgsProduct({peer_sizes, {peer_pes}, {1}});
    }
    using schedule::Messages;
    add_sizes(benchmark::RegisterBenchmark("choose_senders", run_choose_senders), "requests", request_sizes,
              {1000, 100'000});
    add_sizes(benchmark::RegisterBenchmark("h_relation/per_block", run_h_relation, Messages::per_block), "requests",
              request_sizes, {1000, 100'000});
    add_sizes(benchmark::RegisterBenchmark("h_relation/bundled", run_h_relation, Messages::bundled), "requests",
              request_sizes, {1000, 100'000});
}

}  // namespace

int main(int argc, char** argv) {
    std::string_view constexpr write = "--write-edges=";
    if (argc == 2 && std::string_view(argv[1]).starts_with(write)) {
        if (write_edges(argv[1] + write.size())) return 0;
        std::fprintf(stderr, "cannot write into %s\n", argv[1] + write.size());
        return 1;
    }
    auto* const end = std::remove_if(argv + 1, argv + argc, [](std::string_view arg) { return arg == "--large"; });
    bool const large = end != argv + argc;
    argc = static_cast<int>(end - argv);
    register_all(large);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    // For the summary and the plot.
    benchmark::AddCustomContext("unit", "edges");
    benchmark::AddCustomContext("subject", "colour_edges");
    benchmark::AddCustomContext("labels", "first_fit=first-fit");
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
