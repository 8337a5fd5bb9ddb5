#include <gtest/gtest.h>

#include "support/shield/shield_pending_explorer.hpp"

namespace regraft::shield::test::pending {
namespace {

Operation const synchronising{};
Operation from(int root) {
    return {root};
}

using Named = test::Named<Scenario>;
using Broken = test::Broken<Scenario, Mutant>;

Scenario const two_at_once{.ranks = 2, .operations = {synchronising, synchronising}};
Scenario const two_among_three{.operations = {synchronising, synchronising}};
Scenario const from_who_dies{.operations = {from(0), synchronising}};
Scenario const lying{.ranks = 3, .operations = {synchronising}, .lies = true};

class EveryOrderOfPendingEvents : public testing::TestWithParam<Named> {};

TEST_P(EveryOrderOfPendingEvents, GivesSurvivorsTheSameOutcomesAndAnEnd) {
    expect_sound<Explorer>(GetParam().scenario);
}

INSTANTIATE_TEST_SUITE_P(
    ShieldPending, EveryOrderOfPendingEvents,
    testing::Values(Named{"one_rank", {.ranks = 1, .deaths = 0, .operations = {synchronising, from(0)}}},
                    Named{"nobody_dies", {.deaths = 0, .operations = {from(1), synchronising}}},
                    Named{"two_at_once", two_at_once}, Named{"two_among_three", two_among_three},
                    Named{"three_at_once", {.ranks = 2, .operations = {synchronising, from(1), synchronising}}},
                    Named{"from_who_dies", from_who_dies}, Named{"lying", lying},
                    Named{"lying_to_two", {.ranks = 2, .operations = {synchronising, from(0)}, .lies = true}},
                    Named{"only_one_survives", {.deaths = 2, .operations = {synchronising}}},
                    Named{"called_without_death",
                          {.ranks = 2, .operations = {synchronising, from(0)}, .calls_without_death = true}},
                    Named{"called_without_death_by_one_of_three",
                          {.operations = {from(2)}, .calls_without_death = true}}),
    by_name);

constexpr auto unconfirmed = "an operation is over that has not succeeded everywhere";
constexpr auto hang = "survivors wait for ever";
constexpr auto mismatch = "two members are in different operations";
constexpr auto two_outcomes = "two outcomes of one operation";

class PendingProtocolWithout : public testing::TestWithParam<Broken> {};

TEST_P(PendingProtocolWithout, IsFoundToBeBroken) {
    expect_found<Explorer>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    ShieldPending, PendingProtocolWithout,
    testing::Values(Broken{"rounds", Mutant::confirms_nothing, from_who_dies, unconfirmed},
                    Broken{"telling_what_is_settled", Mutant::knows_only_itself, two_among_three, mismatch},
                    Broken{"asking_whether_somebody_was_lost", Mutant::trusts_survivors, lying,
                           "a wrong result is returned"},
                    Broken{"new_attempts_of_all", Mutant::keeps_successes, from_who_dies, two_outcomes},
                    Broken{"all_stages", Mutant::one_stage, from_who_dies, unconfirmed},
                    Broken{"a_minimum", Mutant::tells_itself_only, two_among_three, hang},
                    Broken{"the_order_of_starts", Mutant::restarts_backwards, two_among_three, mismatch},
                    Broken{"restarting", Mutant::forgets_what_is_new, two_among_three, hang}),
    by_name);

}  // namespace
}  // namespace regraft::shield::test::pending
