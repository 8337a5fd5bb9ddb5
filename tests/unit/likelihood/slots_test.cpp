#include "likelihood/clvs/slots.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"

namespace regraft::test {
namespace {

using likelihood::Slots;
using msa::HalfEdge;

constexpr std::size_t num_values = 8;
constexpr std::size_t num_scalers = 2;

/// Writes what only the CLV of h contains.
void fill(Slots::Clv const& clv, HalfEdge h) {
    std::fill_n(clv.values, clv.num_blocks * num_values, h);
    std::fill_n(clv.scalers, clv.num_blocks * num_scalers, static_cast<std::uint16_t>(h));
}
bool is_intact(Slots::Clv const& clv, HalfEdge h) {
    std::vector<double> const values(clv.values, clv.values + clv.num_blocks * num_values);
    std::vector<std::uint16_t> const scalers(clv.scalers, clv.scalers + clv.num_blocks * num_scalers);
    return values == std::vector<double>(values.size(), h) &&
           scalers == std::vector<std::uint16_t>(scalers.size(), static_cast<std::uint16_t>(h));
}

/// Takes a CLV for h and releases it.
void use(Slots& slots, HalfEdge h, std::size_t num_blocks) {
    fill(slots.take(h, num_blocks), h);
    slots.release(h);
}

TEST(Slots, GiveTheLeastRecentlyUsedAway) {
    Slots slots({3, 3}, 6, num_values, num_scalers);
    for (HalfEdge const h : {0U, 1U, 2U}) use(slots, h, 1);
    slots.pin(0);
    slots.release(0);
    use(slots, 3, 1);
    EXPECT_TRUE(slots.contains(0));
    EXPECT_FALSE(slots.contains(1));
    EXPECT_TRUE(slots.contains(2));
    slots.invalidate(0);
    use(slots, 4, 1);
    EXPECT_TRUE(slots.contains(2));
}

TEST(Slots, RememberWhoIsValidWithoutMemory) {
    Slots slots({1, 1}, 3, num_values, num_scalers);
    EXPECT_FALSE(slots.invalidate(0));
    use(slots, 0, 1);
    use(slots, 1, 1);
    EXPECT_FALSE(slots.contains(0));
    EXPECT_TRUE(slots.invalidate(0));
    EXPECT_FALSE(slots.invalidate(0));
}

TEST(Slots, OfOneSizeCanAllBePinned) {
    Slots slots({4, 4 * 5}, 8, num_values, num_scalers);
    for (HalfEdge h = 0; h < 8; ++h) use(slots, h, 5);
    for (HalfEdge h = 0; h < 4; ++h) fill(slots.take(h, 5), h);
    for (HalfEdge h = 0; h < 4; ++h) EXPECT_TRUE(is_intact(slots[h], h));
}

TEST(Slots, HaveRoomUntilSomebodyHasToGo) {
    Slots slots({8, 10}, 8, num_values, num_scalers);
    use(slots, 0, 6);
    EXPECT_TRUE(slots.has_room(1, 4));
    EXPECT_FALSE(slots.has_room(1, 5));
    EXPECT_TRUE(slots.has_room(0, 6));
    use(slots, 1, 4);
    use(slots, 2, 10);  // all that is there is too small alone
    EXPECT_FALSE(slots.contains(0) || slots.contains(1));
    EXPECT_TRUE(is_intact(slots[2], 2));
}

TEST(Slots, KeepAsManyAsTheyMayWhateverTheirSize) {
    Slots slots({2, 10}, 8, num_values, num_scalers);
    use(slots, 0, 1);
    use(slots, 1, 2);
    EXPECT_FALSE(slots.has_room(2, 3));
    use(slots, 2, 3);
    EXPECT_FALSE(slots.contains(0));
    EXPECT_TRUE(is_intact(slots[1], 1) && is_intact(slots[2], 2));
}

TEST(Slots, UseFreshMemoryOnlyWhenWhatWasUsedDoesNotSuffice) {
    Slots slots({8, 100}, 8, num_values, num_scalers);
    auto const* const begin = slots.take(0, 6).values;
    for (HalfEdge h = 1; h < 8; ++h) {
        slots.release(h - 1);
        slots.invalidate(h - 1);
        EXPECT_EQ(slots.take(h, 6 - h % 4).values, begin);
    }
}

TEST(SlotsDeathTest, CannotGivePinnedMemoryAway) {
    Slots slots({1, 1}, 2, num_values, num_scalers);
    slots.take(0, 1);
    EXPECT_DEATH(slots.take(1, 1), "precondition");
}

TEST(Slots, OfAllSizesDoNotOverlap) {
    constexpr HalfEdge num_half_edges = 40;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        constexpr std::size_t most = 12;
        Slots slots({20, 20 * most}, num_half_edges, num_values, num_scalers);
        std::vector<HalfEdge> pinned;
        for (int step = 0; step < 600; ++step) {
            auto const h = static_cast<HalfEdge>(random.below(num_half_edges));
            if (pinned.size() >= 9 || random.below(3) == 0) {
                for (auto const p : pinned) slots.release(p);
                pinned.clear();
            } else if (slots.contains(h)) {
                ASSERT_TRUE(is_intact(slots[h], h));
                if (random.below(2) == 0) {
                    slots.pin(h);
                    pinned.push_back(h);
                } else if (std::find(pinned.begin(), pinned.end(), h) == pinned.end()) {
                    EXPECT_TRUE(slots.invalidate(h));
                }
            } else {
                fill(slots.take(h, random.below(2) == 0 ? most : 1 + random.below(most)), h);
                pinned.push_back(h);
            }
            for (auto const p : pinned) ASSERT_TRUE(slots.contains(p) && is_intact(slots[p], p));
        }
    }
}

}  // namespace
}  // namespace regraft::test
