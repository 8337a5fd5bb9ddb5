// The rules by which PEs inherit the entities of the dead, and where copies are kept. They need no communication.
#include "regraft/checkpoint/dealing.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/checkpoint/partners.hpp"
#include "regraft/core/random.hpp"
#include "support/plans/placement_checks.hpp"

namespace regraft::checkpoint {
namespace {

struct Case {
    std::vector<Survivor> survivors;
    std::vector<std::vector<PeId>> holders;
    std::vector<Orphan> orphans;
};

/// Survivors are the even PEs; holders are some of them, sometimes none.
Case random_case(std::uint64_t seed) {
    Random random(seed);
    Case result;
    auto const size = 1 + random.below(8);
    for (std::uint32_t i = 0; i < size; ++i) result.survivors.push_back({PeId{2 * i}, random.below(100)});
    auto const count = random.below(20);
    for (std::uint64_t i = 0; i < count; ++i) {
        std::set<PeId> holders;
        for (auto copies = random.below(4); copies > 0; --copies)
            holders.insert(result.survivors[random.below(size)].pe);
        result.holders.emplace_back(holders.begin(), holders.end());
    }
    for (std::uint64_t i = 0; i < count; ++i)
        result.orphans.push_back({"x", random.below(1000), PeId{1}, result.holders[i]});
    return result;
}

/// The load of each survivor afterwards.
std::vector<std::uint64_t> loads(Case const& c, std::vector<PeId> const& homes) {
    std::vector<std::uint64_t> bytes;
    for (auto const& survivor : c.survivors) bytes.push_back(survivor.bytes);
    for (std::size_t i = 0; i < homes.size(); ++i) bytes[value(homes[i]) / 2] += c.orphans[i].bytes;
    return bytes;
}

/// The least load that the fullest survivor must have, by trying everything.
std::uint64_t least_maximum(Case const& c, std::vector<std::vector<PeId>> const& choices) {
    std::vector<PeId> homes(c.orphans.size());
    auto best = ~std::uint64_t{0};
    auto const choose = [&](auto const& self, std::size_t i) -> void {
        if (i == homes.size()) {
            best = std::min(best, std::ranges::max(loads(c, homes)));
            return;
        }
        for (auto const pe : choices[i]) {
            homes[i] = pe;
            self(self, i + 1);
        }
    };
    choose(choose, 0);
    return best;
}

TEST(ToHolders, GivesEverythingToAHolderIfThereIsOne) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto const c = random_case(seed);
        auto const homes = to_holders(c.orphans, c.survivors);
        ASSERT_EQ(homes.size(), c.orphans.size());
        for (std::size_t i = 0; i < homes.size(); ++i) {
            auto const alive = [&](Survivor const& survivor) { return survivor.pe == homes[i]; };
            ASSERT_TRUE(std::ranges::any_of(c.survivors, alive));
            if (!c.holders[i].empty()) {
                ASSERT_TRUE(std::ranges::count(c.holders[i], homes[i]));
            }
        }
    }
}

TEST(ToHolders, IsNearTheBestThatHoldersAllow) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto c = random_case(seed);
        if (c.orphans.size() > 7) c.orphans.resize(7);
        if (std::ranges::any_of(c.orphans, [](Orphan const& orphan) { return orphan.holders.empty(); })) continue;
        std::vector<std::vector<PeId>> choices(c.holders.begin(),
                                               c.holders.begin() + static_cast<int>(c.orphans.size()));
        std::uint64_t largest = 0;
        for (auto const& orphan : c.orphans) largest = std::max(largest, orphan.bytes);
        for (auto const& survivor : c.survivors) largest = std::max(largest, survivor.bytes);
        EXPECT_LE(std::ranges::max(loads(c, to_holders(c.orphans, c.survivors))), least_maximum(c, choices) + largest);
    }
}

TEST(Balanced, IsWithinFourThirdsOfTheBestFromScratch) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto c = random_case(seed);
        for (auto& survivor : c.survivors) survivor.bytes = 0;
        if (c.orphans.size() > 6) c.orphans.resize(6);
        if (c.survivors.size() > 4) c.survivors.resize(4);
        for (auto& orphan : c.orphans) orphan.holders = {};
        std::vector<PeId> everybody;
        for (auto const& survivor : c.survivors) everybody.push_back(survivor.pe);
        std::vector const choices(c.orphans.size(), everybody);
        auto const best = least_maximum(c, choices);
        EXPECT_LE(3 * std::ranges::max(loads(c, balanced(c.orphans, c.survivors))), 4 * best);
    }
}

TEST(Balanced, FillsThoseUpThatHaveLess) {
    // 0 has 100, 2 has 10, 4 nothing: 60 goes to 4, 50 to 2, 5 to 4 (60 < 4's 60? no: 2 has 60 as well), so to 2 or 4.
    std::vector<Survivor> const survivors{{PeId{0}, 100}, {PeId{2}, 10}, {PeId{4}, 0}};
    std::vector<PeId> const held_by_4{PeId{4}};
    std::vector<Orphan> const orphans{{"a", 50, PeId{1}, {}}, {"b", 60, PeId{1}, {}}, {"c", 5, PeId{1}, held_by_4}};
    EXPECT_EQ(balanced(orphans, survivors), (std::vector{PeId{2}, PeId{4}, PeId{4}}));
}

TEST(Partners, PutEveryStateOnAsManyOthersAsThereAre) {
    for (std::uint32_t size = 1; size < 12; ++size) {
        std::vector<PeId> members;
        for (std::uint32_t i = 0; i < size; ++i) members.push_back(PeId{3 * i + 1});
        std::vector<std::uint32_t> nodes;
        for (std::uint32_t i = 0; i < 3 * size + 2; ++i) nodes.push_back(i / 6);
        for (std::uint32_t copies = 1; copies < 5; ++copies) {
            for (auto const& partners : {pairwise(copies), on_other_nodes(nodes, copies)}) {
                auto const rule = partners(members);
                EXPECT_EQ(rule.shape(), (placement::Shape{size, size, std::min(copies, size)}));
                EXPECT_TRUE(test::is_sound(rule));
                for (std::uint32_t s = 0; s < size; ++s)
                    EXPECT_EQ(rule.holder(BlockId{s}, 0), placement::Slot{s}) << "everybody is its own first copy";
            }
        }
    }
}

TEST(Partners, AreOnOtherNodesIfThatIsPossible) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        std::uint32_t const founders = 4 + static_cast<std::uint32_t>(random.below(20));
        std::vector<std::uint32_t> node_of;
        for (std::uint32_t i = 0; i < founders; ++i) node_of.push_back(static_cast<std::uint32_t>(random.below(6)));
        std::vector<PeId> members;
        for (std::uint32_t i = 0; i < founders; ++i) {
            if (random.below(4) != 0) members.push_back(PeId{i});
        }
        if (members.empty()) continue;
        std::vector<std::uint32_t> on(6, 0);
        for (auto const pe : members) ++on[node_of[value(pe)]];
        auto const apart = static_cast<std::uint32_t>(members.size()) / std::ranges::max(on);
        for (std::uint32_t copies = 1; copies <= apart; ++copies) {
            auto const rule = on_other_nodes(node_of, copies)(members);
            for (std::uint32_t s = 0; s < members.size(); ++s) {
                std::set<std::uint32_t> nodes;
                for (auto const slot : test::holders(rule, BlockId{s}))
                    nodes.insert(node_of[value(members[value(slot)])]);
                EXPECT_EQ(nodes.size(), copies);
            }
        }
    }
}

}  // namespace
}  // namespace regraft::checkpoint
