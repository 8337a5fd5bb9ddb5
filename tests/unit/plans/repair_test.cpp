#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/placement/mod_k.hpp"
#include "regraft/repair/plan.hpp"
#include "support/plans/listed_placement.hpp"
#include "support/plans/repair_checks.hpp"

namespace regraft::repair {
namespace {

using Room = std::vector<std::uint64_t>;
using placement::Directory;

BlockRange blocks(std::uint64_t first, std::uint64_t last) {
    return {BlockId{first}, BlockId{last}};
}

std::vector<PeId> pes(std::uint32_t count) {
    std::vector<PeId> result;
    for (std::uint32_t pe = 0; pe < count; ++pe) result.push_back(PeId{pe});
    return result;
}

/// The PEs that hold block 0, 1, ...; one copy is asked for.
Directory listed(std::vector<std::vector<std::uint32_t>> const& holders, std::uint32_t members) {
    std::vector<test::ListedPlacement::Slots> slots_of;
    for (auto const& row : holders) {
        slots_of.emplace_back();
        for (auto const pe : row) slots_of.back().push_back(placement::Slot{pe});
    }
    return {test::ListedPlacement(std::move(slots_of), members, 1), pes(members)};
}

test::RepairModel model_of(Directory const& directory, BlockSizes const& sizes, std::uint32_t members,
                           Options const& options) {
    test::RepairModel model{{}, {}, pes(members), std::min(options.replicas, members)};
    directory.visit(blocks(0, directory.num_blocks()), [&](placement::Run const& run) {
        for (auto b = run.blocks.first; b != run.blocks.last; b = advance(b, 1)) {
            model.holders.emplace_back(run.holders.begin(), run.holders.end());
            model.bytes.push_back(sizes.bytes(b));
        }
    });
    for (std::size_t i = 0; i < options.room.size(); ++i) model.room[model.members[i]] = options.room[i];
    return model;
}

/// Makes the plan, and expects that nothing is wrong with it.
Plan sound_plan(Directory const& directory, BlockSizes const& sizes, std::uint32_t members, Options const& options) {
    auto result = plan(directory, sizes, pes(members), options);
    auto model = model_of(directory, sizes, members, options);
    EXPECT_EQ(test::fault(result, model), "");
    return result;
}

std::size_t num_copies(Plan const& plan) {
    std::size_t count = 0;
    for (auto const& step : plan.steps) count += step.copies.size();
    return count;
}

TEST(RepairDomains, AreThoseOfTheMembersIfTheyMatter) {
    std::vector<std::uint32_t> const by_pe{7, 7, 9, 4};
    std::vector<PeId> const some{PeId{0}, PeId{1}, PeId{3}};
    EXPECT_EQ(domains_of(some, by_pe), (std::vector<std::uint32_t>{7, 7, 4}));
    EXPECT_TRUE(domains_of(some, {}).empty());
    std::vector<PeId> const together{PeId{0}, PeId{1}};
    EXPECT_TRUE(domains_of(together, by_pe).empty());
    std::vector<PeId> const apart{PeId{1}, PeId{2}, PeId{3}};
    EXPECT_TRUE(domains_of(apart, by_pe).empty());
}

TEST(RepairPlan, DoesNothingIfNothingIsMissing) {
    Directory const directory(placement::ModK(10, 4, 2), pes(4));
    auto const plan = sound_plan(directory, BlockSizes(10, 8), 4, {.replicas = 2});
    EXPECT_TRUE(plan.steps.empty());
    EXPECT_EQ(plan.least_copies, 2u);
    EXPECT_EQ(plan.most_copies, 2u);
}

//  PEs 0 and 2 held blocks 0..5, 1 and 3 blocks 6..11. PE 3 dies: 0 and 2 get half of what it held, all from 1.
TEST(RepairPlan, SpreadsWhatIsMissingOverAllWhoDoNotHoldIt) {
    Directory directory(placement::ModK(12, 4, 2), pes(4));
    directory.retain(pes(3));
    auto const plan = sound_plan(directory, BlockSizes(12, 8), 3, {.replicas = 2});
    ASSERT_EQ(plan.steps.size(), 1u);
    EXPECT_EQ(plan.steps.front().copies.size(), 2u);
    EXPECT_EQ(plan.bytes_copied, 48u);
    EXPECT_EQ(plan.most_received, 24u);
    EXPECT_EQ(plan.most_sent, 48u);
}

//  PE 0 holds 160 blocks, 1 and 2 hold 80, 3 none; 320 are missing, 80 for each if all get as many. No more than 1/16
//  above that is 85, so that 65 are left for PE 0.
TEST(RepairPlan, GivesMoreToWhoHoldsLess) {
    std::vector<std::vector<std::uint32_t>> holders;
    for (auto const& [pe, count] : {std::pair(0U, 160), {1U, 80}, {2U, 80}}) {
        holders.insert(holders.end(), static_cast<std::size_t>(count), {pe});
    }
    auto const directory = listed(holders, 4);
    auto const plan = sound_plan(directory, BlockSizes(320, 1), 4, {.replicas = 2});
    std::vector<std::uint64_t> received(4, 0);
    for (auto const& copy : plan.steps.front().copies) received[value(copy.receiver)] += copy.blocks.size();
    EXPECT_EQ(received, (std::vector<std::uint64_t>{65, 85, 85, 85}));
}

TEST(RepairPlan, MakesAsManyCopiesAsThereAreMembers) {
    auto const directory = listed({{0}, {1}, {0}}, 3);
    auto const plan = sound_plan(directory, BlockSizes(3, 5), 3, {.replicas = 7});
    EXPECT_EQ(plan.least_copies, 3u);
    EXPECT_EQ(plan.bytes_copied, 30u);
}

TEST(RepairPlan, KeepsMoreCopiesThanAreWanted) {
    auto const directory = listed({{0, 1, 2}, {1}}, 3);
    auto const plan = sound_plan(directory, BlockSizes(2, 1), 3, {.replicas = 2});
    EXPECT_EQ(plan.least_copies, 2u);
    EXPECT_EQ(plan.most_copies, 3u);
}

TEST(RepairPlan, ReportsLostBlocks) {
    Directory directory(placement::ModK(12, 4, 2), pes(4));
    directory.retain(std::vector{PeId{0}, PeId{2}});
    auto const result = plan(directory, BlockSizes(12, 8), std::vector{PeId{0}, PeId{2}});
    EXPECT_EQ(result.lost, std::vector{blocks(6, 12)});
    EXPECT_EQ(result.bytes_missing, 0u);
    EXPECT_EQ(result.least_copies, 2u);
    directory.retain({});
    auto const nobody = plan(directory, BlockSizes(12, 8), {});
    EXPECT_EQ(nobody.lost, std::vector{blocks(0, 12)});
    EXPECT_EQ(nobody.least_copies, 0u);
    EXPECT_EQ(nobody.most_copies, 0u);
}

TEST(RepairPlan, NeedsFewCopies) {
    std::uint32_t const members = 50;
    Directory directory(placement::ModK(100'000, members + 1, 3), pes(members + 1));
    directory.retain(pes(members));
    auto const plan = sound_plan(directory, BlockSizes(100'000, 8), members, {.replicas = 3});
    EXPECT_LE(num_copies(plan), members + 4);  // two senders, and a cut between them
}

//  Block  0 1 2       PE 2 alone has room, but holds block 0 already. So it takes block 1 or 2 from PE 1, which then
//  PE 0   x           takes block 0.
//  PE 1     x x
//  PE 2   x     _
TEST(RepairPlan, ExchangesWhereTheOnlyRoomIsWithAHolder) {
    auto const directory = listed({{0, 2}, {1}, {1}}, 3);
    Room const room{1, 2, 3};
    auto const plan = sound_plan(directory, BlockSizes(3, 1), 3, {.replicas = 2, .room = room});
    EXPECT_EQ(plan.least_copies, 2u);
    EXPECT_EQ(plan.bytes_copied, 2u);
    auto const tight = listed({{0}, {1, 2}, {1, 2}, {1, 2}}, 4);
    auto const exchanged = sound_plan(tight, BlockSizes(4, 1), 4, {.replicas = 2, .room = Room{2, 3, 3, 0}});
    EXPECT_EQ(exchanged.least_copies, 2u);
    EXPECT_EQ(exchanged.bytes_missing, 1u);
    EXPECT_EQ(exchanged.bytes_copied, 2u);
    EXPECT_EQ(exchanged.steps.size(), 2u);
}

TEST(RepairPlan, LowersRedundancyEvenly) {
    //  12 of 18 copies fit on 3 PEs: 2 of each block, though blocks 0 and 1 had 3.
    auto const directory = listed({{0, 1, 2}, {0, 1, 2}, {0}, {0}, {1}, {2}}, 3);
    auto const plan = sound_plan(directory, BlockSizes(6, 10), 3, {.replicas = 3, .room = Room{40, 49, 44}});
    EXPECT_EQ(plan.least_copies, 2u);
    EXPECT_EQ(plan.most_copies, 2u);
    EXPECT_EQ(plan.bytes_not_restored, 60u);
    EXPECT_FALSE(plan.steps.front().drops.empty());
}

TEST(RepairPlan, NeverDropsALastCopy) {
    auto const directory = listed({{0}, {0}, {1}}, 2);
    auto const plan = sound_plan(directory, BlockSizes(3, 10), 2, {.replicas = 2, .room = Room{0, 20}});
    EXPECT_EQ(plan.least_copies, 1u);
    EXPECT_EQ(plan.most_copies, 1u);
    EXPECT_EQ(plan.bytes_copied, 10u);  // what PE 1 has room for
}

TEST(RepairPlan, TakesFromWhoHoldsTooMuch) {
    auto const directory = listed({{0, 1}, {0, 1}, {0}}, 2);
    auto const plan = sound_plan(directory, BlockSizes(3, 1), 2, {.replicas = 1, .room = Room{1, 5}});
    EXPECT_EQ(plan.least_copies, 1u);
    auto const model = [&] {
        auto before = model_of(directory, BlockSizes(3, 1), 2, {.replicas = 1});
        before.room = {{PeId{0}, 1}, {PeId{1}, 5}};
        EXPECT_EQ(test::fault(plan, before), "");
        return before;
    }();
    EXPECT_EQ(model.used().at(PeId{0}), 1u);
}

TEST(RepairPlan, KeepsCopiesThatAreInNobodysWay) {
    auto const directory = listed({{0, 1, 2}, {0}}, 3);
    auto const plan = sound_plan(directory, BlockSizes(2, 1), 3, {.replicas = 1, .room = Room{1, 5, 5}});
    EXPECT_EQ(plan.least_copies, 1u);
    EXPECT_EQ(plan.most_copies, 2u);
    EXPECT_EQ(plan.bytes_copied, 0u);
}

//  In bytes each PE gets a third; the cut nearest to it gives PE 1 the long block, for which it has no room.
TEST(RepairPlan, PlacesBlocksOfDifferentSizesWhereTheyFit) {
    auto const directory = listed({{0}, {0}}, 4);
    auto const plan = sound_plan(directory, BlockSizes({0, 13, 20}), 4, {.replicas = 2, .room = Room{20, 8, 14, 14}});
    EXPECT_EQ(plan.least_copies, 2u);
    EXPECT_EQ(plan.bytes_not_restored, 0u);
    EXPECT_EQ(plan.bytes_copied, 20u);
}

TEST(RepairPlan, PrefersOtherNodes) {
    auto const directory = listed({{0}, {0}, {0}, {0}}, 4);
    std::vector<std::uint32_t> const node_of{5, 5, 9, 9};
    auto const plan = sound_plan(directory, BlockSizes(4, 1), 4, {.replicas = 2, .node_of = node_of});
    for (auto const& copy : plan.steps.front().copies) EXPECT_GE(copy.receiver, PeId{2});
    EXPECT_EQ(plan.most_received, 2u);
    auto const all = sound_plan(directory, BlockSizes(4, 1), 4, {.replicas = 3, .node_of = node_of});
    EXPECT_EQ(all.least_copies, 3u);  // one of them on a node that has one
}

TEST(RepairPlan, WorksForTheSmallest) {
    auto const nothing = plan({}, {}, pes(3));
    EXPECT_TRUE(nothing.steps.empty());
    EXPECT_EQ(nothing.most_copies, 0u);
    Directory const no_blocks(placement::ModK(0, 2, 2), pes(2));
    EXPECT_TRUE(sound_plan(no_blocks, BlockSizes(0, 8), 2, {.replicas = 2}).steps.empty());
    EXPECT_TRUE(sound_plan(listed({{0}}, 1), BlockSizes(1, 8), 1, {.replicas = 3}).steps.empty());
    EXPECT_EQ(sound_plan(listed({{0}}, 2), BlockSizes(1, 8), 2, {.replicas = 2}).bytes_copied, 8u);
}

TEST(RepairPlan, CopiesBlocksWithoutBytes) {
    auto const directory = listed({{0}, {0, 1}, {2}}, 4);
    for (auto const& sizes : {BlockSizes(3, 0), BlockSizes({0, 0, 5, 5}), BlockSizes({0, 0, 0, 0})}) {
        for (auto const& room : {Room{}, Room{5, 5, 5, 5}}) {
            auto const plan = sound_plan(directory, sizes, 4, {.replicas = 3, .room = room});
            EXPECT_EQ(plan.least_copies, 3u);
        }
    }
}

TEST(RepairPlan, CopiesHugeBlocks) {
    auto const directory = listed({{0}, {1}}, 3);
    auto const huge = std::uint64_t{1} << 60;
    auto const plan = sound_plan(directory, BlockSizes(2, huge), 3, {.replicas = 2});
    EXPECT_EQ(plan.bytes_copied, 2 * huge);
    EXPECT_EQ(plan.most_received, huge);
    auto const different = sound_plan(directory, BlockSizes({0, huge - 1, 2 * huge}), 3, {.replicas = 2});
    EXPECT_EQ(different.bytes_copied, 2 * huge);
    auto const room =
        sound_plan(directory, BlockSizes(2, huge), 3, {.replicas = 2, .room = Room{huge, huge, 2 * huge}});
    EXPECT_EQ(room.bytes_not_restored, 0u);
}

TEST(RepairPlan, IsTheSameIfSomebodyKnowsWhatMembersHold) {
    Directory directory(placement::ModK(5, 5, 2), pes(5));  // blocks 0 and 1 on PEs 0, 2 and 4, the others on 1 and 3
    directory.retain(pes(4));
    directory.add(blocks(0, 1), PeId{1});
    BlockSizes const sizes({0, 7, 10, 11, 13, 40});
    Room const held{10, 37, 10, 30};
    auto const worked_out = plan(directory, sizes, pes(4), {.replicas = 4});
    auto const told = plan(directory, sizes, pes(4), {.replicas = 4, .held = held});
    ASSERT_EQ(told.steps.size(), 1u);
    EXPECT_EQ(told.steps.front().copies, worked_out.steps.front().copies);
}

TEST(RepairPlan, IsTheSameEveryTime) {
    Directory directory(placement::ModK(1000, 9, 3), pes(9));
    directory.retain(pes(7));
    auto const once = plan(directory, BlockSizes(1000, 3), pes(7));
    auto const again = plan(directory, BlockSizes(1000, 3), pes(7));
    ASSERT_EQ(once.steps.size(), 1u);
    EXPECT_EQ(once.steps.front().copies, again.steps.front().copies);
}

TEST(RepairPlanDeathTest, RefusesWhatDoesNotFitTogether) {
    Directory directory(placement::ModK(10, 4, 2), pes(4));
    EXPECT_DEATH(plan(directory, BlockSizes(9, 1), pes(4)), "precondition");
    EXPECT_DEATH(plan(directory, BlockSizes(10, 1), pes(3)), "precondition");  // 3 holds something
    EXPECT_DEATH(plan(directory, BlockSizes(10, 1), pes(4), {.room = Room{1}}), "precondition");
    EXPECT_DEATH(plan(directory, BlockSizes(10, 1), pes(4), {.held = Room{1}}), "precondition");
    EXPECT_DEATH(plan(directory, BlockSizes(10, 1), std::vector{PeId{1}, PeId{0}, PeId{2}, PeId{3}}), "precondition");
    EXPECT_DEATH(plan(directory, BlockSizes(10, std::uint64_t{1} << 60), pes(4)), "precondition");
}

/// Block 0 on PE 0, block 1 on PEs 0 and 1, of 3; two copies are wanted, and PE 2 gets one of block 0.
struct Broken {
    Plan plan{{{{{blocks(0, 1), PeId{0}, PeId{2}}}, {}}}, {}, 2, 2, 4, 0, 4, 4, 4};
    test::RepairModel model{{{PeId{0}}, {PeId{0}, PeId{1}}}, {4, 4}, pes(3), 2};
};

std::string fault_after(std::function<void(Broken&)> const& change) {
    Broken broken;
    change(broken);
    return test::fault(broken.plan, broken.model);
}

TEST(RepairChecks, FindsWhatIsWrong) {
    using Change = Broken&;
    auto const copy = [](Change b) -> Copy& { return b.plan.steps.front().copies.front(); };
    auto const drop = [](Change b, BlockRange range, std::uint32_t pe) {
        b.plan.steps.front().drops.push_back({range, PeId{pe}});
    };
    EXPECT_EQ(fault_after([](Change) {}), "");
    EXPECT_EQ(fault_after([&](Change b) { copy(b).blocks = blocks(0, 0); }), "not a range of blocks to copy");
    EXPECT_EQ(fault_after([&](Change b) { copy(b).blocks = blocks(0, 3); }), "not a range of blocks to copy");
    EXPECT_EQ(fault_after([&](Change b) { copy(b).sender = PeId{1}; }), "a sender does not hold what it sends");
    EXPECT_EQ(fault_after([&](Change b) { copy(b).receiver = PeId{3}; }), "a stranger receives");
    EXPECT_EQ(fault_after([&](Change b) { copy(b).receiver = PeId{0}; }), "a receiver holds what it receives");
    EXPECT_EQ(fault_after([&](Change b) { b.plan.steps.front().copies.push_back(copy(b)); }),
              "a receiver holds what it receives");
    // What arrives in a step cannot be sent on in it.
    EXPECT_EQ(fault_after([&](Change b) {
                  b.plan.steps.front().copies.push_back({blocks(0, 1), PeId{2}, PeId{1}});
              }),
              "a sender does not hold what it sends");
    EXPECT_EQ(fault_after([&](Change b) { drop(b, blocks(1, 2), 2); }), "somebody drops what it does not hold");
    EXPECT_EQ(fault_after([&](Change b) { drop(b, blocks(2, 3), 2); }), "not a range of blocks to drop");
    EXPECT_EQ(fault_after([&](Change b) {
                  drop(b, blocks(1, 2), 0);
                  drop(b, blocks(1, 2), 1);
              }),
              "a last copy is dropped");
    EXPECT_EQ(fault_after([&](Change b) { drop(b, blocks(1, 2), 0); }), "too few copies after drops");
    EXPECT_EQ(fault_after([&](Change b) {
                  drop(b, blocks(0, 1), 0);
                  b.plan.least_copies = 1;
              }),
              "bytes_not_restored");
    EXPECT_EQ(fault_after([](Change b) { b.plan.steps.emplace_back(); }), "an empty step");
    EXPECT_EQ(fault_after([](Change b) { b.plan.steps.clear(); }), "bytes_copied");
    EXPECT_EQ(fault_after([](Change b) { b.plan.bytes_missing = 5; }), "bytes_missing");
    EXPECT_EQ(fault_after([](Change b) { b.plan.bytes_not_restored = 1; }), "bytes_not_restored");
    EXPECT_EQ(fault_after([](Change b) { b.plan.bytes_copied = 5; }), "bytes_copied");
    EXPECT_EQ(fault_after([](Change b) { b.plan.most_sent = 5; }), "most_sent");
    EXPECT_EQ(fault_after([](Change b) { b.plan.most_received = 5; }), "most_received");
    EXPECT_EQ(fault_after([](Change b) { b.plan.most_copies = 3; }), "copies");
    EXPECT_EQ(fault_after([](Change b) { b.plan.least_copies = 1; }), "copies");
    EXPECT_EQ(fault_after([](Change b) { b.plan.lost = {blocks(0, 1)}; }), "lost");
    EXPECT_EQ(fault_after([](Change b) { b.model.holders[1].clear(); }), "lost");
    EXPECT_EQ(fault_after([](Change b) {
                  b.model.room = {{PeId{0}, 8}, {PeId{1}, 8}, {PeId{2}, 3}};
              }),
              "too little room after copies");
    EXPECT_EQ(fault_after([](Change b) { b.model.room = {{PeId{0}, 0}, {PeId{1}, 0}, {PeId{2}, 4}}; }), "");
    EXPECT_EQ(fault_after([](Change b) {
                  b.plan.steps.push_back({{{blocks(1, 2), PeId{1}, PeId{2}}}, {}});
                  b.plan.bytes_copied = 8;
                  b.plan.most_received = 8;
                  b.plan.most_copies = 3;
              }),
              "copied is not missing");
}

}  // namespace
}  // namespace regraft::repair
