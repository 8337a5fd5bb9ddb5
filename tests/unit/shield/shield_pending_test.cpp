#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "shield/protocol/patience.hpp"
#include "shield/protocol/pending.hpp"
#include "shield/protocol/plan.hpp"

namespace regraft::shield {
namespace {

constexpr LaneId lane{7};

TEST(PendingLedger, CountsNothingAsSucceededBehindWhatIsUnderWay) {
    PendingLedger ledger;
    for (int i = 0; i < 4; ++i) ledger.start();
    ledger.succeed(3);
    ledger.succeed(2);
    EXPECT_EQ(ledger.counts(), (PendingCounts{4, 0, 0}));
    EXPECT_FALSE(ledger.has_news());
    ledger.succeed(1);
    EXPECT_EQ(ledger.counts(), (PendingCounts{4, 3, 0}));
    EXPECT_TRUE(ledger.has_news());
}

TEST(PendingLedger, ForgetsSuccessesThatWereNotSettledWhenItRestarts) {
    PendingLedger ledger;
    for (int i = 0; i < 4; ++i) ledger.start();
    for (OperationNumber number : {1, 2, 4}) ledger.succeed(number);
    ledger.settle(1);
    ledger.restart();
    EXPECT_EQ(ledger.counts(), (PendingCounts{4, 1, 1}));
    ledger.succeed(2);
    ledger.succeed(3);
    EXPECT_EQ(ledger.counts().succeeded, 3u);  // 4 has to succeed again
    EXPECT_FALSE(ledger.is_settled());
}

/// All positions tell each other, stage by stage. Returns what each of them knows in the end.
std::vector<OperationNumber> told(std::vector<OperationNumber> const& succeeded) {
    auto const size = static_cast<int>(succeeded.size());
    std::vector<Round> rounds;
    for (int i = 0; i < size; ++i) rounds.emplace_back(i, size, succeeded[static_cast<std::size_t>(i)]);
    while (!rounds.front().is_over()) {
        std::vector<OperationNumber> messages(succeeded.size());
        for (auto const& round : rounds) messages[static_cast<std::size_t>(round.to())] = round.least();
        for (int i = 0; i < size; ++i)
            EXPECT_EQ(rounds[static_cast<std::size_t>(rounds[static_cast<std::size_t>(i)].from())].to(), i);
        for (int i = 0; i < size; ++i) rounds[static_cast<std::size_t>(i)].hear(messages[static_cast<std::size_t>(i)]);
    }
    std::vector<OperationNumber> least;
    for (auto const& round : rounds) {
        EXPECT_TRUE(round.is_over());
        least.push_back(round.least());
    }
    return least;
}

TEST(Round, TellsAllTheLeastOfAll) {
    for (std::size_t size = 1; size <= 17; ++size) {
        for (std::size_t slowest = 0; slowest < size; ++slowest) {
            SCOPED_TRACE(std::to_string(slowest) + " of " + std::to_string(size));
            std::vector<OperationNumber> succeeded(size, 5);
            for (std::size_t i = 0; i < size; ++i) succeeded[i] += i % 3;
            succeeded[slowest] = 2;
            EXPECT_EQ(told(succeeded), std::vector<OperationNumber>(size, 2));
        }
    }
}

/// Members 0, 1, ...
Census census_of(std::vector<PendingCounts> const& counts) {
    std::vector<Census::Row> rows;
    for (auto const& pending : counts)
        rows.push_back({PeId{static_cast<std::uint32_t>(rows.size())}, {LaneReport{lane, 0, false, {}, pending}}});
    return Census(std::move(rows));
}

TEST(CensusOfPending, SettlesWhatSomebodyKnowsToBeSettled) {
    auto const census = census_of({{3, 2, 0}, {3, 3, 2}, {2, 2, 1}});
    std::vector<PeId> const all{PeId{0}, PeId{1}, PeId{2}};
    EXPECT_EQ(census.settled(lane, all, false), 2u);
    std::vector<PeId> const without_who_knows{PeId{0}, PeId{2}};
    EXPECT_EQ(census.settled(lane, without_who_knows, false), 2u);
}

TEST(CensusOfPending, SettlesWhatAllHaveSucceededInOnlyIfNobodyWasLost) {
    auto const census = census_of({{4, 3, 1}, {4, 4, 1}, {4, 2, 0}});
    std::vector<PeId> const all{PeId{0}, PeId{1}, PeId{2}};
    EXPECT_EQ(census.settled(lane, all, true), 2u);
    EXPECT_EQ(census.settled(lane, all, false), 1u);
}

TEST(CensusOfPending, TravelsWithTheReports) {
    std::vector<LaneReport> const reports{{lane, 4, true, {{3, OutcomeKind::data, 9}}, {6, 5, 2}},
                                          {LaneId{8}, 0, false, {}, {}}};
    EXPECT_EQ(decode(encode(reports)), reports);
}

using std::chrono::milliseconds;

/// The patience after a repair for which this process has called.
milliseconds patience_after(Patience& patience, milliseconds until_all_came, milliseconds rest) {
    patience.is_over = true;
    patience.learn(until_all_came, rest);
    return patience.most;
}

TEST(Patience, HalvesWhereNobodyHadToBeWaitedForAndDoublesElse) {
    Patience patience;
    EXPECT_EQ(patience_after(patience, milliseconds(2), milliseconds(5)), Patience::longest / 2);
    EXPECT_EQ(patience_after(patience, milliseconds(2), milliseconds(5)), Patience::longest / 4);
    EXPECT_EQ(patience_after(patience, milliseconds(300), milliseconds(5)), Patience::longest / 2);
    patience.learn(milliseconds(300), milliseconds(5));  // another process has called for this one
    EXPECT_EQ(patience.most, Patience::longest / 2);
}

TEST(Patience, StaysWithinItsBounds) {
    Patience patience;
    for (int i = 0; i < 20; ++i) patience_after(patience, milliseconds(5000), milliseconds(5));
    EXPECT_EQ(patience.most, Patience::longest);
    for (int i = 0; i < 20; ++i) patience_after(patience, milliseconds(0), milliseconds(5));
    EXPECT_EQ(patience.most, Patience::least);
}

TEST(Patience, DoesNotTakeASlowMachineForSomebodyWhoComputes) {
    Patience patience;
    EXPECT_EQ(patience_after(patience, milliseconds(400), milliseconds(900)), Patience::longest / 2);
}

}  // namespace
}  // namespace regraft::shield
