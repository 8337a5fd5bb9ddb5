// The PEs that take over from the dead: greedy, matching, the better of both, and a balance from scratch, over 20
// failures in a row. docs/mpi/reassignment.md reads the counters.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "regraft/assign/balance.hpp"
#include "regraft/assign/reassign.hpp"
#include "regraft/core/random.hpp"

namespace {

using namespace regraft;
using assign::Assignment;
using assign::Work;

constexpr std::uint64_t sites_per_pe = 1000;
constexpr int num_failures = 20;
constexpr std::uint64_t num_campaigns = 3;  // averaged

/// Exponentially distributed sizes, 1000 sites per PE on average.
std::vector<std::uint64_t> partitions(std::uint64_t num_partitions, std::uint64_t num_pes, Random& random) {
    auto const mean = static_cast<double>(num_pes * sites_per_pe) / static_cast<double>(num_partitions);
    std::vector<std::uint64_t> begin{0};
    for (std::uint64_t q = 0; q < num_partitions; ++q) {
        begin.push_back(begin.back() + 1 + static_cast<std::uint64_t>(-mean * std::log1p(-random.unit())));
    }
    return begin;
}

using Layout = Assignment (*)(std::vector<std::uint64_t> const& begin, std::uint32_t num_pes, Random& random);

Assignment contiguous(std::vector<std::uint64_t> const& begin, std::uint32_t num_pes, Random&) {
    return assign::balance(begin, num_pes);
}

/// Each PE has 8 ranges of sites from anywhere, as after a long history.
Assignment fragmented(std::vector<std::uint64_t> const& begin, std::uint32_t num_pes, Random& random) {
    std::vector<std::uint64_t> order(8 * std::size_t{num_pes});
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    shuffle(std::span(order), random);
    Assignment result;
    for (std::uint32_t pe = 0; pe < num_pes; ++pe) {
        auto const mine = std::span(order).subspan(8 * std::size_t{pe}, 8);
        std::sort(mine.begin(), mine.end());
        for (auto const part : mine) {
            auto range = even_part<SiteId>(begin.back(), part, order.size());
            while (!range.empty()) {
                auto const end = std::upper_bound(begin.begin(), begin.end(), value(range.first));
                auto const cut = std::min(SiteId{*end}, range.last);
                auto const q = PartitionId{static_cast<std::uint32_t>(end - begin.begin() - 1)};
                bool const joins = result.values.size() > result.offsets.back() &&
                                   result.values.back().partition == q &&
                                   result.values.back().sites.last == range.first;
                if (joins) {
                    result.values.back().sites.last = cut;
                } else {
                    result.push_value({{range.first, cut}, q});
                }
                range.first = cut;
            }
        }
        result.end_row();
    }
    return result;
}

/// Sites in both rows.
std::uint64_t num_common(std::span<Work const> a, std::span<Work const> b) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        sum += intersect(a[i].sites, b[j].sites).size();
        if (a[i].sites.last < b[j].sites.last) {
            ++i;
        } else {
            ++j;
        }
    }
    return sum;
}

bool works_on(std::span<Work const> row, PartitionId partition) {
    return std::any_of(row.begin(), row.end(), [&](Work const& work) { return work.partition == partition; });
}

/// The results of failures, one after the other.
struct Outcome {
    std::uint64_t new_pairs = 0;
    std::uint64_t new_pairs_1 = 0;  // of the first failure
    std::uint64_t new_pairs_5 = 0;  // of the first five
    std::uint64_t sites_lost = 0;
    std::uint64_t sites_moved = 0;
    std::uint64_t sites_on_old_workers = 0;  // moved to PEs that worked on the partition
    std::uint64_t pieces = 0;                // in the last assignment
    std::uint64_t largest_load = 0;          // in the last assignment
};

void count(Assignment const& before, Assignment const& after, Outcome& outcome) {
    for (std::size_t pe = 0; pe < after.size(); ++pe) {
        outcome.sites_moved += num_sites(after[pe]) - num_common(before[pe], after[pe]);
        if (after[pe].empty()) outcome.sites_lost += num_sites(before[pe]);
        Work last{};
        bool is_old = false;
        for (auto const& work : after[pe]) {
            if (last.sites.empty() || last.partition != work.partition) {
                is_old = works_on(before[pe], work.partition);
                if (!is_old) ++outcome.new_pairs;
            }
            last = work;
            if (is_old) outcome.sites_on_old_workers += work.sites.size() - num_common({&work, 1}, before[pe]);
        }
    }
}

using Next = Assignment (*)(std::vector<std::uint64_t> const& begin, Assignment const& before,
                            std::span<PeId const> alive, double slack);

template <assign::Method method>
Assignment deal(std::vector<std::uint64_t> const&, Assignment const& before, std::span<PeId const> alive,
                double slack) {
    return assign::reassign(before, alive, {.slack = slack, .method = method}).after;
}

Assignment from_scratch(std::vector<std::uint64_t> const& begin, Assignment const& before, std::span<PeId const> alive,
                        double) {
    return assign::balance(begin, alive, static_cast<std::uint32_t>(before.size()));
}

struct Campaign {
    std::vector<std::uint64_t> begin;
    Assignment before;  // the last failure
    std::vector<PeId> alive;
    Outcome outcome;
};

/// percent: each failure kills this share of all PEs at once, at least one PE.
Campaign campaign(Layout layout, Next next, std::uint64_t seed, std::uint32_t num_pes, std::uint64_t num_partitions,
                  double slack, std::uint32_t percent) {
    Random random(seed);
    Campaign c{partitions(num_partitions, num_pes, random), {}, {}, {}};
    auto after = layout(c.begin, num_pes, random);
    for (std::uint32_t pe = 0; pe < num_pes; ++pe) c.alive.push_back(PeId{pe});
    for (int failure = 0; failure < num_failures; ++failure) {
        for (std::uint32_t i = 0; i < std::max(1U, num_pes * percent / 100); ++i) {
            c.alive.erase(c.alive.begin() + static_cast<std::ptrdiff_t>(random.below(c.alive.size())));
        }
        c.before = std::move(after);
        after = next(c.begin, c.before, c.alive, slack);
        count(c.before, after, c.outcome);
        if (failure + 1 == 1) c.outcome.new_pairs_1 = c.outcome.new_pairs;
        if (failure + 1 == 5) c.outcome.new_pairs_5 = c.outcome.new_pairs;
    }
    c.outcome.pieces = after.values.size();
    for (std::size_t pe = 0; pe < after.size(); ++pe) {
        c.outcome.largest_load = std::max(c.outcome.largest_load, num_sites(std::as_const(after)[pe]));
    }
    if (!covers_once(after, c.begin)) c.alive.clear();
    return c;
}

/// Sums over campaigns, and the last of them.
struct Measured {
    Outcome sum;
    double imbalance = 0;  // largest load / mean, summed
    Campaign last;
    bool is_valid = true;
};

Measured measure(Layout layout, Next next, benchmark::State const& state) {
    Measured measured;
    auto& sum = measured.sum;
    for (std::uint64_t seed = 0; seed < num_campaigns; ++seed) {
        measured.last = campaign(layout, next, seed, static_cast<std::uint32_t>(state.range(0)),
                                 static_cast<std::uint64_t>(state.range(1)), static_cast<double>(state.range(2)) / 100,
                                 static_cast<std::uint32_t>(state.range(3)));
        auto const& [begin, before, alive, outcome] = measured.last;
        measured.is_valid = measured.is_valid && !alive.empty();
        sum.new_pairs += outcome.new_pairs;
        sum.new_pairs_1 += outcome.new_pairs_1;
        sum.new_pairs_5 += outcome.new_pairs_5;
        sum.sites_lost += outcome.sites_lost;
        sum.sites_moved += outcome.sites_moved;
        sum.sites_on_old_workers += outcome.sites_on_old_workers;
        sum.pieces += outcome.pieces;
        auto const mean = static_cast<double>(begin.back()) / static_cast<double>(alive.size());
        measured.imbalance += static_cast<double>(outcome.largest_load) / mean;
    }
    return measured;
}

void run(benchmark::State& state, Layout layout, Next next) {
    // All repetitions measure the same.
    using Key = std::tuple<Layout, Next, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
    static Key known{};
    static Measured measured;
    Key const key{layout, next, state.range(0), state.range(1), state.range(2), state.range(3)};
    if (known != key) measured = measure(layout, next, state);
    known = key;
    if (!measured.is_valid) return state.SkipWithError("not every site once");

    auto const& [begin, before, alive, outcome] = measured.last;
    auto const slack = static_cast<double>(state.range(2)) / 100;
    for (auto _ : state) benchmark::DoNotOptimize(next(begin, before, alive, slack).values.data());

    auto const& sum = measured.sum;
    auto const mean = [](auto n) { return static_cast<double>(n) / static_cast<double>(num_campaigns); };
    state.counters["new_pairs"] = mean(sum.new_pairs);
    state.counters["new_pairs_1"] = mean(sum.new_pairs_1);
    state.counters["new_pairs_5"] = mean(sum.new_pairs_5);
    state.counters["pieces"] = mean(sum.pieces);
    state.counters["sites_on_old_workers"] =
        static_cast<double>(sum.sites_on_old_workers) / static_cast<double>(sum.sites_moved);
    state.counters["sites_moved"] = static_cast<double>(sum.sites_moved) / static_cast<double>(sum.sites_lost);
    state.counters["largest_load"] = mean(measured.imbalance);
}

/// The quality table: a single timed step each.
void add_campaigns(std::string const& name, Layout layout, Next next, std::vector<std::int64_t> const& slacks) {
    auto* const bench = benchmark::RegisterBenchmark(("reassign/" + name).c_str(), run, layout, next);
    bench->ArgNames({"pes", "partitions", "slack", "percent"})->Unit(benchmark::kMillisecond)->Iterations(1);
    for (std::int64_t const pes : {64, 400, 1000, 4000}) {
        for (auto const partitions : {pes / 2, pes, 10 * pes}) {
            for (auto const slack : slacks) {
                // 1 % of 64 is one PE as well.
                for (std::int64_t const percent : {0, 1}) {
                    if (percent == 0 || pes > 100) bench->Args({pes, partitions, slack, percent});
                }
            }
        }
    }
}

/// The time of planning at the sizes of large machines, 1 % of the PEs dying at once.
void run_plan(benchmark::State& state, Layout layout, Next next) {
    auto const num_pes = static_cast<std::uint32_t>(state.range(0));
    Random random(1);
    auto const begin = partitions(static_cast<std::uint64_t>(state.range(1)), num_pes, random);
    auto const before = layout(begin, num_pes, random);
    std::vector<PeId> alive;
    for (std::uint32_t pe = 0; pe < num_pes; ++pe) {
        if (pe % 100 != 7) alive.push_back(PeId{pe});
    }
    auto const slack = static_cast<double>(state.range(2)) / 100;
    auto const after = next(begin, before, alive, slack);
    if (!covers_once(after, begin)) state.SkipWithError("not every site once");
    for (auto _ : state) benchmark::DoNotOptimize(next(begin, before, alive, slack).values.data());
    Outcome outcome;
    count(before, after, outcome);
    state.counters["new_pairs"] = static_cast<double>(outcome.new_pairs);
}

void add_plans(std::string const& name, Layout layout, Next next, std::vector<std::int64_t> const& slacks) {
    auto* const bench = benchmark::RegisterBenchmark(("plan/" + name).c_str(), run_plan, layout, next);
    bench->ArgNames({"pes", "partitions", "slack"})->Unit(benchmark::kMillisecond);
    for (auto const slack : slacks) {
        bench->Args({4000, 2000, slack})->Args({4000, 40'000, slack})->Args({24'576, 100'000, slack});
    }
}

/// balance by sites, and by cost where every second partition is of proteins.
void run_balance(benchmark::State& state, std::uint64_t protein_cost) {
    auto const num_pes = static_cast<std::uint32_t>(state.range(0));
    Random random(1);
    auto const begin = partitions(static_cast<std::uint64_t>(state.range(1)), num_pes, random);
    std::vector<std::uint64_t> costs(begin.size() - 1, 16);
    for (std::size_t q = 0; q < costs.size(); q += 2) costs[q] = protein_cost;
    auto const dealt = assign::balance(begin, costs, num_pes);
    if (!covers_once(dealt, begin)) state.SkipWithError("not every site once");
    for (auto _ : state) benchmark::DoNotOptimize(assign::balance(begin, costs, num_pes).values.data());
    std::uint64_t largest = 0;
    for (std::size_t pe = 0; pe < dealt.size(); ++pe) largest = std::max(largest, cost(dealt[pe], costs));
    auto const mean = static_cast<double>(cost(dealt.values, costs)) / static_cast<double>(num_pes);
    state.counters["largest_load"] = static_cast<double>(largest) / mean;
    state.counters["pieces"] = static_cast<double>(dealt.values.size());
}

}  // namespace

int main(int argc, char** argv) {
    struct Named {
        std::string name;
        Next next;
        std::vector<std::int64_t> slacks;
    };
    std::vector<Named> const ways{{"greedy", deal<assign::Method::greedy>, {100, 105, 120}},
                                  {"matching", deal<assign::Method::matching>, {100, 105, 120}},
                                  {"automatic", deal<assign::Method::automatic>, {100, 105, 120}},
                                  {"from_scratch", from_scratch, {100}}};
    for (auto const& way : ways) {
        add_campaigns("contiguous/" + way.name, contiguous, way.next, way.slacks);
        add_campaigns("fragmented/" + way.name, fragmented, way.next, way.slacks);
        add_plans("contiguous/" + way.name, contiguous, way.next, way.slacks);
        add_plans("fragmented/" + way.name, fragmented, way.next, way.slacks);
    }
    for (auto const& [name, cost] : {std::pair("balance/sites", 16U), std::pair("balance/cost", 400U)}) {
        auto* const bench = benchmark::RegisterBenchmark(name, run_balance, cost);
        bench->ArgNames({"pes", "partitions"})->Unit(benchmark::kMillisecond);
        bench->Args({400, 400})->Args({24'576, 100'000});
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
