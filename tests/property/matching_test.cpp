#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/matching/b_matching.hpp"
#include "regraft/placement/mod_k.hpp"
#include "support/flow_oracle.hpp"
#include "support/matching_oracle.hpp"

namespace regraft::matching {
namespace {

using test::Family;
using test::Graph;

/// The optimal b, after checking that it is one.
std::uint32_t certified_b(Graph const& graph, std::uint32_t num_right) {
    auto const m = min_b_matching(graph, num_right);
    EXPECT_TRUE(is_b_matching(graph, num_right, m));
    EXPECT_TRUE(proves_lower_bound(graph, num_right, m.hall_set, m.b));
    EXPECT_LE(m.lower_bound, m.b);
    EXPECT_TRUE(std::is_sorted(m.hall_set.begin(), m.hall_set.end()));
    return m.b;
}

Family family(std::uint64_t seed) {
    return static_cast<Family>(seed % 3);
}

TEST(MinBMatchingProperty, EqualsTheBestOfAllHallSets) {
    for (std::uint64_t seed = 0; seed < 24'000; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const num_right = static_cast<std::uint32_t>(random.below(9));
        auto const num_left = static_cast<std::uint32_t>(random.below(std::min<std::uint64_t>(seed / 100, 24) + 1));
        auto const max_degree = static_cast<std::uint32_t>(1 + random.below(4));
        auto const graph = test::random_graph(family(seed), num_left, num_right, max_degree, random);
        ASSERT_EQ(certified_b(graph, num_right), test::brute_force_b(graph, num_right));
        ASSERT_FALSE(HasFailure());
    }
}

TEST(MinBMatchingProperty, EqualsMaximumFlow) {
    for (std::uint64_t seed = 0; seed < 45; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const num_right = static_cast<std::uint32_t>(20 + random.below(100));
        auto const num_left = static_cast<std::uint32_t>(random.below(1500));
        auto const graph = test::random_graph(family(seed), num_left, num_right, 3, random);
        ASSERT_EQ(certified_b(graph, num_right), test::FlowOracle(graph, num_right).min_b());
        ASSERT_FALSE(HasFailure());
    }
}

std::vector<std::uint32_t> random_order(std::size_t size, Random& random) {
    std::vector<std::uint32_t> order(size);
    std::iota(order.begin(), order.end(), 0U);
    shuffle(std::span(order), random);
    return order;
}

class MinBMatchingMetamorphic : public testing::TestWithParam<std::uint64_t> {
protected:
    static constexpr std::uint32_t num_right = 25;
    Random random{GetParam()};
    Graph graph = test::random_graph(family(GetParam()), 150, num_right, 3, random);
    std::uint32_t b = certified_b(graph, num_right);
};

TEST_P(MinBMatchingMetamorphic, RenumberingKeepsB) {
    auto const new_name = random_order(num_right, random);
    Graph renamed;
    for (auto const x : random_order(graph.size(), random)) {
        for (auto const v : graph[x]) renamed.push_value(new_name[v]);
        renamed.end_row();
    }
    EXPECT_EQ(certified_b(renamed, num_right), b);
}

TEST_P(MinBMatchingMetamorphic, DeletingOneOfTwoHoldersNeverLowersB) {
    Graph poorer;
    for (std::size_t x = 0; x < graph.size(); ++x) {
        auto const row = std::as_const(graph)[x];
        bool const shrink = row.size() > 1 && random.below(3) == 0;
        poorer.push_row(shrink ? row.first(row.size() - 1) : row);
    }
    EXPECT_GE(certified_b(poorer, num_right), b);
}

TEST_P(MinBMatchingMetamorphic, KillingARightVertexNeverLowersBUnlessBlocksAreLost) {
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
        if (!lost) {
            EXPECT_GE(certified_b(smaller, num_right), b);
        }
    }
}

TEST_P(MinBMatchingMetamorphic, ADisjointUnionTakesTheLargerB) {
    auto const other = test::random_graph(Family::skewed, 60, 10, 2, random);
    auto both = graph;
    for (std::size_t x = 0; x < other.size(); ++x) {
        for (auto const v : std::as_const(other)[x]) both.push_value(num_right + v);
        both.end_row();
    }
    EXPECT_EQ(certified_b(both, num_right + 10), std::max(b, certified_b(other, 10)));
}

INSTANTIATE_TEST_SUITE_P(Seeds, MinBMatchingMetamorphic, testing::Range<std::uint64_t>(0, 60));

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
