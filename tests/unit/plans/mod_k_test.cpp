#include "regraft/placement/mod_k.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "support/plans/placement_checks.hpp"

namespace regraft::placement {
namespace {

using test::holders;
using test::is_sound;

BlockRange blocks(std::uint64_t first, std::uint64_t last) {
    return {BlockId{first}, BlockId{last}};
}

//  7 slots, 3 replicas: k = 2 groups; 5 blocks: the first 2 to group 0, the last 3 to group 1.
//  slot   0  1  2  3  4  5  6
//  group  0  1  0  1  0  1  0
TEST(ModK, DealsSlotsModuloTheNumberOfGroups) {
    ModK const rule(5, 7, 3);
    EXPECT_EQ(rule.num_groups(), 2u);
    EXPECT_EQ(holders(rule, BlockId{0}), (std::vector{Slot{0}, Slot{2}, Slot{4}, Slot{6}}));
    EXPECT_EQ(holders(rule, BlockId{4}), (std::vector{Slot{1}, Slot{3}, Slot{5}}));
    EXPECT_EQ(rule.run(BlockId{1}), blocks(0, 2));
    EXPECT_EQ(rule.run(BlockId{2}), blocks(2, 5));
    EXPECT_EQ(rule.held(Slot{6}), std::vector{blocks(0, 2)});
    EXPECT_EQ(rule.held(Slot{3}), std::vector{blocks(2, 5)});
}

TEST(ModK, IsSoundForEverySmallShape) {
    for (std::uint32_t slots = 1; slots <= 12; ++slots) {
        for (std::uint32_t replicas = 1; replicas <= slots; ++replicas) {
            for (std::uint64_t num_blocks : {0, 1, 2, 3, 5, 12, 13, 29}) {
                SCOPED_TRACE(testing::Message() << num_blocks << " blocks, " << slots << " slots, " << replicas);
                EXPECT_TRUE(is_sound(ModK(num_blocks, slots, replicas)));
            }
        }
    }
}

TEST(ModK, LeavesGroupsWithoutBlocksEmpty) {
    ModK const rule(2, 5, 1);
    std::uint64_t held = 0;
    for (std::uint32_t slot = 0; slot < 5; ++slot) {
        for (auto const& range : rule.held(Slot{slot})) held += range.size();
    }
    EXPECT_EQ(held, 2u);
}

TEST(ModK, PutsEverythingEverywhereIfReplicasAreAllSlots) {
    ModK const rule(4, 3, 3);
    for (std::uint32_t slot = 0; slot < 3; ++slot) EXPECT_EQ(rule.held(Slot{slot}), std::vector{blocks(0, 4)});
}

TEST(ModK, KeepsSlotsWithinOneBlockOfEachOther) {
    ModK const rule(1003, 30, 3);
    std::vector<std::uint64_t> sizes;
    for (std::uint32_t slot = 0; slot < 30; ++slot) sizes.push_back(rule.held(Slot{slot}).front().size());
    auto const [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    EXPECT_LE(*most - *least, 1u);
}

TEST(ModK, DoesNotOverflow) {
    auto const num_blocks = std::numeric_limits<std::uint64_t>::max();
    auto const num_slots = std::numeric_limits<std::uint32_t>::max();
    ModK const rule(num_blocks, num_slots, 1);
    EXPECT_EQ(rule.holder(BlockId{num_blocks - 1}, 0), Slot{num_slots - 1});
    EXPECT_EQ(rule.holder(BlockId{0}, 0), Slot{0});
    EXPECT_EQ(rule.run(BlockId{num_blocks - 1}).last, BlockId{num_blocks});
    EXPECT_EQ(ModK(7, num_slots, num_slots).holder(BlockId{6}, num_slots - 1), Slot{num_slots - 1});
}

TEST(AnyPlacement, AnswersLikeTheRuleItHolds) {
    ModK const rule(5, 7, 3);
    Any const any = rule;
    Any const copy = any;
    EXPECT_EQ(copy.shape(), rule.shape());
    EXPECT_EQ(holders(copy, BlockId{3}), holders(rule, BlockId{3}));
    EXPECT_EQ(copy.held(Slot{2}), rule.held(Slot{2}));
    EXPECT_EQ(copy.run(BlockId{3}), rule.run(BlockId{3}));
    EXPECT_TRUE(is_sound(copy));
}

/// One block on slot 0 out of 2, right until a test breaks it.
struct Handmade {
    std::vector<Slot> slots{Slot{0}};
    std::vector<BlockRange> at_0{blocks(0, 1)};
    BlockRange same = blocks(0, 1);
    std::uint32_t replicas = 1;
    Shape shape() const { return {1, 2, replicas}; }
    std::uint32_t num_copies(BlockId) const { return static_cast<std::uint32_t>(slots.size()); }
    Slot holder(BlockId, std::uint32_t copy) const { return slots[copy]; }
    std::vector<BlockRange> held(Slot slot) const { return slot == Slot{0} ? at_0 : std::vector<BlockRange>{}; }
    BlockRange run(BlockId) const { return same; }
};

TEST(PlacementChecks, FindsWhatIsWrong) {
    EXPECT_TRUE(is_sound(Handmade{}));
    EXPECT_FALSE(is_sound(Handmade{.slots = {}}));
    EXPECT_FALSE(is_sound(Handmade{.slots = {Slot{1}}}));
    EXPECT_FALSE(is_sound(Handmade{.slots = {Slot{2}}}));
    EXPECT_FALSE(is_sound(Handmade{.slots = {Slot{0}, Slot{0}}}));
    EXPECT_FALSE(is_sound(Handmade{.at_0 = {}}));
    EXPECT_FALSE(is_sound(Handmade{.at_0 = {blocks(0, 1), blocks(1, 1)}}));
    EXPECT_FALSE(is_sound(Handmade{.at_0 = {blocks(0, 1), blocks(0, 1)}}));
    EXPECT_FALSE(is_sound(Handmade{.same = blocks(0, 0)}));
    EXPECT_FALSE(is_sound(Handmade{.same = blocks(0, 2)}));
    EXPECT_FALSE(is_sound(Handmade{.replicas = 2}));
}

TEST(ModKDeathTest, RefusesImpossibleReplication) {
    EXPECT_DEATH(ModK(1, 3, 0), "precondition");
    EXPECT_DEATH(ModK(1, 3, 4), "precondition");
}

TEST(ModKDeathTest, RefusesUnknownBlocksCopiesAndSlots) {
    ModK const rule(5, 7, 3);
    EXPECT_DEATH(rule.run(BlockId{5}), "precondition");
    EXPECT_DEATH(rule.holder(BlockId{4}, 3), "precondition");
    EXPECT_DEATH(rule.held(Slot{7}), "precondition");
}

}  // namespace
}  // namespace regraft::placement
