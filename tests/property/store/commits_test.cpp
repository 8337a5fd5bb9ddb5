#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "support/store/commit_explorer.hpp"

namespace regraft::test::commits {
namespace {

using Named = test::Named<Scenario>;
using Broken = test::Broken<Scenario, Mutant>;

Call commit(std::array<Set, max_members> changed, Set against = 0) {
    return {Call::Kind::commit, changed, changed, against};
}
Call update(std::array<Set, max_members> changed) {
    return {Call::Kind::update, changed, changed};
}

// The third commit is built where the first is, so chunks of the second are missing there.
Scenario const three_commits{.calls = {commit({1, 2, 3}), commit({2, 0, 1}), commit({0, 1, 2})}};
Scenario const two_commits{.calls = {commit({1, 2, 3}), commit({2, 0, 1})}, .deaths = 2};
// Member 1 is against the second commit, and may die before it has voted.
Scenario const dissent{.calls = {commit({1, 2, 3}), commit({2, 3, 1}, 0b010), commit({1, 0, 2})}};
// After a failure without deaths the program changes something else, where the spare buffer may have been written.
Scenario const alarms{.calls = {commit({1, 2, 3}),
                                {.changed = {2, 2, 1}, .again = {1, 1, 2}},
                                {.changed = {0, 1, 2}, .again = {3, 0, 0}}},
                      .deaths = 0,
                      .alarms = 2};

Scenario const two_updates{.calls = {update({1, 2, 3}), update({3, 0, 1})}, .deaths = 2};
// Without copies each death loses blocks, some of which an update gives again.
Scenario const without_copies{.calls = {update({1, 2, 3}), update({1, 3, 2})}, .replicas = 1, .deaths = 2};
Scenario const four_members{.calls = {update({1, 2, 3, 1}), update({3, 0, 1, 2})}, .members = 4, .deaths = 2};

Scenario const among_four{
    .calls = {commit({1, 2, 3, 0}), commit({2, 0, 1, 3}, 0b100), commit({0, 1, 2, 1})}, .members = 4, .deaths = 2};

class EveryOrderOfDeaths : public testing::TestWithParam<Named> {};

TEST_P(EveryOrderOfDeaths, LeavesOneVersionOnAllSurvivors) {
    expect_sound<Explorer>(GetParam().scenario);
}

INSTANTIATE_TEST_SUITE_P(Commits, EveryOrderOfDeaths,
                         testing::Values(Named{"three_commits", three_commits}, Named{"two_commits", two_commits},
                                         Named{"dissent", dissent}, Named{"alarms", alarms},
                                         Named{"two_updates", two_updates}, Named{"without_copies", without_copies},
                                         Named{"four_members", four_members}, Named{"among_four", among_four}),
                         by_name);

constexpr auto other_bytes = "the version that counts has other bytes";
constexpr auto different = "survivors have different versions";

class CommitsThat : public testing::TestWithParam<Broken> {};

TEST_P(CommitsThat, AreFoundToBeBroken) {
    expect_found<Explorer>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Commits, CommitsThat,
    testing::Values(Broken{"write_over_the_last", Mutant::writes_over_last_commit, three_commits, other_bytes},
                    Broken{"change_places_before_agreeing", Mutant::adopts_before_agreeing, three_commits, other_bytes},
                    Broken{"do_not_agree", Mutant::does_not_agree, three_commits, different},
                    Broken{"forget_older_changes", Mutant::forgets_older_changes, three_commits, other_bytes},
                    Broken{"take_the_spare_for_the_last", Mutant::takes_spare_for_the_last, dissent, other_bytes},
                    Broken{"keep_the_spare_after_a_failure", Mutant::keeps_spare_after_failure, alarms, other_bytes},
                    Broken{"do_not_speak_for_the_dead", Mutant::holders_stay_silent, dissent, other_bytes},
                    Broken{"ignore_dissent", Mutant::ignores_dissent, dissent, other_bytes}),
    by_name);

INSTANTIATE_TEST_SUITE_P(
    Updates, CommitsThat,
    testing::Values(Broken{"write_before_agreeing", Mutant::adopts_before_agreeing, two_updates, other_bytes},
                    Broken{"do_not_agree", Mutant::does_not_agree, two_updates, different},
                    Broken{"add_holders_early", Mutant::adds_holders_early, without_copies, other_bytes},
                    Broken{"forget_what_was_regained", Mutant::forgets_regained, without_copies,
                           "a block is lost whose holder lives"}),
    by_name);

TEST(Commits, AreSoundForDrawnChanges) {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(seed);
        Scenario scenario{.calls = {}, .alarms = static_cast<std::uint8_t>(seed % 2)};
        auto const kind = seed % 3 == 0 ? Call::Kind::update : Call::Kind::commit;
        for (int i = 0; i < 3; ++i) {
            Call call{kind};
            for (auto& row : call.changed) row = static_cast<Set>(random.below(1 << num_chunks));
            for (auto& row : call.again) row = static_cast<Set>(random.below(1 << num_chunks));
            if (random.below(4) == 0) call.against = only(random.below(scenario.members));
            scenario.calls.push_back(call);
        }
        if (kind == Call::Kind::update) scenario.replicas = static_cast<std::uint8_t>(1 + random.below(2));
        expect_sound<Explorer>(scenario);
    }
}

}  // namespace
}  // namespace regraft::test::commits
