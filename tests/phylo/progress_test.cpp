#include "progress/progress.hpp"

#include <gtest/gtest.h>

#include "search/small_dataset.hpp"

namespace regraft::phylo {
namespace {

SearchState state_after(std::uint64_t steps, Stage stage = Stage::near_spr) {
    auto const data = test::small_dataset(1, 6);
    SearchState state(msa::random_tree(6, 1));
    state.specs = data.specs;
    state.models = data.models;
    state.as<Climb>().stage = stage;
    state.steps = steps;
    state.loglh = -1.0 - static_cast<double>(steps);
    return state;
}

constexpr Item first{Purpose::start, 0};
constexpr Item second{Purpose::start, 1};

TEST(Progress, KeepsTheStateWithMostSteps) {
    Progress progress;
    progress.note(first, state_after(3));
    progress.note(first, state_after(5));
    progress.note(first, state_after(4));
    EXPECT_EQ(progress.find(first)->steps, 5U);
    EXPECT_EQ(progress.find(second), nullptr);
}

TEST(Progress, BecomesTheSameInWhateverOrderBoardsAreMerged) {
    Progress mine;
    mine.note(first, state_after(3));
    mine.note(second, state_after(7));
    Progress other;
    other.note(first, state_after(9));
    other.note({Purpose::replicate, 2}, state_after(1));
    auto forward = mine;
    forward.merge(other);
    auto backward = other;
    backward.merge(mine);
    EXPECT_EQ(forward.to_bytes(), backward.to_bytes());
    EXPECT_EQ(forward.find(first)->steps, 9U);
    EXPECT_EQ(forward.states().size(), 3U);
    forward.merge(other);
    EXPECT_EQ(forward.to_bytes(), backward.to_bytes());
}

TEST(Progress, ComesBackFromItsBytes) {
    Progress progress;
    progress.note({Purpose::replicate, 70'000}, state_after(3));
    progress.note({Purpose::model_choice}, state_after(2, Stage::done));
    auto const again = Progress::from_bytes(progress.to_bytes());
    EXPECT_EQ(again.to_bytes(), progress.to_bytes());
    EXPECT_TRUE(again.is_done({Purpose::model_choice}));
    EXPECT_FALSE(again.is_done({Purpose::replicate, 70'000}));
    EXPECT_FALSE(again.is_done(first));
    EXPECT_TRUE(Progress::from_bytes(Progress().to_bytes()).empty());
}

}  // namespace
}  // namespace regraft::phylo
