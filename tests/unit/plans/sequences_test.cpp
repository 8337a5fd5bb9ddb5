#include "placement/sequences.hpp"

#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/permuted.hpp"

namespace regraft::placement {
namespace {

static_assert(SlotSequence<DoubleHashing> && SlotSequence<RandomSequence>);
static_assert(SlotSequence<HoldersFirst<DoubleHashing>>);

constexpr std::uint32_t most_slots = std::numeric_limits<std::uint32_t>::max();

template <SlotSequence S>
std::vector<std::uint32_t> listed(S const& sequence) {
    std::vector<std::uint32_t> slots;
    for (std::uint32_t i = 0; i < sequence.size(); ++i) slots.push_back(value(sequence[i]));
    return slots;
}

/// 0, 1, 2, ... in reverse order, so that heirs can be recognised.
struct Descending {
    std::uint32_t num_slots = 0;
    std::uint32_t size() const { return num_slots; }
    Slot operator[](std::uint32_t i) const { return Slot{num_slots - 1 - i}; }
    std::uint32_t index(Slot slot) const { return num_slots - 1 - value(slot); }
};

//  others  6 5 4 3 2 1 0      first  5 0 3      so  5 0 3 6 4 2 1
TEST(HoldersFirst, LeavesThemOutAfterwards) {
    HoldersFirst const sequence({Slot{5}, Slot{0}, Slot{3}}, Descending{7});
    EXPECT_EQ(listed(sequence), (std::vector<std::uint32_t>{5, 0, 3, 6, 4, 2, 1}));
    for (std::uint32_t i = 0; i < 7; ++i) EXPECT_EQ(sequence.index(sequence[i]), i);
}

TEST(HoldersFirst, MayHaveNoneOrAllFirst) {
    EXPECT_EQ(listed(HoldersFirst({}, Descending{3})), (std::vector<std::uint32_t>{2, 1, 0}));
    EXPECT_EQ(listed(HoldersFirst({Slot{1}, Slot{0}, Slot{2}}, Descending{3})), (std::vector<std::uint32_t>{1, 0, 2}));
}

TEST(HoldersAndHeirs, BeginsWithThePlacement) {
    Permuted const rule(50, 9, 3, {.range_blocks = 1, .seed = 5});
    for (std::uint64_t b = 0; b < 50; ++b) {
        auto const sequence = holders_and_heirs<DoubleHashing>(rule, BlockId{b}, sequence_key(1, b));
        for (std::uint32_t copy = 0; copy < 3; ++copy) EXPECT_EQ(sequence[copy], rule.holder(BlockId{b}, copy));
        auto const slots = listed(sequence);
        EXPECT_EQ(std::set(slots.begin(), slots.end()).size(), 9u);
    }
    ModK const all(4, 3, 3);  // no member is left to inherit
    EXPECT_EQ(listed(holders_and_heirs(all, BlockId{1}, 0)), (std::vector<std::uint32_t>{0, 1, 2}));
}

//  5 0 3 6 4 2 1 with 0 and 6 dead
TEST(FirstLiving, SkipsTheDead) {
    HoldersFirst const sequence({Slot{5}, Slot{0}, Slot{3}}, Descending{7});
    auto const lives = [](Slot slot) { return slot != Slot{0} && slot != Slot{6}; };
    EXPECT_EQ(first_living(sequence, 3, lives), (std::vector{Slot{5}, Slot{3}, Slot{4}}));
    EXPECT_EQ(first_living(sequence, 0, lives), std::vector<Slot>{});
    EXPECT_EQ(first_living(sequence, 9, lives).size(), 5u);
    EXPECT_TRUE(first_living(sequence, 3, [](Slot) { return false; }).empty());
}

TEST(DoubleHashing, WalksInEqualSteps) {
    DoubleHashing const sequence(12, 3);
    auto const slots = listed(sequence);
    auto const step = (slots[1] + 12 - slots[0]) % 12;
    EXPECT_TRUE(step == 1 || step == 5 || step == 7 || step == 11) << step;
    for (std::size_t i = 2; i < 12; ++i) EXPECT_EQ(slots[i], (slots[i - 1] + step) % 12);
}

TEST(Sequences, AreRightForOneSlotAndForAsManyAsThereMayBe) {
    EXPECT_EQ(listed(DoubleHashing(1, 5)), std::vector<std::uint32_t>{0});
    EXPECT_EQ(listed(RandomSequence(1, 5)), std::vector<std::uint32_t>{0});
    DoubleHashing const hashing(most_slots, 7);
    RandomSequence const random(most_slots, 7);
    for (std::uint32_t i : {0U, 1U, 2U, 77U, most_slots / 2, most_slots - 1}) {
        EXPECT_EQ(hashing.index(hashing[i]), i);
        EXPECT_EQ(random.index(random[i]), i);
    }
}

// These values are frozen: all PEs must agree, even those of another program.
TEST(Sequences, AreTheSameOnEveryPlatform) {
    EXPECT_EQ(listed(DoubleHashing(7, sequence_key(1, 2))), (std::vector<std::uint32_t>{2, 3, 4, 5, 6, 0, 1}));
    EXPECT_EQ(listed(RandomSequence(7, sequence_key(1, 2))), (std::vector<std::uint32_t>{5, 4, 6, 1, 0, 3, 2}));
}

TEST(SequencesDeathTest, RefuseWhatIsNotThere) {
    EXPECT_DEATH(DoubleHashing(0, 1), "precondition");
    EXPECT_DEATH(RandomSequence(0, 1), "precondition");
    EXPECT_DEATH(DoubleHashing(3, 1)[3], "precondition");
    EXPECT_DEATH(RandomSequence(3, 1)[3], "precondition");
    EXPECT_DEATH(DoubleHashing(3, 1).index(Slot{3}), "precondition");
    EXPECT_DEATH(RandomSequence(3, 1).index(Slot{3}), "precondition");
    EXPECT_DEATH(HoldersFirst({Slot{1}, Slot{1}}, Descending{3}), "precondition");
    EXPECT_DEATH(HoldersFirst({Slot{1}}, Descending{3})[3], "precondition");
}

}  // namespace
}  // namespace regraft::placement
