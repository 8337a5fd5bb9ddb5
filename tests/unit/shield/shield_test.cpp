#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "shield/protocol/call.hpp"
#include "shield/protocol/ledger.hpp"
#include "shield/protocol/plan.hpp"
#include "shield/protocol/repair.hpp"

namespace regraft::shield {
namespace {

constexpr LaneId lane{7};
constexpr LaneId other_lane{8};

std::vector<PeId> pes(std::uint32_t count) {
    std::vector<PeId> result;
    for (std::uint32_t pe = 0; pe < count; ++pe) result.push_back(PeId{pe});
    return result;
}

LaneReport knows(OperationNumber known, bool tentative = false, std::vector<ReportedOutcome> log = {}) {
    return {lane, known, tentative, std::move(log)};
}

/// The reports of ranks 0, 1, ... on the lane.
Census census(std::vector<LaneReport> reports) {
    std::vector<Census::Row> rows;
    for (auto& report : reports) rows.push_back({PeId{static_cast<std::uint32_t>(rows.size())}, {std::move(report)}});
    return Census(std::move(rows));
}

ReportedOutcome data(OperationNumber number, std::uint64_t bytes = 8) {
    return {number, OutcomeKind::data, bytes, {}};
}

TEST(ShieldLedger, KeepsWhatHasReturnedUntilAnOperationSynchronises) {
    Ledger ledger;
    for (int i = 0; i < 3; ++i) {
        ledger.record(OutcomeKind::data);
        ledger.finish(/*synchronised=*/false);
    }
    EXPECT_EQ(ledger.log().size(), 3u);
    EXPECT_EQ(ledger.unsynchronised(), 3u);
    ledger.record(OutcomeKind::data).bytes.assign(5, std::byte{1});
    ledger.finish(/*synchronised=*/true);
    ASSERT_EQ(ledger.log().size(), 1u);
    EXPECT_EQ(ledger.log()[0].number, 4u);
    EXPECT_EQ(ledger.find(3), nullptr);
    EXPECT_EQ(ledger.find(4)->bytes.size(), 5u);
    EXPECT_EQ(ledger.unsynchronised(), 0u);
}

TEST(ShieldLedger, GivesTheNextOutcomeTheMemoryOfOneItForgot) {
    Ledger ledger;
    auto const* const memory = [&] {
        auto& bytes = ledger.record(OutcomeKind::data).bytes;
        bytes.assign(1000, std::byte{1});
        return bytes.data();
    }();
    ledger.finish(true);
    ledger.record(OutcomeKind::data).bytes.assign(1000, std::byte{2});
    ledger.finish(true);  // now no rank needs the first
    auto& bytes = ledger.record(OutcomeKind::data).bytes;
    EXPECT_TRUE(bytes.empty());
    bytes.assign(1000, std::byte{3});
    EXPECT_EQ(bytes.data(), memory);
}

TEST(ShieldLedger, GivesBackMemoryBeyondABound) {
    Ledger ledger;
    std::size_t const bytes = 40'000;
    for (int i = 0; i < 4; ++i) {
        ledger.record(OutcomeKind::data).bytes.assign(bytes, std::byte{1});
        ledger.finish(/*synchronised=*/false);
    }
    ledger.forget_returned();
    std::size_t kept = 0;
    for (int i = 0; i < 4; ++i) kept += ledger.record(OutcomeKind::data).bytes.capacity();
    EXPECT_EQ(kept, bytes);
}

TEST(ShieldLedger, KeepsInputsOverARepairUntilAnOperationSynchronises) {
    Ledger ledger;
    for (auto const kind : {OutcomeKind::data, OutcomeKind::input, OutcomeKind::arrived, OutcomeKind::input}) {
        ledger.record(kind);
        ledger.finish(/*synchronised=*/false);
    }
    ledger.forget_returned();
    ASSERT_EQ(ledger.log().size(), 2u);
    EXPECT_EQ(ledger.find(1), nullptr);
    EXPECT_NE(ledger.find(2), nullptr);
    EXPECT_EQ(ledger.find(3), nullptr);
    EXPECT_NE(ledger.find(4), nullptr);
    ledger.record(OutcomeKind::data);
    ledger.finish(/*synchronised=*/true);
    EXPECT_EQ(ledger.log().size(), 1u);
}

TEST(ShieldLedger, KnowsWhatItHeldTentativelyOnlyIfThatIsCommitted) {
    Ledger ledger;
    ledger.hold_tentatively();
    ledger.retract();
    EXPECT_EQ(ledger.known(), 0u);
    EXPECT_FALSE(ledger.is_tentative());
    ledger.commit();  // there is nothing
    EXPECT_EQ(ledger.known(), 0u);
    ledger.hold_tentatively();
    ledger.commit();
    EXPECT_EQ(ledger.known(), 1u);
    EXPECT_EQ(ledger.find(1)->kind, OutcomeKind::local);
    EXPECT_EQ(ledger.returned(), 0u);
}

/// The steps of a call in which everything succeeds, without those that look.
std::vector<Call::Step> steps(Call call, Ledger& ledger, bool root_lives = true) {
    std::vector<Call::Step> taken;
    call.look(ledger, /*repair_called=*/false, root_lives);
    while (call.step() != Call::Step::returned) {
        taken.push_back(call.step());
        call.advance(ledger, true);
    }
    return taken;
}

using Steps = std::vector<Call::Step>;
constexpr Traits broadcast{.synchronises = false, .forwardable = true};
constexpr Traits all_reduce{.synchronises = true, .forwardable = true};
constexpr Traits gather{.synchronises = false, .forwardable = false};

TEST(ShieldCall, PacksWhatCanBeForwardedAndConfirmsTheRest) {
    Ledger ledger;
    EXPECT_EQ(steps(Call(broadcast), ledger), (Steps{Call::Step::attempt, Call::Step::pack}));
    EXPECT_EQ(steps(Call(gather), ledger), (Steps{Call::Step::attempt, Call::Step::confirm}));
    EXPECT_EQ(steps(Call(broadcast, {.always_confirm = true}), ledger),
              (Steps{Call::Step::attempt, Call::Step::confirm}));
    EXPECT_EQ(steps(Call(gather), ledger, /*root_lives=*/false), (Steps{Call::Step::skip}));
    EXPECT_EQ(ledger.returned(), 4u);
}

TEST(ShieldCall, ConfirmsTheLastOfAWindowThatDidNotSynchronise) {
    CommitOptions const options{.window = 3};
    Ledger ledger;
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(steps(Call(broadcast, options), ledger), (Steps{Call::Step::attempt, Call::Step::pack}));
        EXPECT_EQ(steps(Call(broadcast, options), ledger, false), (Steps{Call::Step::skip}));
        EXPECT_EQ(steps(Call(broadcast, options), ledger), (Steps{Call::Step::attempt, Call::Step::confirm}));
        EXPECT_EQ(ledger.log().size(), 1u);
    }
    static_cast<void>(steps(Call(broadcast, options), ledger));
    static_cast<void>(steps(Call(broadcast, options), ledger));
    EXPECT_EQ(steps(Call(all_reduce, options), ledger),
              (Steps{Call::Step::attempt, Call::Step::pack}));  // synchronises itself
    EXPECT_EQ(ledger.unsynchronised(), 0u);
}

TEST(ShieldCall, ConfirmsTheLastOfSoManyBytesThatDidNotSynchronise) {
    Traits const large{.forwardable = true, .bytes = 40};
    CommitOptions const options{.window_bytes = 100};
    Ledger ledger;
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 2; ++i)
            EXPECT_EQ(steps(Call(large, options), ledger), (Steps{Call::Step::attempt, Call::Step::pack}));
        EXPECT_EQ(ledger.unsynchronised_bytes(), 80u);
        EXPECT_EQ(steps(Call(large, options), ledger), (Steps{Call::Step::attempt, Call::Step::confirm}));
        EXPECT_EQ(ledger.unsynchronised_bytes(), 0u);
    }
}

constexpr Traits gives{.role = Role::gives};
constexpr Traits takes{.role = Role::takes};

TEST(ShieldCall, KeepsWhatItGivesToARootAndConfirmsNothing) {
    Ledger ledger;
    EXPECT_EQ(steps(Call(gives), ledger), (Steps{Call::Step::attempt, Call::Step::pack}));
    EXPECT_EQ(ledger.newest().kind, OutcomeKind::input);
    EXPECT_EQ(steps(Call(takes), ledger), (Steps{Call::Step::attempt}));
    EXPECT_EQ(ledger.newest().kind, OutcomeKind::arrived);
    EXPECT_EQ(ledger.unsynchronised(), 2u);
    EXPECT_EQ(steps(Call(gives, {.window = 3}), ledger), (Steps{Call::Step::attempt, Call::Step::confirm}));
    EXPECT_EQ(steps(Call(takes, {.always_confirm = true}), ledger), (Steps{Call::Step::attempt, Call::Step::confirm}));
}

TEST(ShieldCall, CollectsWhatARepairHasNotCompleted) {
    Ledger ledger;
    ledger.record(OutcomeKind::collecting);
    ledger.record(OutcomeKind::collecting);
    EXPECT_EQ(steps(Call(gives), ledger), (Steps{Call::Step::give}));
    EXPECT_EQ(ledger.find(1)->kind, OutcomeKind::input);
    EXPECT_EQ(steps(Call(takes), ledger), (Steps{Call::Step::take}));
    EXPECT_EQ(ledger.find(2)->kind, OutcomeKind::arrived);
    EXPECT_EQ(ledger.unsynchronised(), 2u);
}

TEST(ShieldCall, LeavesWhatItCouldNotGiveToTheNextRepair) {
    Ledger ledger;
    ledger.record(OutcomeKind::collecting);
    Call call(gives);
    call.look(ledger, /*repair_called=*/false, true);
    call.advance(ledger, /*ok=*/false);
    EXPECT_EQ(call.step(), Call::Step::repair);
    EXPECT_EQ(ledger.find(1)->kind, OutcomeKind::collecting);
    EXPECT_EQ(ledger.returned(), 0u);
    call.advance(ledger, true);
    call.look(ledger, /*repair_called=*/true, true);
    EXPECT_EQ(call.step(), Call::Step::repair);  // before it waits for a root that may be dead
}

TEST(ShieldCall, DeliversWhatARepairBroughtInsteadOfAnotherAttempt) {
    Ledger ledger;
    Call call(broadcast);
    call.look(ledger, false, true);
    call.advance(ledger, /*ok=*/false);
    ASSERT_EQ(call.step(), Call::Step::repair);
    ledger.record(OutcomeKind::data);
    call.advance(ledger, true);
    ASSERT_EQ(call.step(), Call::Step::look);
    call.look(ledger, /*repair_called=*/true, true);  // first it returns what it knows
    EXPECT_EQ(call.step(), Call::Step::deliver);
}

TEST(ShieldCall, HoldsAnAttemptTentativelyUntilItIsConfirmed) {
    Ledger ledger;
    Call call(gather);
    call.look(ledger, false, true);
    call.advance(ledger, true);
    EXPECT_TRUE(ledger.is_tentative());
    EXPECT_EQ(ledger.known(), 0u);
    call.advance(ledger, /*ok=*/false);
    EXPECT_EQ(call.step(), Call::Step::repair);
    EXPECT_TRUE(ledger.is_tentative());  // for the repair to commit or retract
}

TEST(ShieldRepair, StartsAgainUntilAllAgreeAndVotesOnce) {
    Repair repair(/*voted=*/false);
    using Step = Repair::Step;
    std::vector<Step> taken;
    auto const go = [&](bool ok) {
        taken.push_back(repair.step());
        repair.advance(ok);
    };
    for (bool ok : {true, true, true, false, false}) go(ok);       // reports failed here, so all start again
    for (bool ok : {true, true, true, true, true, false}) go(ok);  // replay failed here
    EXPECT_FALSE(repair.so());
    for (bool ok : {true, false}) go(ok);
    for (bool ok : {true, true, true, true, true, true, true}) go(ok);
    EXPECT_TRUE(repair.so());
    EXPECT_EQ(repair.step(), Step::done);
    EXPECT_EQ(repair.rounds(), 3u);
    EXPECT_EQ(std::count(taken.begin(), taken.end(), Step::vote), 1);
    EXPECT_EQ(std::count(taken.begin(), taken.end(), Step::revoke_lanes), 1);
    EXPECT_EQ(std::count(taken.begin(), taken.end(), Step::renew_control), 3);
}

//  rank 0 has returned from operations 4 and 5, 1 from 4, 2 from 3; no rank has confirmed anything.
TEST(ShieldPlan, ForwardsWhatSomeKnowFromTheLowestWhoKeptIt) {
    auto const told = census({knows(5, false, {data(4), data(5, 0)}), knows(4, false, {data(4)}), knows(3)});
    auto const plan = told.plan(lane, pes(3));
    ASSERT_EQ(plan.resolutions.size(), 2u);
    EXPECT_EQ(plan.resolutions[0].outcome, data(4));
    EXPECT_EQ(plan.resolutions[0].source, PeId{0});
    EXPECT_EQ(plan.resolutions[1].outcome, data(5, 0));
    EXPECT_TRUE(told.plan(lane, {}).resolutions.empty());
}

//  The same, but rank 0 has died since it told: no living rank knows operation 5, so it will be done again.
TEST(ShieldPlan, ForgetsWhatOnlyTheDeadKnew) {
    auto const told = census({knows(5, false, {data(4), data(5)}), knows(4, false, {data(4)}), knows(3)});
    std::vector<PeId> const living{PeId{1}, PeId{2}};
    auto const plan = told.plan(lane, living);
    ASSERT_EQ(plan.resolutions.size(), 1u);
    EXPECT_EQ(plan.resolutions[0].outcome, data(4));
    EXPECT_EQ(plan.resolutions[0].source, PeId{1});
}

//  Rank 0 has returned from operation 2, which was confirmed: even if it is dead, 1 and 2 have succeeded.
TEST(ShieldPlan, CommitsWhatSomebodyHasSeenConfirmed) {
    auto const told = census({knows(2, false, {{2, OutcomeKind::local, 0, {}}}), knows(1, true), knows(1, true)});
    EXPECT_EQ(told.plan(lane, pes(3)).newest, 2u);
    EXPECT_TRUE(told.plan(lane, pes(3)).resolutions.empty());
    EXPECT_EQ(told.plan(lane, std::vector{PeId{1}, PeId{2}}).newest, 2u);
    auto const nobody_returned = census({knows(1, true), knows(1, true)});
    EXPECT_EQ(nobody_returned.plan(lane, pes(2)).newest, 1u);
}

ReportedOutcome to_root(OutcomeKind kind, OperationNumber number, PeId root, std::uint64_t bytes = 8) {
    return {number, kind, bytes, root};
}

//  Ranks 1 and 3 have given their inputs of operation 2 to rank 0, which lacks it; 2 will come to it.
TEST(ShieldPlan, CollectsForALivingRootWhatOthersHaveGiven) {
    auto const given = to_root(OutcomeKind::input, 2, PeId{0});
    auto const told = census({knows(1), knows(2, false, {given}), knows(1), knows(3, false, {given, data(3)})});
    auto const plan = told.plan(lane, pes(4));
    ASSERT_EQ(plan.resolutions.size(), 2u);
    EXPECT_EQ(plan.resolutions[0].outcome, to_root(OutcomeKind::collecting, 2, PeId{0}, 0));
    EXPECT_EQ(plan.resolutions[0].inputs, (std::vector<Input>{{PeId{1}, 8}, {PeId{3}, 8}}));
    EXPECT_EQ(plan.resolutions[1].outcome, data(3));
    std::vector<PeId> const without_one{PeId{0}, PeId{2}, PeId{3}};
    EXPECT_EQ(told.plan(lane, without_one).resolutions[0].inputs, (std::vector<Input>{{PeId{3}, 8}}));
    std::vector<PeId> const without_root{PeId{1}, PeId{2}, PeId{3}};
    EXPECT_EQ(told.plan(lane, without_root).resolutions[0].outcome.kind, OutcomeKind::skipped);
}

//  After a repair all know operation 2, but rank 0 still collects it; 2 has given its input since, 3 has not.
TEST(ShieldPlan, CollectsAnewWhatIsBeingCollected) {
    auto const given = to_root(OutcomeKind::input, 2, PeId{0});
    auto const open = to_root(OutcomeKind::collecting, 2, PeId{0}, 16);
    auto const told =
        census({knows(2, false, {open}), knows(4, false, {given}), knows(2, false, {given}), knows(2, false, {open})});
    auto const plan = told.plan(lane, std::vector{PeId{0}, PeId{2}, PeId{3}});
    ASSERT_EQ(plan.resolutions.size(), 1u);
    EXPECT_EQ(plan.resolutions[0].outcome, to_root(OutcomeKind::collecting, 2, PeId{0}, 0));
    EXPECT_EQ(plan.resolutions[0].inputs, (std::vector<Input>{{PeId{2}, 8}}));
}

//  Rank 0 has returned from operation 2: all inputs had come, also that of 2, whose call failed.
TEST(ShieldPlan, KnowsThatTheRootHasWhatItReturnedFrom) {
    auto const given = to_root(OutcomeKind::input, 2, PeId{0});
    for (auto const& root : {knows(2), knows(2, false, {to_root(OutcomeKind::arrived, 2, PeId{0})})}) {
        auto const plan = census({root, knows(2, false, {given}), knows(1)}).plan(lane, pes(3));
        ASSERT_EQ(plan.resolutions.size(), 1u);
        EXPECT_EQ(plan.resolutions[0].outcome.kind, OutcomeKind::arrived);
        EXPECT_TRUE(plan.resolutions[0].source);
    }
}

TEST(ShieldPlan, IsAppliedToWhatIsLackedOrBeingCollectedAlone) {
    Resolution const collected{to_root(OutcomeKind::collecting, 1, PeId{0}, 0), PeId{0}, {{PeId{1}, 1}}};
    auto const kind_after = [&](std::optional<OutcomeKind> before, Resolution const& resolution, PeId self) {
        Ledger ledger;
        if (before) ledger.record(*before);
        EXPECT_EQ(apply(ledger, resolution, self, std::vector(self == PeId{0} ? 1 : 0, std::byte{1})), !before);
        EXPECT_EQ(ledger.known(), 1u);
        auto const& outcome = *ledger.find(1);
        bool const collects = outcome.kind == OutcomeKind::collecting && self == PeId{0};
        EXPECT_EQ(outcome.inputs.size(), collects ? 1u : 0u);
        return outcome.kind;
    };
    using K = OutcomeKind;
    EXPECT_EQ(kind_after({}, collected, PeId{0}), K::collecting);
    EXPECT_EQ(kind_after({}, collected, PeId{2}), K::collecting);
    EXPECT_EQ(kind_after(K::collecting, collected, PeId{0}), K::collecting);
    EXPECT_EQ(kind_after(K::input, collected, PeId{1}), K::input);
    Resolution const arrived{to_root(OutcomeKind::arrived, 1, PeId{0}, 0), PeId{0}, {}};
    EXPECT_EQ(kind_after(K::input, arrived, PeId{1}), K::arrived);
    EXPECT_EQ(kind_after(K::collecting, arrived, PeId{2}), K::arrived);
    EXPECT_EQ(kind_after(K::data, arrived, PeId{2}), K::data);
}

TEST(ShieldPlan, SaysThatNobodyKeptWhatOthersLack) {
    auto const dropped = census({knows(1), knows(0)});
    ASSERT_EQ(dropped.plan(lane, pes(2)).resolutions.size(), 1u);
    EXPECT_EQ(dropped.plan(lane, pes(2)).resolutions[0].source, std::nullopt);
    auto const was_confirmed = census({knows(1, false, {{1, OutcomeKind::local, 0, {}}}), knows(0)});
    EXPECT_EQ(was_confirmed.plan(lane, pes(2)).resolutions[0].source, std::nullopt);
}

TEST(ShieldPlan, ClosesALaneThatALivingFounderDoesNotHaveAnyMore) {
    Census const told({{PeId{0}, {knows(1)}}, {PeId{2}, {{other_lane, 1, false, {}}}}});
    EXPECT_TRUE(told.is_closed(lane, pes(3)));
    EXPECT_FALSE(told.is_closed(lane, std::vector{PeId{0}, PeId{1}}));  // 1 is dead
    EXPECT_TRUE(told.is_known(lane, 1));
    EXPECT_FALSE(told.is_known(lane, 2));
    EXPECT_FALSE(told.is_known(LaneId{9}, 0));
}

TEST(ShieldReports, ArriveAsTheyWereSentOrNotAtAll) {
    std::vector<LaneReport> const reports{knows(3, true, {data(2), {3, OutcomeKind::collecting, 8, PeId{5}}}),
                                          {other_lane, 0, false, {}}};
    auto const words = encode(reports);
    auto padded = words;
    padded.resize(words.size() + 5);
    EXPECT_EQ(decode(padded), reports);
    EXPECT_EQ(decode(encode({})), std::vector<LaneReport>());
    for (std::size_t i = 0; i < words.size(); ++i) {
        EXPECT_EQ(decode(std::span(words).first(i)), std::nullopt);
        auto garbled = words;
        garbled[i] ^= std::uint64_t{1} << (i % 64);
        EXPECT_EQ(decode(garbled), std::nullopt) << i;
    }
    EXPECT_EQ(decode(std::vector<std::uint64_t>(20)), std::nullopt);  // a row that never came
}

}  // namespace
}  // namespace regraft::shield
