#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/matching/b_matching.hpp"
#include "regraft/matching/ford_fulkerson.hpp"
#include "regraft/matching/shares.hpp"
#include "regraft/matching/weighted.hpp"
#include "regraft/placement/mod_k.hpp"
#include "support/plans/flow_oracle.hpp"
#include "support/plans/matching_instances.hpp"
#include "support/plans/matching_oracle.hpp"

namespace regraft::matching {
namespace {

using test::Family;
using test::Graph;
using Units = std::vector<std::uint64_t>;

// A build without optimisation takes a tenth of the instances.
#ifdef __OPTIMIZE__
constexpr std::uint64_t one_in = 1;
#else
constexpr std::uint64_t one_in = 10;
#endif

/// The n-th instance small enough for the oracles: they grow with n from nothing to 24 left and 9 right vertices.
struct SmallInstance {
    explicit SmallInstance(std::uint64_t seed, std::uint64_t most_left = 24, std::uint64_t most_right = 9)
        : random(seed),
          num_right(static_cast<std::uint32_t>(random.below(most_right + 1))),
          graph(test::random_graph(static_cast<Family>(seed % 3),
                                   static_cast<std::uint32_t>(random.below(std::min(seed / 100, most_left) + 1)),
                                   num_right, static_cast<std::uint32_t>(1 + random.below(4)), random)) {}

    Random random;
    std::uint32_t num_right;
    Graph graph;
};

/// Calls body(instance) for seeds 0 .. count-1, until something fails.
template <class Body>
void for_small_instances(std::uint64_t count, Body body, std::uint64_t most_left = 24, std::uint64_t most_right = 9) {
    for (std::uint64_t seed = 0; seed < count; seed += one_in) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        body(SmallInstance(seed, most_left, most_right));
        if (testing::Test::HasFatalFailure() || testing::Test::HasNonfatalFailure()) return;
    }
}

void expect_certified(CsrView<std::uint32_t> graph, std::uint32_t num_right, BMatching const& m) {
    EXPECT_TRUE(is_b_matching(graph, num_right, m));
    EXPECT_EQ(hall_bound(graph, num_right, m.hall_set), m.b);
    EXPECT_LE(m.lower_bound, m.b);
    EXPECT_TRUE(std::is_sorted(m.hall_set.begin(), m.hall_set.end()));
}

/// Returns the optimal b, after checking that it is one.
std::uint32_t certified_b(Graph const& graph, std::uint32_t num_right, Options const& options = {}) {
    auto const m = min_b_matching(graph, num_right, options);
    expect_certified(graph, num_right, m);
    return m.b;
}

bool same_bytes(BMatching const& a, BMatching const& b) {
    return a.right_of == b.right_of && a.isolated == b.isolated && a.b == b.b && a.lower_bound == b.lower_bound &&
           a.hall_set == b.hall_set;
}

/// A start for every left vertex: one of its neighbours, nothing, or something that is no neighbour.
std::vector<std::uint32_t> random_start(Graph const& graph, Random& random) {
    std::vector<std::uint32_t> start;
    for (std::size_t x = 0; x < graph.size(); ++x) {
        auto const row = graph[x];
        auto const choice = random.below(row.size() + 2);
        start.push_back(choice < row.size() ? row[choice] : choice == row.size() ? unmatched : 1000);
    }
    return start;
}

TEST(MinBMatchingProperty, EqualsTheBestOfAllHallSets) {
    BMatcher reused;
    for_small_instances(200'000, [&](SmallInstance const& instance) {
        auto const& [random, num_right, graph] = instance;
        auto const m = min_b_matching(graph, num_right);
        expect_certified(graph, num_right, m);
        EXPECT_EQ(m.b, test::brute_force_b(graph, num_right));
        EXPECT_TRUE(same_bytes(reused.solve(graph, num_right), m)) << "a used BMatcher says something else";
    });
}

TEST(MinBMatchingProperty, IsOptimalWithAndWithoutGroups) {
    for_small_instances(60'000, [](SmallInstance const& instance) {
        auto const& [random, num_right, graph] = instance;
        auto const expected = test::brute_force_b(graph, num_right);
        EXPECT_EQ(certified_b(graph, num_right, {.grouping = Grouping::never}), expected);
        EXPECT_EQ(certified_b(graph, num_right, {.grouping = Grouping::always}), expected);
    });
}

TEST(MinBMatchingProperty, IsOptimalFromAnyStart) {
    BMatcher reused;
    for_small_instances(40'000, [&](SmallInstance instance) {
        auto const& graph = instance.graph;
        auto const start = random_start(graph, instance.random);
        auto const expected = test::brute_force_b(graph, instance.num_right);
        for (auto const grouping : {Grouping::automatic, Grouping::never, Grouping::always}) {
            Options const options{.initial = start, .grouping = grouping};
            auto const m = min_b_matching(graph, instance.num_right, options);
            expect_certified(graph, instance.num_right, m);
            EXPECT_EQ(m.b, expected);
            EXPECT_TRUE(same_bytes(reused.solve(graph, instance.num_right, options), m));
        }
    });
}

TEST(MinBMatchingProperty, EndsOnceBIsGoodEnough) {
    for_small_instances(40'000, [](SmallInstance instance) {
        auto const& graph = instance.graph;
        auto const best = test::brute_force_b(graph, instance.num_right);
        auto const enough = static_cast<std::uint32_t>(instance.random.below(best + 4));
        for (auto const grouping : {Grouping::automatic, Grouping::never, Grouping::always}) {
            auto const m = min_b_matching(graph, instance.num_right, {.good_enough = enough, .grouping = grouping});
            EXPECT_TRUE(is_b_matching(graph, instance.num_right, m));
            EXPECT_GE(m.b, best);
            EXPECT_LE(m.b, std::max(best, enough));
            auto const proved = hall_bound(graph, instance.num_right, m.hall_set);
            EXPECT_GE(proved, m.lower_bound);
            EXPECT_LE(proved, m.b);
            if (m.b > enough) {
                EXPECT_EQ(proved, m.b);
            }
        }
    });
}

TEST(FordFulkersonProperty, EqualsTheBestOfAllHallSets) {
    for_small_instances(50'000, [](SmallInstance const& instance) {
        auto const m = ford_fulkerson_b_matching(instance.graph, instance.num_right);
        expect_certified(instance.graph, instance.num_right, m);
        EXPECT_EQ(m.b, test::brute_force_b(instance.graph, instance.num_right));
    });
}

TEST(MinBMatchingProperty, EqualsMaximumFlow) {
    for (std::uint64_t seed = 0; seed < 45; seed += one_in) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const num_right = static_cast<std::uint32_t>(20 + random.below(100));
        auto const num_left = static_cast<std::uint32_t>(random.below(1500));
        auto const graph = test::random_graph(static_cast<Family>(seed % 3), num_left, num_right, 3, random);
        ASSERT_EQ(certified_b(graph, num_right), test::FlowOracle(graph, num_right).min_b());
        ASSERT_FALSE(HasFailure());
    }
}

//  --- capacities ---

template <class Capacity>
std::vector<Capacity> random_capacity(std::uint32_t num_right, std::uint64_t most, Random& random) {
    std::vector<Capacity> capacity(num_right);
    for (auto& c : capacity) c = static_cast<Capacity>(random.below(most + 1));
    return capacity;
}

TEST(MaxBMatchingProperty, EqualsTheLeastCut) {
    for_small_instances(60'000, [](SmallInstance instance) {
        auto const& graph = instance.graph;
        auto const capacity =
            random_capacity<std::uint32_t>(instance.num_right, 1 + instance.random.below(6), instance.random);
        auto const m = max_b_matching(graph, capacity);
        EXPECT_TRUE(is_max_b_matching(graph, capacity, m));
        EXPECT_TRUE(std::is_sorted(m.hall_set.begin(), m.hall_set.end()));
        EXPECT_EQ(m.num_matched, test::brute_force_max(graph, Units(graph.size(), 1), capacity));
    });
}

TEST(MaxBMatchingProperty, MatchesAllJustFromTheOptimalBOn) {
    for_small_instances(10'000, [](SmallInstance const& instance) {
        auto const& graph = instance.graph;
        auto const best = min_b_matching(graph, instance.num_right);
        auto const all = graph.size() - best.isolated.size();
        auto const matched = [&](std::uint32_t b) {
            return max_b_matching(graph, std::vector<std::uint32_t>(instance.num_right, b)).num_matched;
        };
        EXPECT_EQ(matched(best.b), all);
        if (best.b > 0) {
            EXPECT_LT(matched(best.b - 1), all);
        }
    });
}

//  --- shares ---

/// Capacities are sometimes zero, sometimes small, sometimes so large that their sum only just stays below 2^63.
Units random_units(std::size_t size, Random& random) {
    static constexpr std::array<std::uint64_t, 5> limits{1, 3, 100, std::uint64_t{1} << 40, ~std::uint64_t{0} / 2};
    auto const limit = std::min(limits.at(random.below(limits.size())), ~std::uint64_t{0} / 2 / (size + 1));
    Units units(size);
    for (auto& u : units) u = random.below(4) == 0 ? 0 : random.below(limit + 1);
    return units;
}

TEST(MinBSharesProperty, EqualsTheBestOfAllHallSets) {
    for_small_instances(60'000, [](SmallInstance instance) {
        auto const& graph = instance.graph;
        auto const units = random_units(graph.size(), instance.random);
        auto const answer = min_b_shares(graph, units, instance.num_right);
        EXPECT_TRUE(is_min_b_shares(graph, units, instance.num_right, answer));
        EXPECT_EQ(answer.b, test::brute_force_b(graph, units, instance.num_right));
        EXPECT_LE(answer.lower_bound, answer.b);
        EXPECT_TRUE(std::is_sorted(answer.hall_set.begin(), answer.hall_set.end()));
    });
}

/// Ways to room are long and of many lengths, and go by blocks as well as by shares. With many more blocks on a corner
/// of the grid, their number decides whether b is more than the mean.
TEST(MinBMatchingProperty, IsOptimalOnGrids) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const num_right = static_cast<std::uint32_t>(400 + random.below(1200));
        auto [graph, size] = test::grid({(20 + static_cast<std::uint32_t>(seed)) * num_right, num_right, 3, seed});
        for (auto more = seed % 3 * num_right * 3; more > 0; --more) {
            auto const v = static_cast<std::uint32_t>(random.below(num_right / 8));
            graph.push_row(std::vector{v, v + 1});
        }
        for (auto const grouping : {Grouping::automatic, Grouping::never, Grouping::always}) {
            auto const m = min_b_matching(graph, size, {.grouping = grouping});
            ASSERT_TRUE(is_b_matching(graph, size, m));
            ASSERT_EQ(hall_bound(graph, size, m.hall_set), m.b);
        }
        Units const units(graph.size(), 3);
        ASSERT_TRUE(is_min_b_shares(graph, units, size, min_b_shares(graph, units, size)));
    }
}

//  A left vertex of u units is u left vertices.
TEST(MinBSharesProperty, EqualsTheMatchingOfAllUnits) {
    for_small_instances(20'000, [](SmallInstance instance) {
        auto const& graph = instance.graph;
        Units units(graph.size());
        Graph blocks;
        for (std::size_t x = 0; x < graph.size(); ++x) {
            units[x] = instance.random.below(6);
            for (std::uint64_t i = 0; i < units[x]; ++i) blocks.push_row(graph[x]);
        }
        auto const shares = min_b_shares(graph, units, instance.num_right);
        auto const matching = min_b_matching(blocks, instance.num_right);
        EXPECT_EQ(shares.b, matching.b);
        EXPECT_EQ(shares.lower_bound, matching.lower_bound);
    });
}

TEST(MaxBSharesProperty, EqualsTheLeastCut) {
    for_small_instances(60'000, [](SmallInstance instance) {
        auto const& graph = instance.graph;
        auto const units = random_units(graph.size(), instance.random);
        auto const total = std::accumulate(units.begin(), units.end(), std::uint64_t{0});
        auto capacity =
            random_capacity<std::uint64_t>(instance.num_right, total / (1 + instance.random.below(8)), instance.random);
        if (!capacity.empty() && instance.random.below(4) == 0) capacity[0] = ~std::uint64_t{0};
        auto const answer = max_b_shares(graph, units, capacity);
        EXPECT_TRUE(is_max_b_shares(graph, units, capacity, answer));
        EXPECT_TRUE(std::is_sorted(answer.hall_set.begin(), answer.hall_set.end()));
        EXPECT_EQ(answer.total, test::brute_force_max(graph, units, capacity));
    });
}

//  --- weights ---

/// Checks everything except how good b is; that is returned.
WeightedBMatching checked(Graph const& graph, Units const& weight, std::uint32_t num_right) {
    auto m = min_b_matching(graph, weight, num_right);
    std::vector<std::uint32_t> isolated;
    Units load(num_right, 0);
    EXPECT_EQ(m.right_of.size(), graph.size());
    for (std::uint32_t x = 0; x < graph.size(); ++x) {
        auto const row = graph[x];
        auto const v = m.right_of[x];
        if (row.empty()) {
            isolated.push_back(x);
            EXPECT_EQ(v, unmatched);
        } else {
            EXPECT_TRUE(std::find(row.begin(), row.end(), v) != row.end());
            load[v] += weight[x];
        }
    }
    EXPECT_EQ(m.isolated, isolated);
    EXPECT_EQ(m.b, load.empty() ? 0 : *std::max_element(load.begin(), load.end()));
    EXPECT_LE(m.lower_bound, m.b);
    return m;
}

std::uint64_t largest_weight(Graph const& graph, Units const& weight) {
    std::uint64_t largest = 0;
    for (std::size_t x = 0; x < graph.size(); ++x) {
        if (!graph[x].empty()) largest = std::max(largest, weight[x]);
    }
    return largest;
}

TEST(WeightedBMatchingProperty, IsWithinTheLargestWeightOfItsBound) {
    for_small_instances(60'000, [](SmallInstance instance) {
        auto const& graph = instance.graph;
        auto const weight = random_units(graph.size(), instance.random);
        auto const m = checked(graph, weight, instance.num_right);
        auto const largest = largest_weight(graph, weight);
        EXPECT_LE(m.b, m.lower_bound + largest);
        EXPECT_EQ(m.lower_bound, std::max(largest, test::brute_force_b(graph, weight, instance.num_right)));
    });
}

TEST(WeightedBMatchingProperty, EnclosesTheOptimum) {
    std::uint64_t optimal = 0;
    std::uint64_t instances = 0;
    auto const compare = [&](SmallInstance instance) {
        auto const weight = random_units(instance.graph.size(), instance.random);
        auto const m = checked(instance.graph, weight, instance.num_right);
        auto const best = test::BestWeightedB(instance.graph, weight, instance.num_right).value();
        EXPECT_LE(m.lower_bound, best);
        EXPECT_LE(best, m.b);
        optimal += m.b == best ? 1 : 0;
        ++instances;
    };
    for_small_instances(20'000, compare, 8, 4);
    EXPECT_GE(optimal, instances / 2) << "a guarantee that is kept, but by a matching that is seldom good";
}

TEST(WeightedBMatchingProperty, EqualsTheUnweightedOneWithinOneWeight) {
    for_small_instances(10'000, [](SmallInstance const& instance) {
        auto const& graph = instance.graph;
        auto const m = checked(graph, Units(graph.size(), 7), instance.num_right);
        EXPECT_LE(m.b, 7 * (std::uint64_t{min_b_matching(graph, instance.num_right).b} + 1));
        EXPECT_GE(m.b, 7 * std::uint64_t{min_b_matching(graph, instance.num_right).b});
    });
}

//  --- metamorphic ---

std::vector<std::uint32_t> random_order(std::size_t size, Random& random) {
    std::vector<std::uint32_t> order(size);
    std::iota(order.begin(), order.end(), 0U);
    shuffle(std::span(order), random);
    return order;
}

/// All optima of one graph. Left vertices have units that are also their weights.
struct Optima {
    std::uint32_t b = 0;
    std::uint64_t shares_b = 0;
    std::uint64_t num_matched = 0;
    std::uint64_t shares_total = 0;
};

class MatchingMetamorphic : public testing::TestWithParam<std::uint64_t> {
protected:
    static constexpr std::uint32_t num_right = 25;
    Random random{GetParam()};
    Graph graph = test::random_graph(static_cast<Family>(GetParam() % 3), 150, num_right, 3, random);
    Units units = random_units(graph.size(), random);
    std::vector<std::uint32_t> capacity = random_capacity<std::uint32_t>(num_right, 8, random);
    Optima optima = certified(graph, units, capacity);

    static Optima certified(Graph const& graph, Units const& units, std::vector<std::uint32_t> const& capacity) {
        auto const size = static_cast<std::uint32_t>(capacity.size());
        auto const shares = min_b_shares(graph, units, size);
        auto const matched = max_b_matching(graph, capacity);
        Units const room(capacity.begin(), capacity.end());
        auto const most = max_b_shares(graph, units, room);
        EXPECT_TRUE(is_min_b_shares(graph, units, size, shares));
        EXPECT_TRUE(is_max_b_matching(graph, capacity, matched));
        EXPECT_TRUE(is_max_b_shares(graph, units, room, most));
        return {certified_b(graph, size), shares.b, matched.num_matched, most.total};
    }
};

TEST_P(MatchingMetamorphic, RenumberingKeepsTheOptima) {
    auto const new_name = random_order(num_right, random);
    Graph renamed;
    Units renamed_units;
    std::vector<std::uint32_t> renamed_capacity(num_right);
    for (std::uint32_t v = 0; v < num_right; ++v) renamed_capacity[new_name[v]] = capacity[v];
    for (auto const x : random_order(graph.size(), random)) {
        for (auto const v : graph[x]) renamed.push_value(new_name[v]);
        renamed.end_row();
        renamed_units.push_back(units[x]);
    }
    auto const after = certified(renamed, renamed_units, renamed_capacity);
    EXPECT_EQ(after.b, optima.b);
    EXPECT_EQ(after.shares_b, optima.shares_b);
    EXPECT_EQ(after.num_matched, optima.num_matched);
    EXPECT_EQ(after.shares_total, optima.shares_total);
}

TEST_P(MatchingMetamorphic, DeletingOneOfTwoHoldersNeverImprovesAnything) {
    Graph poorer;
    for (std::size_t x = 0; x < graph.size(); ++x) {
        auto const row = std::as_const(graph)[x];
        bool const shrink = row.size() > 1 && random.below(3) == 0;
        poorer.push_row(shrink ? row.first(row.size() - 1) : row);
    }
    auto const after = certified(poorer, units, capacity);
    EXPECT_GE(after.b, optima.b);
    EXPECT_GE(after.shares_b, optima.shares_b);
    EXPECT_LE(after.num_matched, optima.num_matched);
    EXPECT_LE(after.shares_total, optima.shares_total);
}

TEST_P(MatchingMetamorphic, KillingARightVertexNeverLowersBUnlessBlocksAreLost) {
    for (std::uint32_t victim = 0; victim < num_right; ++victim) {
        Graph smaller;
        bool lost = false;
        for (std::size_t x = 0; x < graph.size(); ++x) {
            auto const row = std::as_const(graph)[x];
            for (auto const v : row) {
                if (v != victim) smaller.push_value(v);
            }
            smaller.end_row();
            lost = lost || (!row.empty() && std::as_const(smaller)[x].empty());
        }
        auto const after = certified(smaller, units, capacity);
        EXPECT_LE(after.num_matched, optima.num_matched);
        EXPECT_LE(after.shares_total, optima.shares_total);
        if (lost) continue;
        EXPECT_GE(after.b, optima.b);
        EXPECT_GE(after.shares_b, optima.shares_b);
    }
}

TEST_P(MatchingMetamorphic, ADisjointUnionTakesTheLargerBAndTheSumOfWhatIsMatched) {
    auto const other = test::random_graph(Family::skewed, 60, 10, 2, random);
    auto const other_units = random_units(other.size(), random);
    auto const other_capacity = random_capacity<std::uint32_t>(10, 8, random);
    auto both = graph;
    for (std::size_t x = 0; x < other.size(); ++x) {
        for (auto const v : std::as_const(other)[x]) both.push_value(num_right + v);
        both.end_row();
    }
    auto both_units = units;
    both_units.insert(both_units.end(), other_units.begin(), other_units.end());
    auto both_capacity = capacity;
    both_capacity.insert(both_capacity.end(), other_capacity.begin(), other_capacity.end());
    auto const one = certified(other, other_units, other_capacity);
    auto const together = certified(both, both_units, both_capacity);
    EXPECT_EQ(together.b, std::max(optima.b, one.b));
    EXPECT_EQ(together.shares_b, std::max(optima.shares_b, one.shares_b));
    EXPECT_EQ(together.num_matched, optima.num_matched + one.num_matched);
    EXPECT_EQ(together.shares_total, optima.shares_total + one.shares_total);
}

TEST_P(MatchingMetamorphic, ThriceTheUnitsNeedAtMostThriceTheB) {
    Units small(units.size());
    for (std::size_t x = 0; x < small.size(); ++x) small[x] = units[x] % 1000;
    auto thrice = small;
    for (auto& u : thrice) u *= 3;
    auto const b = certified(graph, small, capacity).shares_b;
    auto const b_of_thrice = certified(graph, thrice, capacity).shares_b;
    EXPECT_LE(b_of_thrice, 3 * b);
    EXPECT_GT(b_of_thrice + 3, 3 * b);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MatchingMetamorphic, testing::Range<std::uint64_t>(0, 60));

//  Mod-k groups share nothing, so b is the largest ceil(blocks / living holders) of a group: no successor of a dead PE
//  works for two.
TEST(MinBMatchingProperty, SpreadsTheBlocksOfDeadPEsOverTheirGroups) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const num_slots = static_cast<std::uint32_t>(1 + random.below(60));
        auto const replicas = static_cast<std::uint32_t>(1 + random.below(std::min(num_slots, 5U)));
        auto const num_blocks = random.below(2000);
        placement::ModK const rule(num_blocks, num_slots, replicas);
        std::vector<char> alive(num_slots);
        for (auto& flag : alive) flag = random.below(4) != 0 ? 1 : 0;

        Graph graph;
        for (std::uint64_t block = 0; block < num_blocks; ++block) {
            for (std::uint32_t copy = 0; copy < rule.num_copies(BlockId{block}); ++copy) {
                auto const slot = value(rule.holder(BlockId{block}, copy));
                if (alive[slot] != 0) graph.push_value(slot);
            }
            graph.end_row();
        }
        std::uint64_t expected = 0;
        for (std::uint32_t group = 0; group < rule.num_groups(); ++group) {
            std::uint64_t living = 0;
            for (auto slot = group; slot < num_slots; slot += rule.num_groups()) living += alive[slot] != 0 ? 1 : 0;
            auto const blocks = even_part<BlockId>(num_blocks, group, rule.num_groups()).size();
            if (living > 0) expected = std::max(expected, (blocks + living - 1) / living);
        }
        EXPECT_EQ(certified_b(graph, num_slots), expected);
    }
}

}  // namespace
}  // namespace regraft::matching
