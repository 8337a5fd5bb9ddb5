// Checkpoints that any program may have written, with a right checksum.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "fuzz/checkpoint_check.hpp"

namespace regraft::phylo {
namespace {

using fuzz::SomeJob;

template <class Job>
class ForgedProgress : public testing::Test {};
using Jobs = testing::Types<SomeJob, fuzz::SomeGenes>;
TYPED_TEST_SUITE(ForgedProgress, Jobs);

TYPED_TEST(ForgedProgress, AsItWasWrittenIsAccepted) {
    TypeParam const job;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const progress = job.progress(random);
        EXPECT_NO_THROW(job.agenda->check(progress));
        EXPECT_TRUE(job.accepted(progress.to_bytes()));
    }
}

TYPED_TEST(ForgedProgress, IsRefusedOrFit) {
    TypeParam const job;
    int accepted = 0;
    constexpr int num_seeds = 20'000;
    for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
        Random random(seed);
        auto bytes = job.progress(random).to_bytes();
        for (auto left = 1 + random.below(3); left > 0; --left) fuzz::forge(bytes, random);
        if (job.accepted(bytes)) ++accepted;
    }
    EXPECT_GT(accepted, num_seeds / 50) << "the damage is too heavy to test much";
    EXPECT_LT(accepted, num_seeds / 2) << "the damage is too light to test much";
}

SearchState done(SomeJob const& job) {
    auto state = job.state(1);
    state.as<Climb>().stage = Stage::done;
    return state;
}

Climb& climb(SearchState& state) {
    return state.as<Climb>();
}

search::Tests& tests(SearchState& state) {
    return state.as<search::Tests>();
}

Merging& merging(SearchState& state) {
    return state.as<Merging>();
}

/// What is wrong with the first search of the job after a change.
std::string complaint_after(std::function<void(SearchState&)> const& change, Purpose purpose = Purpose::start) {
    SomeJob const job;
    auto state = job.state(1);
    change(state);
    Progress progress;
    progress.note({purpose}, state);
    try {
        job.agenda->check(progress);
    } catch (InputError const& error) {
        return error.what();
    }
    return "";
}

TEST(ForgedCheckpoint, SaysWhatIsWrong) {
    EXPECT_EQ(complaint_after([](auto&) {}), "");
    EXPECT_EQ(complaint_after([](auto& s) { s.tree = msa::random_tree(9, 1); }),
              "has a search whose tree has other taxa");
    EXPECT_EQ(complaint_after([](auto& s) { s.models[0].alpha = -1; }), "has a search whose alpha is impossible");
    EXPECT_EQ(complaint_after([](auto& s) { s.models[0].rates.pop_back(); }),
              "has a search whose model has more or fewer values than it needs");
    EXPECT_EQ(complaint_after([](auto& s) { climb(s).position = 1, climb(s).stage = Stage::near_spr; }),
              "has a search without subtrees that could be moved");
    EXPECT_EQ(complaint_after([](auto& s) { climb(s).position = 1, climb(s).stage = Stage::escapes; }),
              "has a search that left a local maximum, or has not");
    EXPECT_EQ(complaint_after([](auto& s) { climb(s).waiting = {1000}; }),
              "has a search with a subtree that is not in the tree");
    EXPECT_EQ(complaint_after([](auto& s) { climb(s).difficulty = 2; }),
              "has a search for data of an impossible difficulty");
    auto const other_work = "has a search that does other work than its name says";
    EXPECT_EQ(complaint_after([](auto&) {}, Purpose::support), other_work);
    EXPECT_EQ(complaint_after([](auto& s) { s.task = search::Supports(); }), other_work);
    EXPECT_EQ(complaint_after([](auto& s) { s.task = Ultrafast(); }), other_work);
    EXPECT_EQ(complaint_after([](auto& s) { s.task = Ultrafast{.round = 1}; }, Purpose::ultrafast),
              "has a search with more or fewer replicates");
    EXPECT_EQ(complaint_after([](auto& s) { s.task = Ultrafast{.starts = {s.tree}}; }, Purpose::ultrafast),
              "has a search with more or fewer replicates");
    auto const endless = [](auto& s) { s.task = Ultrafast{.round = 1, .replicates = {3, {s.tree, {}, std::nan("")}}}; };
    EXPECT_EQ(complaint_after(endless, Purpose::ultrafast), "has a search with a replicate of infinite gain");
    EXPECT_EQ(complaint_after([](auto& s) { s.task = search::Supports{.position = 1}; }, Purpose::support),
              "has a search with supports of more or fewer edges");
}

TEST(ForgedCheckpoint, SaysWhatIsWrongWithCountsOfSamples) {
    SomeJob job;
    job.options.command = Command::test;
    job.options.test.samples = 100;
    auto const complaint = [&](std::uint32_t number, std::function<void(SearchState&)> const& change) -> std::string {
        auto state = start_tests(done(job));
        state.as<search::Tests>().position = 64;
        state.as<search::Tests>().counts.wins = {60, 4};
        change(state);
        Progress progress;
        progress.note({Purpose::test, number}, state);
        try {
            job.agenda->check(progress);
        } catch (InputError const& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(complaint(0, [](auto&) {}), "");
    EXPECT_EQ(complaint(num_sample_sizes, [](auto&) {}), "has a search that is none of this job");
    EXPECT_EQ(complaint(usual_size, [](auto&) {}), "has a search with counts of more or fewer trees");
    EXPECT_EQ(complaint(0, [](auto& s) { tests(s).counts.wins = {1}; }),
              "has a search with counts of more or fewer trees");
    EXPECT_EQ(complaint(0,
                        [](auto& s) {
                            tests(s).counts.sh = {1, 2};
                        }),
              "has a search with counts of more or fewer trees");
    EXPECT_EQ(complaint(0, [](auto& s) { tests(s).counts.wins[1] = 101; }),
              "has a search with a count of more samples than there are");
    EXPECT_EQ(complaint(0, [](auto& s) { tests(s).position = 100; }), "has a search of more samples than this job has");
    EXPECT_EQ(complaint(0, [](auto& s) { s.task = Climb(); }), "has a search that does other work than its name says");
}

TEST(ForgedCheckpoint, SaysWhatIsWrongWithAMerging) {
    SomeJob job;
    job.options.command = Command::merge;
    job.dataset.partition_begin = {0, 10, 20};
    auto const complaint = [&](std::function<void(SearchState&)> const& change) -> std::string {
        auto state = start_merging(done(job));
        change(state);
        Progress progress;
        progress.note({Purpose::merge}, SearchState::from_bytes(state.to_bytes()));
        try {
            job.agenda->check(progress);
        } catch (InputError const& error) {
            return error.what();
        }
        return "";
    };
    auto const try_union = [](SearchState& s, Subset subset) {
        merging(s).phase = Merging::Phase::pairs;
        merging(s).running.push_back(merging(s).scheme[0]);
        merging(s).running[0].subset = std::move(subset);
    };
    EXPECT_EQ(complaint([](auto&) {}), "");
    EXPECT_EQ(complaint([](auto& s) { merging(s).scheme.pop_back(); }),
              "has a search with a scheme that lacks partitions, or has one twice");
    EXPECT_EQ(complaint([](auto& s) { merging(s).scheme[0].lengths = {0.1}; }),
              "has a search with a subset of more or fewer branches");
    EXPECT_EQ(complaint([&](auto& s) { try_union(s, {0, 7}); }), "has a search with a subset that is none");
    EXPECT_EQ(complaint([&](auto& s) {
                  try_union(s, {0, 1});
              }),
              "has a search that merges partitions with different models");
    EXPECT_EQ(complaint([&](auto& s) { try_union(s, {1}); }), "has a search with a union of other subsets");
    EXPECT_EQ(complaint([](auto& s) { merging(s).phase = Merging::Phase::pairs; }),
              "has a search that tries no unions, or in another phase");
    EXPECT_EQ(complaint([](auto& s) {
                  merging(s).waiting = {{0, 1}};
              }),
              "has a search that waits for a union of other subsets");
    EXPECT_EQ(complaint([](auto& s) {
                  merging(s).merges = {{{0}, {9}, {}}};
              }),
              "has a search that has merged what is no partition");
}

}  // namespace
}  // namespace regraft::phylo
