#include "regraft/placement/node_aware.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/placement/mod_k.hpp"
#include "support/plans/placement_checks.hpp"

namespace regraft::placement {
namespace {

using test::holders;
using test::is_sound;
using test::loads;
using test::spread;

constexpr RangeOptions in_order{.range_blocks = 1, .seed = {}};
using Nodes = std::vector<std::uint32_t>;

BlockRange blocks(std::uint64_t first, std::uint64_t last) {
    return {BlockId{first}, BlockId{last}};
}

//  Nodes a b c of two slots, 2 replicas, 6 blocks: a line of 12 points, 2 for each slot.
//  node  a       a       b     | b       c       c
//  slot  0  0  | 1  1  | 2  2  | 3  3  | 4  4  | 5  5
//  block 0  1  | 2  3  | 4  5  | 0  1  | 2  3  | 4  5
TEST(NodeAware, CutsALineOfAllCopies) {
    NodeAware const rule(6, Nodes{7, 7, 8, 8, 9, 9}, 2, in_order);
    EXPECT_EQ(rule.num_nodes(), 3u);
    EXPECT_EQ(holders(rule, BlockId{0}), (std::vector{Slot{0}, Slot{3}}));
    EXPECT_EQ(holders(rule, BlockId{5}), (std::vector{Slot{2}, Slot{5}}));
    EXPECT_EQ(rule.held(Slot{4}), std::vector{blocks(2, 4)});
    EXPECT_EQ(rule.run(BlockId{3}), blocks(2, 4));
}

//  The same with 3 replicas on slots of nodes dealt round robin: 3 nodes, so each has everything.
TEST(NodeAware, FindsTheSlotsOfANodeWhereverTheyAre) {
    NodeAware const rule(6, Nodes{5, 0, 9, 5, 0, 9}, 3, in_order);
    EXPECT_EQ(holders(rule, BlockId{0}), (std::vector{Slot{1}, Slot{0}, Slot{2}}));
    EXPECT_EQ(holders(rule, BlockId{3}), (std::vector{Slot{4}, Slot{3}, Slot{5}}));
    EXPECT_TRUE(is_sound(rule));
}

//  A slot whose points are on both sides of a cut between copies: 3 nodes of one slot, 2 replicas, 3 blocks.
//  node  a     | b       c
//  slot  0  0    1 | 1   2  2
//  block 0  1    2 | 0   1  2
TEST(NodeAware, HoldsTheEndOfOneCopyAndTheBeginOfTheNext) {
    NodeAware const rule(3, Nodes{0, 1, 2}, 2, in_order);
    EXPECT_EQ(rule.held(Slot{1}), (std::vector{blocks(0, 1), blocks(2, 3)}));
    EXPECT_EQ(rule.run(BlockId{0}), blocks(0, 1));
    EXPECT_EQ(rule.run(BlockId{1}), blocks(1, 2));
    EXPECT_TRUE(is_sound(rule));
}

//  A node with more than 1/r of the slots keeps one copy of everything and no more.
TEST(NodeAware, CapsALargeNode) {
    NodeAware const rule(12, Nodes{0, 0, 0, 0, 1, 2}, 2, in_order);
    EXPECT_EQ(loads(rule), (std::vector<std::uint64_t>{3, 3, 3, 3, 6, 6}));
    EXPECT_TRUE(is_sound(rule));
}

//  Sizes 6 3 1 1, 3 replicas, 11 blocks: 33 points. Capped: 11, 11; 5 and 6 are left for the small nodes.
TEST(NodeAware, CapsAsManyNodesAsItMust) {
    NodeAware const rule(11, Nodes{0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 3}, 3, in_order);
    EXPECT_EQ(loads(rule), (std::vector<std::uint64_t>{1, 2, 2, 2, 2, 2, 3, 4, 4, 5, 6}));
    EXPECT_TRUE(is_sound(rule));
}

//  Two nodes of 5 and 1 slots, 4 replicas: the small one has room for one copy of each block.
TEST(NodeAware, UsesAllNodesBeforeOneIsUsedTwice) {
    NodeAware const rule(10, Nodes{3, 3, 3, 3, 3, 8}, 4, in_order);
    EXPECT_EQ(loads(rule), (std::vector<std::uint64_t>{6, 6, 6, 6, 6, 10}));
    EXPECT_TRUE(is_sound(rule));
}

//  Two nodes of 3 slots, 3 replicas: each block has one copy on one node and two on the other, half of them here.
TEST(NodeAware, TakesTurnsWithTheOddCopy) {
    NodeAware const rule(12, Nodes{0, 0, 0, 1, 1, 1}, 3, in_order);
    EXPECT_EQ(spread(loads(rule)), 0u);
    for (std::uint64_t b = 0; b < 12; ++b) {
        std::uint32_t at_first = 0;
        for (auto const slot : holders(rule, BlockId{b})) at_first += value(slot) < 3 ? 1 : 0;
        EXPECT_TRUE(at_first == 1 || at_first == 2) << b;
    }
}

TEST(NodeAware, WorksOnOneNode) {
    EXPECT_TRUE(is_sound(NodeAware(10, Nodes{4, 4, 4, 4}, 3, in_order)));
    EXPECT_EQ(loads(NodeAware(10, Nodes{4}, 1)), (std::vector<std::uint64_t>{10}));
    EXPECT_EQ(loads(NodeAware(8, Nodes{4, 4, 4, 4}, 2, {.range_blocks = 1})), (std::vector<std::uint64_t>{4, 4, 4, 4}));
}

TEST(NodeAware, PutsEverythingEverywhereIfReplicasAreAllSlots) {
    EXPECT_EQ(loads(NodeAware(10, Nodes{4, 4, 1, 0}, 4)), (std::vector<std::uint64_t>{10, 10, 10, 10}));
}

TEST(NodeAware, WorksWithoutBlocksAndWithFewerThanSlots) {
    NodeAware const nothing(0, Nodes{0, 0, 1}, 2);
    EXPECT_EQ(loads(nothing), (std::vector<std::uint64_t>{0, 0, 0}));
    EXPECT_TRUE(is_sound(NodeAware(1, Nodes{0, 0, 1, 1, 2}, 2)));
    EXPECT_TRUE(is_sound(NodeAware(2, Nodes{0, 1, 2, 3, 4, 5, 6}, 1)));
}

TEST(NodeAware, KeepsRangesTogether) {
    NodeAware const rule(100, Nodes{0, 1, 2, 3}, 2, {.range_blocks = 8, .seed = 3});
    EXPECT_EQ(rule.num_ranges(), 13u);
    EXPECT_EQ(rule.run(BlockId{9}), blocks(8, 16));
    EXPECT_EQ(rule.run(BlockId{99}), blocks(96, 100));
    EXPECT_TRUE(is_sound(rule));
}

TEST(NodeAware, DoesNotOverflow) {
    constexpr auto most_blocks = std::numeric_limits<std::uint64_t>::max();
    Nodes nodes;
    for (std::uint32_t i = 0; i < 1000; ++i) nodes.push_back(i / 300);
    NodeAware const rule(most_blocks, nodes, 3, {.range_blocks = 8, .seed = {}});
    EXPECT_EQ(rule.run(BlockId{most_blocks - 1}).last, BlockId{most_blocks});
    auto const slots = holders(rule, BlockId{most_blocks - 1});
    EXPECT_LT(value(slots[0]) / 300, value(slots[1]) / 300);
    EXPECT_LT(value(slots[1]) / 300, value(slots[2]) / 300);
}

TEST(NodeAwareDeathTest, RefusesWhatItDoesNotKnow) {
    EXPECT_DEATH(NodeAware(1, Nodes{}, 0), "precondition");
    EXPECT_DEATH(NodeAware(1, Nodes{1, 1}, 0), "precondition");
    EXPECT_DEATH(NodeAware(1, Nodes{1, 1}, 3), "precondition");
    EXPECT_DEATH(NodeAware(std::uint64_t{1} << 62, Nodes{1, 1}, 2, {.range_blocks = 1}), "precondition");
    NodeAware const rule(5, Nodes{1, 1, 2}, 2);
    EXPECT_DEATH(rule.num_copies(BlockId{5}), "precondition");
    EXPECT_DEATH(rule.run(BlockId{5}), "precondition");
    EXPECT_DEATH(rule.holder(BlockId{4}, 2), "precondition");
    EXPECT_DEATH(rule.held(Slot{3}), "precondition");
}

TEST(OverNodes, TakesTheGivenRuleUnlessSlotsShareNodes) {
    ModK const rule(100, 6, 2);
    auto const holders = [](Any const& placement) {
        std::vector<Slot> all;
        for (std::uint64_t id = 0; id < 100; ++id) {
            for (std::uint32_t copy = 0; copy < 2; ++copy) all.push_back(placement.holder(BlockId{id}, copy));
        }
        return all;
    };
    std::vector<std::uint32_t> const one(6, 4);
    std::vector<std::uint32_t> const own{5, 4, 3, 2, 1, 0};
    std::vector<std::uint32_t> const pairs{0, 3, 0, 3, 0, 3};  // in ModK the copies of a group are on one node
    EXPECT_EQ(holders(over_nodes(rule, one)), holders(rule));
    EXPECT_EQ(holders(over_nodes(rule, own)), holders(rule));
    EXPECT_EQ(over_nodes(rule, one).nodes(), one);
    EXPECT_EQ(over_nodes(rule, own).nodes(), own);
    EXPECT_TRUE(Any(rule).nodes().empty());
    auto const spread = over_nodes(rule, pairs);
    EXPECT_EQ(spread.shape(), rule.shape());
    EXPECT_EQ(spread.nodes(), (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1}));
    for (std::uint64_t id = 0; id < 100; ++id) {
        EXPECT_NE(pairs[value(spread.holder(BlockId{id}, 0))], pairs[value(spread.holder(BlockId{id}, 1))]);
    }
}

}  // namespace
}  // namespace regraft::placement
