#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "shield/protocol/quiescence.hpp"

namespace regraft::shield {
namespace {

constexpr double patience = 10;
constexpr LaneId lane{7};

/// Three ranks that wait for messages, each in its first wait; they compute half of the time.
class Job {
public:
    Wait& at(int rank) { return all_[static_cast<std::size_t>(rank)]; }
    void pass(double seconds) {
        now_ += seconds;
        for (auto& wait : all_)
            if (wait.process != stopped_) wait.cpu += seconds / 2;
    }
    /// A rank waits by looking again and again, this often, and computes for this part of the time in between.
    void look_around(int rank, std::uint64_t looks, double outside = 0) {
        at(rank).looks += looks;
        at(rank).outside += outside;
    }
    void stop(std::uint32_t rank) { stopped_ = PeId{rank}; }
    void go_on() { stopped_.reset(); }
    void die(int rank) { at(rank) = {.process = at(rank).process, .is_dead = true}; }
    void leave_behind(int rank) { all_.erase(all_.begin() + rank); }
    /// The ranks are in a collective of a lane that has other members, too.
    void meet(std::vector<int> const& ranks, std::uint64_t members, std::uint64_t sketch) {
        for (auto const rank : ranks) {
            at(rank).lane = lane;
            at(rank).members = members;
            at(rank).sketch = sketch;
        }
    }
    bool look() { return quiescence_.look(now_, all_); }
    bool look_in_vain() { return quiescence_.look(now_, std::nullopt); }
    /// The first look starts the time.
    bool look_after(double seconds) {
        bool const first = look();
        pass(seconds);
        return look() || first;
    }

private:
    Quiescence quiescence_{patience};
    double now_ = 100;
    std::optional<PeId> stopped_;
    std::vector<Wait> all_{
        {.process = PeId{0}, .serial = 1}, {.process = PeId{1}, .serial = 3}, {.process = PeId{2}, .serial = 5}};
};

TEST(Quiescence, IsFoundWhenAllHaveWaitedForSoLongAndNotBefore) {
    Job job;
    EXPECT_FALSE(job.look());
    job.pass(9.9);
    EXPECT_FALSE(job.look());
    job.pass(0.2);
    EXPECT_TRUE(job.look());
}

TEST(Quiescence, TakesAsLongAgainAfterAVerdict) {
    Job job;
    ASSERT_TRUE(job.look_after(11));
    EXPECT_FALSE(job.look_after(9));
    job.pass(2);
    EXPECT_TRUE(job.look());
}

TEST(Quiescence, IsNotFoundWhileOneIsInNoWait) {
    Job job;
    job.at(1).serial = 4;
    EXPECT_FALSE(job.look_after(100));
}

TEST(Quiescence, BeginsAnewWhenOneHasComeBackToAnotherWait) {
    Job job;
    EXPECT_FALSE(job.look_after(9));
    job.at(1).serial += 2;
    EXPECT_FALSE(job.look_after(9));
    job.pass(2);
    EXPECT_TRUE(job.look());
}

TEST(Quiescence, BeginsAnewWithEachStepOfARepairAndEachDeath) {
    Job job;
    EXPECT_FALSE(job.look_after(9));
    ++job.at(2).repairs;
    EXPECT_FALSE(job.look_after(9));
    job.die(1);
    EXPECT_FALSE(job.look_after(9));
    job.leave_behind(1);
    EXPECT_FALSE(job.look_after(9));
    job.pass(2);
    EXPECT_TRUE(job.look());
}

TEST(Quiescence, BeginsAnewWhenOfOneNothingWasKnown) {
    Job job;
    EXPECT_FALSE(job.look_after(9));
    EXPECT_FALSE(job.look_in_vain());
    EXPECT_FALSE(job.look_after(9));
}

TEST(Quiescence, WaitsUntilAllHaveComputed) {
    Job job;
    job.stop(1);
    EXPECT_FALSE(job.look_after(1000));
    job.go_on();
    job.pass(0.01);
    EXPECT_FALSE(job.look());
    job.pass(1);
    EXPECT_TRUE(job.look());
}

TEST(Quiescence, GivesLargeMessagesTheTimeToCome) {
    Job job;
    job.at(1).bytes = 1'000'000'000;  // 20 s of a processor, which are 40 here
    EXPECT_FALSE(job.look_after(35));
    job.pass(10);
    EXPECT_TRUE(job.look());
}

TEST(Quiescence, SeesThatACollectiveGoesOnToWhichAllHaveCome) {
    Job job;
    job.meet({1, 2}, 2, 0b110);
    EXPECT_FALSE(job.look_after(100));
}

TEST(Quiescence, SeesThatACollectiveWaitsForAMemberWhoIsElsewhere) {
    Job job;
    job.meet({1, 2}, 2, 0b110);
    job.at(2).lane = LaneId{8};
    job.at(2).sketch = 0b101;
    EXPECT_TRUE(job.look_after(11));
}

TEST(Quiescence, ExpectsNoneOfTheDeadInACollective) {
    Job job;
    job.meet({1, 2}, 2, 0b110);
    job.die(1);
    EXPECT_FALSE(job.look_after(100));
}

TEST(Quiescence, IsFoundThoughSomebodyIsDeadWhoIsNoMember) {
    Job job;
    job.meet({2}, 2, 0b101);
    job.die(1);
    EXPECT_TRUE(job.look_after(11));
}

TEST(Quiescence, IsFoundByWhoIsAlone) {
    Quiescence quiescence(patience);
    std::vector<Wait> alone{{.serial = 1}};
    EXPECT_FALSE(quiescence.look(0, alone));
    alone.front().cpu = 11;
    EXPECT_TRUE(quiescence.look(11, alone));
}

TEST(JudgeOf, IsTheLowestOfThoseThatStarveAndWereGivenTheFewest) {
    EXPECT_EQ(judge_of({}), std::nullopt);
    std::vector<Wait> all(5);
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i].process = PeId{i};
    EXPECT_EQ(judge_of(all), std::nullopt);
    all[1].starves = 2;
    all[3].starves = all[4].starves = 1;
    EXPECT_EQ(judge_of(all), PeId{3});
    all[3].starves = all[4].starves = 2;
    EXPECT_EQ(judge_of(all), PeId{1});
}

TEST(Quiescence, CountsWhoLooksAgainAndAgainAsWaiting) {
    Job job;
    job.look_around(1, 1);
    EXPECT_FALSE(job.look());
    job.pass(5);
    job.look_around(1, 1000, 0.1);
    EXPECT_FALSE(job.look());
    job.pass(6);
    job.look_around(1, 1000, 0.1);
    EXPECT_TRUE(job.look());
}

TEST(Quiescence, IsNotFoundWhileWhoLooksComputesInBetween) {
    Job job;
    job.look_around(1, 1);
    EXPECT_FALSE(job.look());
    job.pass(11);
    job.look_around(1, 1000, 0.5);  // of 5.5 seconds
    EXPECT_FALSE(job.look());
}

TEST(Quiescence, TakesAsLongAgainAfterWhoLooksHasComputed) {
    Job job;
    job.look_around(1, 1);
    EXPECT_FALSE(job.look());
    job.pass(11);
    job.look_around(1, 1000, 3);
    EXPECT_FALSE(job.look());
    job.pass(9);
    job.look_around(1, 1000);
    EXPECT_FALSE(job.look());
    job.pass(2);
    job.look_around(1, 1000);
    EXPECT_TRUE(job.look());
}

TEST(Quiescence, IsNotFoundWhileWhoLookedIsAway) {
    Job job;
    job.look_around(1, 1);
    EXPECT_FALSE(job.look());
    job.pass(9);
    job.look_around(1, 1000);
    EXPECT_FALSE(job.look());
    job.pass(2);
    EXPECT_FALSE(job.look());
    job.pass(2);
    job.look_around(1, 1);
    EXPECT_TRUE(job.look());
}

TEST(Quiescence, IsNotFoundBeforeWhoLooksHasDoneSoOften) {
    Job job;
    job.look_around(1, 1);
    EXPECT_FALSE(job.look());
    job.pass(11);
    job.look_around(1, 10);
    EXPECT_FALSE(job.look());
}

TEST(Quiescence, BeginsAnewWhenOneBeginsToLookAgainAndAgain) {
    Job job;
    EXPECT_FALSE(job.look_after(9));
    job.look_around(2, 1000);
    EXPECT_FALSE(job.look_after(9));
}

}  // namespace
}  // namespace regraft::shield
