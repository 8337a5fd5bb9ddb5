#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "support/shield/shield_programs.hpp"

namespace regraft::shield::test {
namespace {

using Named = test::Named<Scenario>;
using Broken = test::Broken<Scenario, Mutant>;

// Rank 1 has the broadcast of rank 0, which dies, and waits for rank 2, which does not have it.
Scenario const waits_for_message{.program = {broadcast(world, 0), message(2, 1), all_reduce(world)}};
Scenario const waits_in_group{.program = {broadcast(world, 0), all_reduce(group), all_reduce(world)},
                              .groups = {0b110}};
Scenario const confirmed{.program = {large_broadcast(world, 0), all_reduce(group), large_reduce(world, 1)},
                         .groups = {0b110}};
// Rank 0 uses its part while others still make theirs.
Scenario const splits{.program = {split(world, {0, 0, 1}), all_reduce(child), release(child)}};
Scenario const outsider_dies{.program = {split(world, {0, 0, 1}), all_reduce(child), release(child)}, .mortal = 0b100};
Scenario const duplicates{.program = {split(world, {0, 0, 0}), broadcast(child, 1), release(child)}};
// If a member makes the child when the death is announced, the child never hears of it.
Scenario const uses_duplicate{.program = {split(world, {0, 0, 0}), all_reduce(child)}};
Scenario const splits_late{.program = {split(world, {1, 0, 0}), broadcast(child, 1)}, .control_is_young = true};
// Two communicators on which something has to be forwarded, and a death while that is done.
Scenario const dies_in_replay{
    .program = {broadcast(world, 0), broadcast(group, 2)}, .ranks = 4, .deaths = 2, .groups = {0b1100}};

// Rank 1 has given its input to rank 0, which may lack it, and goes on; rank 2 comes later.
Scenario const collects{.program = {message(1, 2), reduce(world, 0), message(1, 2), all_reduce(world)}};
Scenario const collects_from_who_waits{.program = {reduce(world, 0), message(2, 1), all_reduce(world)}};
// No rank waits for another, except the roots.
Scenario const roots_in_a_row{.program = {reduce(world, 0), reduce(world, 1), reduce(world, 2)}};
// Of four ranks one has given its input, one is the root, one comes late, and one dies.
Scenario const collects_late{.program = {reduce(world, 0), reduce(world, 1)}, .ranks = 4};
Scenario const collects_at_two_deaths{.program = {reduce(world, 0), message(2, 1)}, .ranks = 4, .deaths = 2};

// Some of the inputs are small, and kept, and others are acknowledged.
Scenario const acknowledges{.program = {gather_unlike(world, 0, 0b110), message(2, 1), reduce(world, 1)}};
Scenario const acknowledges_some{.program = {gather_unlike(world, 0, 0b100), all_reduce(world)}};

class EveryOrderOfEvents : public testing::TestWithParam<Named> {};

TEST_P(EveryOrderOfEvents, GivesSurvivorsTheSameOutcomesAndAnEnd) {
    expect_sound<Explorer>(GetParam().scenario);
}

INSTANTIATE_TEST_SUITE_P(
    ShieldProtocol, EveryOrderOfEvents,
    testing::Values(
        Named{"one_rank", {.program = {broadcast(world, 0), all_reduce(world)}, .ranks = 1, .deaths = 0}},
        Named{"nobody_dies",
              {.program = {broadcast(world, 0), large_reduce(world, 1), all_reduce(world)}, .deaths = 0}},
        Named{"two_ranks", {.program = {broadcast(world, 0), large_reduce(world, 1), all_reduce(world)}, .ranks = 2}},
        Named{"waits_for_message", waits_for_message}, Named{"waits_in_group", waits_in_group},
        Named{"confirmed", confirmed}, Named{"splits", splits}, Named{"duplicates", duplicates},
        Named{"splits_late", splits_late},
        Named{"synchronises", {.program = {all_reduce(world), large_reduce(world, 0), all_to_all(world)}}},
        Named{"fills_the_window",
              {.program = {broadcast(world, 0), broadcast(world, 1), broadcast(world, 0)}, .options = {.window = 2}}},
        Named{"root_stays_dead",
              {.program = {large_reduce(world, 0), broadcast(world, 0), large_reduce(world, 0)},
               .options = {.window = 2}}},
        Named{"always_confirms",
              {.program = {broadcast(world, 0), all_reduce(world)}, .options = {.always_confirm = true}}},
        Named{"splits_for_some", {.program = {split(world, {no_colour, 0, 0}), all_reduce(child), all_reduce(world)}}},
        Named{"only_one_survives", {.program = {broadcast(world, 0), large_reduce(world, 1)}, .deaths = 2}},
        Named{"dies_in_creation_and_repair", {.program = uses_duplicate.program, .deaths = 2}},
        Named{"collects", collects}, Named{"collects_from_who_waits", collects_from_who_waits},
        Named{"roots_in_a_row", roots_in_a_row},
        Named{"one_root_in_a_row",
              {.program = {reduce(world, 0), reduce(world, 0), reduce(world, 0)}, .options = {.window = 3}}},
        Named{"collects_between_broadcasts",
              {.program = {reduce(world, 0), broadcast(world, 1), reduce(world, 1), broadcast(world, 0)}}},
        Named{"collects_in_a_group",
              {.program = {reduce(group, 1), reduce(world, 0), reduce(group, 2)}, .groups = {0b110}}},
        Named{"collects_and_splits", {.program = {reduce(world, 0), split(world, {0, 0, 1}), all_reduce(child)}}},
        Named{"collects_and_confirms",
              {.program = {reduce(world, 0), large_reduce(world, 1), reduce(world, 0)}, .options = {.window = 2}}},
        Named{"collects_late", collects_late}, Named{"collects_at_two_deaths", collects_at_two_deaths},
        Named{"acknowledges", acknowledges}, Named{"acknowledges_some", acknowledges_some},
        Named{"acknowledges_in_a_row",
              {.program = {gather_unlike(world, 0, 0b100), gather_unlike(world, 0, 0b010), gather_unlike(world, 1, 0)},
               .options = {.window = 3}}},
        Named{"acknowledges_late",
              {.program = {gather_unlike(world, 0, 0b1100), gather_unlike(world, 1, 0b1000)}, .ranks = 4}},
        Named{"acknowledges_at_two_deaths",
              {.program = {gather_unlike(world, 0, 0b1010), message(2, 1)}, .ranks = 4, .deaths = 2}},
        Named{"collects_late_in_a_row",
              {.program = {reduce(world, 0), reduce(world, 0)}, .ranks = 4, .options = {.window = 2}}},
        Named{"collects_late_between_messages",
              {.program = {message(2, 3), reduce(world, 0), message(3, 1), broadcast(world, 2)}, .ranks = 4}},
        Named{"collects_twice_at_two_deaths", {.program = {reduce(world, 0), reduce(world, 1)}, .deaths = 2}},
        Named{"four_ranks", {.program = {broadcast(world, 0), all_reduce(world)}, .ranks = 4}}),
    by_name);

class ProtocolWithout : public testing::TestWithParam<Broken> {};

TEST_P(ProtocolWithout, IsFoundToBeBroken) {
    expect_found<Explorer>(GetParam());
}

constexpr auto hang = "survivors wait for ever";
constexpr auto nobody_kept = "an outcome is needed that nobody kept";

INSTANTIATE_TEST_SUITE_P(
    Shield, ProtocolWithout,
    testing::Values(
        Broken{"polls_for_messages", Mutant::no_poll, waits_for_message, hang},
        Broken{"forwarding_to_who_waits_for_a_message", Mutant::no_forward, waits_for_message, hang},
        Broken{"forwarding_to_a_group", Mutant::no_forward, waits_in_group, hang},
        Broken{"forwarding_in_a_window",
               Mutant::no_forward,
               {.program = {broadcast(world, 0), broadcast(world, 1), broadcast(world, 0)}, .options = {.window = 2}},
               "two outcomes of one operation"},
        Broken{"revoking_all_lanes", Mutant::no_cascade, waits_in_group, hang},
        Broken{"committing_late", Mutant::no_commit, confirmed, hang},
        Broken{"two_barriers", Mutant::one_barrier, outsider_dies, hang},
        Broken{"two_barriers_to_hear_of_deaths", Mutant::one_barrier, uses_duplicate, hang},
        Broken{"two_barriers_before_it_revokes", Mutant::one_barrier_and_revoke, outsider_dies,
               "a communicator is revoked while a member is inside of the call that makes it"},
        Broken{"keeping_by_the_parent", Mutant::child_kept_by_itself, splits,
               "a creation returns without what it made"},
        Broken{"keeping_children", Mutant::children_not_kept, splits, "a creation returns without what it made"},
        Broken{"shrinking_the_world", Mutant::shrinks_control, splits_late, hang},
        Broken{"a_vote", Mutant::no_vote, waits_for_message, hang},
        Broken{"leaving_a_repair_together", Mutant::leaves_alone, dies_in_replay, hang},
        Broken{"reports_of_children", Mutant::no_reports_of_children, duplicates,
               "two members are in different operations"},
        Broken{"closing_freed_lanes", Mutant::no_closing, duplicates, hang},
        Broken{"a_log_of_what_has_returned", Mutant::forgets_early, waits_for_message, nobody_kept},
        Broken{"waking_who_is_in_a_replay", Mutant::does_not_revoke_lanes_late, dies_in_replay, hang},
        Broken{"collecting", Mutant::no_forward, collects_from_who_waits, hang},
        Broken{"giving_late", Mutant::gives_nothing, collects_late, hang},
        Broken{"keeping_inputs", Mutant::forgets_inputs, collects_from_who_waits, nobody_kept},
        Broken{"keeping_inputs_over_repairs", Mutant::forgets_inputs_in_repair, collects_at_two_deaths, hang},
        Broken{"taking_anew", Mutant::takes_twice, collects_at_two_deaths, "an input is taken twice"},
        Broken{"dropping_inputs_of_the_dead", Mutant::keeps_inputs_of_dead, collects_at_two_deaths,
               "the dead contribute"},
        Broken{"knowing_who_has_given", Mutant::awaits_all, collects_from_who_waits, hang},
        Broken{"acknowledging", Mutant::awaits_no_acknowledgement, acknowledges_some,
               "a root returns without its inputs"},
        Broken{"telling_of_arrival", Mutant::no_arrival, collects_from_who_waits,
               "two members are in different operations"}),
    by_name);

TEST(ShieldProtocol, IsSoundForDrawnPrograms) {
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        expect_sound<Explorer>(drawn_scenario(seed, 3, 1, 4));
    }
}

TEST(ShieldProtocol, IsSoundForDrawnProgramsWithSeveralDeaths) {
    for (std::uint64_t seed = 101; seed <= 120; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        expect_sound<Explorer>(drawn_scenario(seed, 3, 2, 3));
    }
}

}  // namespace
}  // namespace regraft::shield::test
