// min_b_matching beside its peers, family by family: a fresh one, one with used memory, one that knows which blocks
// have the same holders; Huebner's Algorithm 11; and maximum flows of LEMON and Boost, galloping on b from the lower
// bound. For the flows only the solving is timed, not the building of the network, and only the value of the flow is
// computed. Every answer is checked before it is timed. A peer that needs more than --limit=SECONDS (10) of CPU time is
// reported as not finished, and is not tried on more blocks.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heap_meter.hpp"
#include "regraft/core/random.hpp"
#include "regraft/matching/b_matching.hpp"
#include "regraft/matching/ford_fulkerson.hpp"
#include "regraft/matching/shares.hpp"
#include "support/plans/flow_oracle.hpp"
#ifdef REGRAFT_HAS_LEMON
#include "support/plans/lemon_oracle.hpp"
#endif
#include "support/plans/matching_instances.hpp"

namespace {

using namespace regraft;

using bench::heap;
using bench::peak_during;

// --- instances

struct Task {
    test::InstanceFamily family;
    std::uint32_t num_left = 0;
    std::uint32_t num_right = 0;
    friend bool operator==(Task const& a, Task const& b) {
        return a.family.name == b.family.name && a.num_left == b.num_left && a.num_right == b.num_right;
    }
};

bool certified(test::Instance const& instance, matching::BMatching const& m) {
    return matching::is_b_matching(instance.graph, instance.num_right, m) &&
           matching::hall_bound(instance.graph, instance.num_right, m.hall_set) == m.b;
}

struct Problem {
    explicit Problem(Task const& t)
        : task(t),
          instance(t.family.make({t.num_left, t.num_right})),
          best(matching::min_b_matching(instance.graph, instance.num_right)),
          solved(certified(instance, best)) {}

    Task task;
    test::Instance instance;
    matching::BMatching best;
    bool solved;
};

/// Instances are made once for all algorithms and repetitions that follow each other.
Problem const& problem(Task const& task) {
    static std::unique_ptr<Problem> latest;
    if (latest == nullptr || latest->task != task) {
        latest.reset();
        latest = std::make_unique<Problem>(task);
    }
    return *latest;
}

void count(benchmark::State& state, Problem const& p) {
    auto const blocks = static_cast<double>(p.instance.graph.size());
    state.counters["b"] = p.best.b;
    state.counters["lower_bound"] = p.best.lower_bound;
    state.counters["edges"] = static_cast<double>(p.instance.graph.values.size());
    state.counters["s_per_block"] =
        benchmark::Counter(blocks, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// --- ours

void run_min_b_matching(benchmark::State& state, Task const& task) {
    auto const& p = problem(task);
    if (!p.solved) return state.SkipWithError("not a matching, or not proved");
    auto const& graph = p.instance.graph;
    auto const num_right = p.instance.num_right;
    auto const bytes = peak_during([&] { benchmark::DoNotOptimize(matching::min_b_matching(graph, num_right).b); });
    for (auto _ : state) benchmark::DoNotOptimize(matching::min_b_matching(graph, num_right).b);
    count(state, p);
    state.counters["bytes_per_block"] = static_cast<double>(bytes) / static_cast<double>(graph.size());
}

void run_b_matcher(benchmark::State& state, Task const& task) {
    auto const& p = problem(task);
    auto const& [graph, num_right] = p.instance;
    matching::BMatcher matcher;
    matcher.solve(graph, num_right);
    auto const before = heap().allocations;
    if (matcher.solve(graph, num_right).right_of != p.best.right_of) return state.SkipWithError("another answer");
    auto const allocations = heap().allocations - before;
    for (auto _ : state) benchmark::DoNotOptimize(matcher.solve(graph, num_right).b);
    count(state, p);
    state.counters["allocations"] = static_cast<double>(allocations);
}

/// Blocks with the same holders, as one left vertex with units.
struct Groups {
    Csr<std::uint32_t> rows;
    std::vector<std::uint64_t> units;
    /// The blocks, group by group.
    std::vector<std::uint32_t> members;
};

Groups group(CsrView<std::uint32_t> graph) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> by_hash(graph.size());
    for (std::uint32_t x = 0; x < graph.size(); ++x) {
        by_hash[x] = {1, x};
        for (auto const v : graph[x]) by_hash[x].first = mix(by_hash[x].first * 31 + v);
    }
    std::sort(by_hash.begin(), by_hash.end());
    Groups groups;
    groups.members.reserve(graph.size());
    for (auto const& [hash, x] : by_hash) {
        auto const last = groups.rows.size();
        auto const row = graph[x];
        if (last == 0 || !std::ranges::equal(std::as_const(groups.rows)[last - 1], row)) {
            groups.rows.push_row(row);
            groups.units.push_back(0);
        }
        ++groups.units.back();
        groups.members.push_back(x);
    }
    return groups;
}

/// Gives each block its sender. share: how many blocks of a group each of its PEs sends.
void expand(Groups const& groups, std::vector<std::uint64_t> const& share, std::span<std::uint32_t> right_of) {
    auto block = groups.members.begin();
    for (std::size_t g = 0; g < groups.rows.size(); ++g) {
        auto const end = block + static_cast<std::ptrdiff_t>(groups.units[g]);
        for (auto edge = groups.rows.offsets[g]; edge < groups.rows.offsets[g + 1]; ++edge) {
            for (auto i = share[edge]; i > 0; --i) right_of[*block++] = groups.rows.values[edge];
        }
        block = end;  // lost ones get no sender
    }
}

void run_min_b_shares(benchmark::State& state, Task const& task) {
    auto const& p = problem(task);
    auto const& graph = p.instance.graph;
    auto const num_right = p.instance.num_right;
    static Task latest;
    static Groups groups;
    if (latest != task) groups = group(graph);
    latest = task;
    matching::BMatching expanded;
    auto const solve = [&] {
        expanded.right_of.assign(graph.size(), matching::unmatched);
        auto const shares = matching::min_b_shares(groups.rows, groups.units, num_right);
        expand(groups, shares.share, expanded.right_of);
        expanded.b = static_cast<std::uint32_t>(shares.b);
    };
    solve();
    expanded.isolated = p.best.isolated;
    if (expanded.b != p.best.b || !is_b_matching(graph, num_right, expanded))
        return state.SkipWithError("another answer");
    for (auto _ : state) solve();
    count(state, p);
    state.counters["groups"] = static_cast<double>(groups.rows.size());
}

// --- peers

class AlgorithmEleven {
public:
    explicit AlgorithmEleven(Problem const& p) : instance_(p.instance) {}
    std::uint32_t solve() { return matching::ford_fulkerson_b_matching(instance_.graph, instance_.num_right).b; }

private:
    test::Instance const& instance_;
};

template <class Oracle>
class Flow {
public:
    explicit Flow(Problem const& p)
        : oracle_(p.instance.graph, p.instance.num_right), lower_bound_(p.best.lower_bound) {}
    std::uint32_t solve() { return oracle_.min_b(lower_bound_); }

private:
    Oracle oracle_;
    std::uint32_t lower_bound_;
};

double limit_seconds = 10;

enum class Outcome { right, wrong, unfinished };

/// Lets a child process solve the problem once, and kills it after the limit. The peers do not know how to stop.
template <class Peer>
Outcome attempt(Problem const& p) {
    auto const child = fork();
    if (child == 0) {
        Peer peer(p);
        itimerval timer{};
        timer.it_value.tv_sec = static_cast<time_t>(limit_seconds);
        timer.it_value.tv_usec =
            static_cast<suseconds_t>((limit_seconds - static_cast<double>(timer.it_value.tv_sec)) * 1e6);
        setitimer(ITIMER_PROF, &timer, nullptr);
        _exit(peer.solve() == p.best.b ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status)) return Outcome::unfinished;
    return WEXITSTATUS(status) == EXIT_SUCCESS ? Outcome::right : Outcome::wrong;
}

/// The reason not to time the peer on this task; empty: none. Tried once per task, and not at all if fewer blocks of
/// the family were too many.
template <class Peer>
std::string const& obstacle(Task const& task) {
    static std::map<std::pair<std::string_view, std::uint32_t>, std::string> known;
    auto const [entry, is_new] = known.try_emplace({task.family.name, task.num_left});
    if (!is_new) return entry->second;
    if (entry != known.begin()) {
        auto const& [key, text] = *std::prev(entry);
        if (key.first == task.family.name && !text.empty()) return entry->second = text;
    }
    auto const outcome = attempt<Peer>(problem(task));
    if (outcome == Outcome::wrong) entry->second = "another b";
    if (outcome == Outcome::unfinished) {
        entry->second = "did not finish " + std::to_string(task.num_left) + " blocks in " +
                        std::to_string(static_cast<int>(limit_seconds)) + " s";
    }
    return entry->second;
}

template <class Peer>
void run_peer(benchmark::State& state, Task const& task) {
    if (auto const& text = obstacle<Peer>(task); !text.empty()) return state.SkipWithError(text.c_str());
    auto const& p = problem(task);
    Peer peer(p);
    for (auto _ : state) benchmark::DoNotOptimize(peer.solve());
    count(state, p);
}

// --- what runs

struct Algorithm {
    std::string_view name;
    void (*run)(benchmark::State&, Task const&);
    /// Larger instances take too much memory.
    std::uint64_t max_edges = ~std::uint64_t{0};
    /// Measured only where many blocks have the same holders.
    bool (*suits)(std::string_view family) = [](std::string_view) { return true; };
};

bool has_few_groups(std::string_view family) {
    return family == "restore" || family == "redrawn" || family == "mod_k" || family == "chain" ||
           family == "cyclepair";
}

auto const algorithms = std::to_array<Algorithm>({
    {"min_b_matching", run_min_b_matching},
    {"BMatcher", run_b_matcher},
    {"min_b_shares", run_min_b_shares, ~std::uint64_t{0}, has_few_groups},
    {"ford_fulkerson", run_peer<AlgorithmEleven>},
#ifdef REGRAFT_HAS_LEMON
    {"lemon_preflow", run_peer<Flow<test::LemonOracle>>, 60'000'000},
#endif
    {"boost_push_relabel", run_peer<Flow<test::FlowOracle>>, 10'000'000},
});

/// Four sizes, of few blocks per PE and of many.
std::vector<Task> tasks(test::InstanceFamily family) {
    if (family.name == "dense") return {{family, 10'000, 1000}, {family, 100'000, 1000}, {family, 1'000'000, 100}};
    std::vector<Task> result;
    for (auto const& [num_left, num_right] : {std::pair{10'000U, 1000U}, std::pair{100'000U, 1000U},
                                              std::pair{1'000'000U, 24'576U}, std::pair{10'000'000U, 100'000U}}) {
        auto fitting = num_right;
        if (family.name == "chains") fitting = num_left;
        if (family.name == "cyclepair") fitting = num_left / 10;
        result.push_back({family, num_left, fitting});
    }
    return result;
}

std::uint64_t num_edges(Task const& task) {
    return std::uint64_t{task.num_left} * (task.family.name == "dense" ? task.num_right / 2 : 3);
}

void register_all() {
    for (auto const& family : test::instance_families) {
        for (auto const& task : tasks(family)) {
            for (auto const& algorithm : algorithms) {
                if (num_edges(task) > algorithm.max_edges || !algorithm.suits(family.name)) continue;
                auto const name = std::string(algorithm.name) + "/" + std::string(family.name);
                auto const run = [=](benchmark::State& state) { algorithm.run(state, task); };
                benchmark::RegisterBenchmark(name.c_str(), run)
                    ->ArgNames({"blocks", "pes"})
                    ->Args({task.num_left, task.num_right})
                    ->Unit(benchmark::kMillisecond);
            }
        }
    }
}

/// Takes --limit=SECONDS out of the arguments.
void parse_limit(int& argc, char** argv) {
    std::string_view constexpr flag = "--limit=";
    auto const end = std::remove_if(argv + 1, argv + argc, [&](char const* word) {
        if (!std::string_view(word).starts_with(flag)) return false;
        limit_seconds = std::max(0.001, std::atof(word + flag.size()));
        return true;
    });
    argc = static_cast<int>(end - argv);
    argv[argc] = nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    parse_limit(argc, argv);
    register_all();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    // The counters for the summary and the plot.
    benchmark::AddCustomContext("clock", "cpu_time");
    benchmark::AddCustomContext("unit", "blocks");
    benchmark::AddCustomContext("subject", "min_b_matching");
    benchmark::AddCustomContext("labels",
                                "BMatcher=used memory,min_b_shares=groups known,ford_fulkerson=Algorithm 11,"
                                "lemon_preflow=LEMON,boost_push_relabel=Boost");
    benchmark::AddCustomContext("not_in_time", "network building of LEMON and Boost; grouping of groups known");
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
