#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "shield/quiescence.hpp"

namespace regraft::shield {
namespace {

constexpr double patience = 10;
constexpr LaneId lane{7};

/// Three who wait for messages, each in its first wait; they compute half of the time.
class Job {
public:
    Wait& at(int rank) { return all_[static_cast<std::size_t>(rank)]; }
    void pass(double seconds) {
        now_ += seconds;
        for (auto& wait : all_)
            if (!stopped_ || wait.rank != *stopped_) wait.cpu += seconds / 2;
    }
    void stop(int rank) { stopped_ = rank; }
    void go_on() { stopped_.reset(); }
    void die(int rank) { all_.erase(all_.begin() + rank); }
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
    std::optional<int> stopped_;
    std::vector<Wait> all_{{.serial = 1, .rank = 0}, {.serial = 3, .rank = 1}, {.serial = 5, .rank = 2}};
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
    for (int rank : {1, 2}) {
        job.at(rank).lane = lane;
        job.at(rank).members = 2;
    }
    EXPECT_FALSE(job.look_after(100));
}

TEST(Quiescence, SeesThatACollectiveWaitsForAMemberWhoIsElsewhere) {
    Job job;
    job.at(1).lane = lane;
    job.at(1).members = 2;
    job.at(2).lane = LaneId{8};  // in another one, of which the third is a member
    job.at(2).members = 2;
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
    std::vector<Wait> all{
        {.starves = 0, .rank = 0}, {.starves = 2, .rank = 1}, {.starves = 1, .rank = 3}, {.starves = 1, .rank = 4}};
    EXPECT_EQ(judge_of(all), 3);
    all[2].starves = all[3].starves = 2;
    EXPECT_EQ(judge_of(all), 1);
    for (auto& wait : all) wait.starves = 0;
    EXPECT_EQ(judge_of(all), std::nullopt);
}

}  // namespace
}  // namespace regraft::shield
