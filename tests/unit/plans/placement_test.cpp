#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/pairwise.hpp"
#include "regraft/placement/permutation.hpp"
#include "regraft/placement/permuted.hpp"
#include "support/plans/placement_checks.hpp"

namespace regraft::placement {
namespace {

using test::holders;
using test::is_sound;
using test::loads;
using test::spread;

constexpr std::uint64_t most_blocks = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t most_slots = std::numeric_limits<std::uint32_t>::max();
constexpr RangeOptions in_order{.range_blocks = 1, .seed = {}};

BlockRange blocks(std::uint64_t first, std::uint64_t last) {
    return {BlockId{first}, BlockId{last}};
}

TEST(RandomPermutation, HasEveryImageOnce) {
    for (std::uint64_t n = 1; n <= 600; ++n) {
        SCOPED_TRACE(testing::Message() << "n " << n);
        RandomPermutation const order(n, n * 17);
        ASSERT_EQ(order.size(), n);
        std::vector<char> met(n);
        for (std::uint64_t i = 0; i < n; ++i) {
            auto const image = order(i);
            ASSERT_LT(image, n);
            ASSERT_EQ(met[image]++, 0);
            ASSERT_EQ(order.inverse(image), i);
        }
    }
}

TEST(RandomPermutation, IsItsInversesInverseForLargeSizes) {
    constexpr std::uint64_t largest = std::uint64_t{1} << 63;
    for (std::uint64_t n : {largest, largest - 1, largest / 2 + 1, std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 1,
                            std::uint64_t{1'000'000'007}}) {
        RandomPermutation const order(n, 3);
        std::set<std::uint64_t> images;
        for (std::uint64_t i = 0; i < 1000; ++i) {
            auto const x = n / 1000 * i + i % 7;
            auto const image = order(x);
            ASSERT_LT(image, n);
            ASSERT_EQ(order.inverse(image), x);
            ASSERT_EQ(order(order.inverse(x)), x);
            images.insert(image);
        }
        EXPECT_EQ(images.size(), 1000u);
        EXPECT_EQ(order.inverse(order(n - 1)), n - 1);
    }
}

// These values are frozen: all PEs must agree, even those of another program that reads what this one has written down.
TEST(RandomPermutation, GivesTheSameOnEveryPlatform) {
    auto const images = [](RandomPermutation const& order) {
        return std::vector{order(0), order(1), order(2), order(order.size() - 1)};
    };
    EXPECT_EQ(images(RandomPermutation(10, 1)), (std::vector<std::uint64_t>{0, 8, 2, 6}));
    EXPECT_EQ(images(RandomPermutation(1000, 1)), (std::vector<std::uint64_t>{627, 737, 591, 13}));
    EXPECT_EQ(images(RandomPermutation(std::uint64_t{1} << 63, 2)),
              (std::vector<std::uint64_t>{6300777658242782282, 2208762278266792223, 2094628770290059604,
                                          6278191105049408898}));
}

//  6 slots, 2 replicas: k = 3 groups of 2 random slots each; every slot is in one.
TEST(ModK, FormsGroupsOfRandomSlots) {
    ModK const rule(6, 6, 2, {.seed = 1});
    EXPECT_TRUE(is_sound(rule));
    std::set<std::set<std::set<Slot>>> different;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        ModK const other(6, 6, 2, {.seed = seed});
        std::set<std::set<Slot>> groups;
        std::set<Slot> grouped;
        for (std::uint64_t b : {0U, 2U, 4U}) {
            auto const slots = holders(other, BlockId{b});
            groups.insert({slots.begin(), slots.end()});
            grouped.insert(slots.begin(), slots.end());
        }
        EXPECT_EQ(grouped.size(), 6u);
        different.insert(groups);
    }
    EXPECT_EQ(different.size(), 15u);  // all ways to make 3 pairs of 6
}

//  11 slots, 3 replicas: k = 3; any 6 consecutive slots may die, 7 may be a group and more.
TEST(ModK, OutlivesConsecutiveSlots) {
    ModK const rule(30, 11, 3);
    auto const lost = [&](std::uint32_t first, std::uint32_t last) {
        std::uint32_t count = 0;
        for (std::uint64_t b = 0; b < 30; ++b) {
            auto const slots = holders(rule, BlockId{b});
            auto const dead = [&](Slot slot) { return first <= value(slot) && value(slot) < last; };
            count += std::all_of(slots.begin(), slots.end(), dead) ? 1 : 0;
        }
        return count;
    };
    for (std::uint32_t first = 0; first + 6 <= 11; ++first) EXPECT_EQ(lost(first, first + 6), 0u);
    EXPECT_EQ(lost(2, 9), 10u);
}

TEST(ModK, IsSoundInRandomOrderForEverySmallShape) {
    for (std::uint32_t slots = 1; slots <= 9; ++slots) {
        for (std::uint32_t replicas = 1; replicas <= slots; ++replicas) {
            for (std::uint64_t num_blocks : {0U, 1U, 2U, 5U, 13U, 29U}) {
                SCOPED_TRACE(testing::Message() << num_blocks << " blocks, " << slots << " slots, " << replicas);
                EXPECT_TRUE(is_sound(ModK(num_blocks, slots, replicas, {.seed = num_blocks})));
            }
        }
    }
    EXPECT_EQ(ModK(most_blocks, most_slots, 2, {.seed = 5}).num_copies(BlockId{0}), 3u);
}

//  4 slots, 2 replicas, 8 blocks in order: copies are 2 slots apart.
//  slot    0    1    2    3
//  copy 0  0 1  2 3  4 5  6 7
//  copy 1  4 5  6 7  0 1  2 3
TEST(Permuted, DealsCopiesAtEvenDistances) {
    Permuted const rule(8, 4, 2, in_order);
    EXPECT_EQ(rule.num_ranges(), 8u);
    EXPECT_EQ(holders(rule, BlockId{0}), (std::vector{Slot{0}, Slot{2}}));
    EXPECT_EQ(holders(rule, BlockId{7}), (std::vector{Slot{3}, Slot{1}}));
    EXPECT_EQ(rule.held(Slot{1}), (std::vector{blocks(2, 4), blocks(6, 8)}));
    EXPECT_EQ(rule.run(BlockId{5}), blocks(4, 6));
}

//  5 slots, 3 replicas: distances floor(5k / 3) = 0, 1, 3; ranges of 2 blocks, the last has one.
//  slot    0    1    2    3    4
//  copy 0  0 1  2 3  4 5  6 7  8
//  copy 1  8    0 1  2 3  4 5  6 7
//  copy 2  4 5  6 7  8    0 1  2 3
TEST(Permuted, WrapsAroundIfReplicasDoNotDivideSlots) {
    Permuted const rule(9, 5, 3, {.range_blocks = 2, .seed = {}});
    EXPECT_EQ(rule.num_ranges(), 5u);
    EXPECT_EQ(holders(rule, BlockId{8}), (std::vector{Slot{4}, Slot{0}, Slot{2}}));
    EXPECT_EQ(rule.held(Slot{0}), (std::vector{blocks(0, 2), blocks(4, 6), blocks(8, 9)}));
    EXPECT_EQ(rule.held(Slot{1}), (std::vector{blocks(0, 4), blocks(6, 8)}));
    EXPECT_EQ(rule.run(BlockId{3}), blocks(2, 4));
    EXPECT_TRUE(is_sound(rule));
}

TEST(Permuted, LeavesBlocksWithTheirSubmitterWithoutASeed) {
    for (std::uint64_t num_blocks : {0U, 1U, 6U, 7U, 29U, 1003U}) {
        Permuted const rule(num_blocks, 7, 3, in_order);
        for (std::uint32_t slot = 0; slot < 7; ++slot) {
            auto const own = even_part<BlockId>(num_blocks, slot, 7);
            for (auto b = own.first; b < own.last; b = advance(b, 1)) EXPECT_EQ(rule.holder(b, 0), Slot{slot});
        }
    }
}

TEST(Permuted, TakesBlocksOneByOneByDefaultIfThereIsNoSeed) {
    EXPECT_EQ(Permuted(1000, 3, 2, {.seed = {}}).num_ranges(), 1000u);
}

TEST(Permuted, MakesManyRangesPerSlotByDefault) {
    EXPECT_EQ(Permuted(1'000'000, 10, 3).num_ranges(), 641u);  // of 1562 blocks
    EXPECT_EQ(Permuted(100, 10, 3).num_ranges(), 100u);
    EXPECT_EQ(Permuted(0, 10, 3).num_ranges(), 0u);
}

TEST(Permuted, SpreadsNeighboursOverSlots) {
    Permuted const rule(6400, 64, 2, {.range_blocks = 10, .seed = 4});
    std::set<Slot> slots;
    for (std::uint64_t b = 0; b < 100; ++b) slots.insert(rule.holder(BlockId{b}, 0));
    EXPECT_GE(slots.size(), 8u);  // 10 ranges
    EXPECT_LE(slots.size(), 10u);
    EXPECT_EQ(rule.run(BlockId{19}), blocks(10, 20));
}

TEST(Permuted, PutsEverythingEverywhereIfReplicasAreAllSlots) {
    Permuted const rule(7, 3, 3, {.range_blocks = 2, .seed = 9});
    for (std::uint32_t slot = 0; slot < 3; ++slot) EXPECT_EQ(rule.held(Slot{slot}), std::vector{blocks(0, 7)});
}

TEST(Permuted, KeepsSlotsWithinOneRangePerCopy) {
    EXPECT_LE(spread(loads(Permuted(1003, 30, 3, {.range_blocks = 1}))), 3u);
    EXPECT_LE(spread(loads(Permuted(9000, 30, 3, {.range_blocks = 10}))), 0u);
}

TEST(Permuted, DoesNotOverflow) {
    Permuted const random(most_blocks, most_slots, 2, {.range_blocks = 2, .seed = 1});
    EXPECT_EQ(random.num_ranges(), std::uint64_t{1} << 63);
    EXPECT_EQ(random.run(BlockId{most_blocks - 1}), blocks(most_blocks - 1, most_blocks));
    EXPECT_NE(random.holder(BlockId{most_blocks - 1}, 0), random.holder(BlockId{most_blocks - 1}, 1));
    Permuted const ordered(most_blocks, most_slots, most_slots, in_order);
    EXPECT_EQ(ordered.holder(BlockId{most_blocks - 1}, 0), Slot{most_slots - 1});
    EXPECT_EQ(ordered.holder(BlockId{most_blocks - 1}, most_slots - 1), Slot{most_slots - 2});
    EXPECT_EQ(ordered.run(BlockId{most_blocks - 1}).last, BlockId{most_blocks});
    Permuted const one(most_blocks, 1, 1, {.range_blocks = most_blocks});
    EXPECT_EQ(one.held(Slot{0}), std::vector{blocks(0, most_blocks)});
}

//  5 slots: the partner is 2 further on.
//  slot    0    1    2    3    4
//  own     0 1  2 3  4 5  6 7  8 9
//  copy    6 7  8 9  0 1  2 3  4 5
TEST(Pairwise, KeepsTheOwnPartAndThatOfThePartner) {
    Pairwise const rule(10, 5);
    EXPECT_EQ(holders(rule, BlockId{0}), (std::vector{Slot{0}, Slot{2}}));
    EXPECT_EQ(holders(rule, BlockId{9}), (std::vector{Slot{4}, Slot{1}}));
    EXPECT_EQ(rule.held(Slot{0}), (std::vector{blocks(0, 2), blocks(6, 8)}));
    EXPECT_EQ(rule.run(BlockId{3}), blocks(2, 4));
    EXPECT_EQ(rule.shape(), (Shape{10, 5, 2}));
}

TEST(Pairwise, KeepsOnlyTheOwnPartWithOneReplica) {
    Pairwise const rule(5, 2, 1);
    EXPECT_EQ(rule.held(Slot{0}), std::vector{blocks(0, 2)});
    EXPECT_EQ(rule.held(Slot{1}), std::vector{blocks(2, 5)});
}

TEST(Pairwise, LeavesSlotsWithoutBlocksEmpty) {
    Pairwise const nothing(0, 3);
    for (std::uint32_t slot = 0; slot < 3; ++slot) EXPECT_TRUE(nothing.held(Slot{slot}).empty());
    EXPECT_EQ(loads(Pairwise(1, 4)), (std::vector<std::uint64_t>{0, 1, 0, 1}));
}

TEST(Pairwise, DoesNotOverflow) {
    Pairwise const rule(most_blocks, most_slots, most_slots);
    EXPECT_EQ(rule.holder(BlockId{most_blocks - 1}, 1), Slot{0});
    EXPECT_EQ(rule.run(BlockId{most_blocks - 1}).last, BlockId{most_blocks});
}

/// What a user may come up with: block b on slots b, b + 1, ... modulo the number of slots.
struct RoundRobin {
    Shape dealt;
    Shape shape() const { return dealt; }
    std::uint32_t num_copies(BlockId) const { return dealt.replicas; }
    Slot holder(BlockId block, std::uint32_t copy) const {
        return Slot{static_cast<std::uint32_t>((value(block) + copy) % dealt.num_slots)};
    }
    std::vector<BlockRange> held(Slot slot) const {
        std::vector<BlockRange> result;
        for (BlockId b{0}; value(b) < dealt.num_blocks; b = advance(b, 1)) {
            auto const distance = (value(slot) + dealt.num_slots - value(b) % dealt.num_slots) % dealt.num_slots;
            if (distance < dealt.replicas) result.push_back(run(b));
        }
        return result;
    }
    BlockRange run(BlockId block) const { return {block, advance(block, 1)}; }
};
static_assert(Placement<RoundRobin>);

TEST(AnyPlacement, TakesRulesOfUsers) {
    Any const any = RoundRobin{{11, 4, 3}};
    EXPECT_TRUE(is_sound(any));
    EXPECT_EQ(holders(any, BlockId{6}), (std::vector{Slot{2}, Slot{3}, Slot{0}}));
    EXPECT_EQ(loads(any), (std::vector<std::uint64_t>{8, 8, 9, 8}));
    for (Any const& other : {Any(Permuted(11, 4, 3)), Any(Pairwise(11, 4, 3)), Any(ModK(11, 4, 3))}) {
        EXPECT_TRUE(is_sound(other));
        EXPECT_EQ(other.shape(), any.shape());
    }
}

TEST(RandomPermutationDeathTest, RefusesImpossibleSizesAndNumbers) {
    EXPECT_DEATH(RandomPermutation(0, 1), "precondition");
    EXPECT_DEATH(RandomPermutation((std::uint64_t{1} << 63) + 1, 1), "precondition");
    RandomPermutation const order(5, 1);
    EXPECT_DEATH(order(5), "precondition");
    EXPECT_DEATH(order.inverse(5), "precondition");
}

TEST(PermutedDeathTest, RefusesWhatItDoesNotKnow) {
    EXPECT_DEATH(Permuted(1, 3, 0), "precondition");
    EXPECT_DEATH(Permuted(1, 3, 4), "precondition");
    EXPECT_DEATH(Permuted(most_blocks, 3, 3, {.range_blocks = 1}), "precondition");
    Permuted const rule(5, 7, 3);
    EXPECT_DEATH(rule.num_copies(BlockId{5}), "precondition");
    EXPECT_DEATH(rule.run(BlockId{5}), "precondition");
    EXPECT_DEATH(rule.holder(BlockId{4}, 3), "precondition");
    EXPECT_DEATH(rule.held(Slot{7}), "precondition");
}

TEST(PairwiseDeathTest, RefusesWhatItDoesNotKnow) {
    EXPECT_DEATH(Pairwise(1, 1), "precondition");
    EXPECT_DEATH(Pairwise(1, 3, 0), "precondition");
    Pairwise const rule(5, 7, 3);
    EXPECT_DEATH(rule.num_copies(BlockId{5}), "precondition");
    EXPECT_DEATH(rule.run(BlockId{5}), "precondition");
    EXPECT_DEATH(rule.holder(BlockId{4}, 3), "precondition");
    EXPECT_DEATH(rule.held(Slot{7}), "precondition");
}

}  // namespace
}  // namespace regraft::placement
