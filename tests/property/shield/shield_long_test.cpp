// Explorations that take more than a moment: four ranks of which two die, and programs drawn by the hundred.
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "support/shield/shield_programs.hpp"

namespace regraft::shield::test {
namespace {

void expect_sound(Scenario const& scenario) {
    test::expect_sound<Explorer>(scenario);
}

TEST(ShieldProtocolLong, SurvivesTwoDeathsOfFourRanks) {
    expect_sound({.program = {broadcast(world, 0), broadcast(group, 2)}, .ranks = 4, .deaths = 2, .groups = {0b1100}});
    expect_sound(
        {.program = {large_broadcast(world, 0), all_reduce(group)}, .ranks = 4, .deaths = 2, .groups = {0b1110}});
    expect_sound({.program = {split(world, {0, 0, 1, 1}), all_reduce(child)}, .ranks = 4, .deaths = 2});
}

TEST(ShieldProtocolLong, CollectsAtTwoDeathsOfFourRanks) {
    expect_sound({.program = {reduce(world, 0), reduce(world, 1)}, .ranks = 4, .deaths = 2});
    expect_sound({.program = {reduce(world, 0), broadcast(world, 1), reduce(group, 2)},
                  .ranks = 4,
                  .deaths = 2,
                  .groups = {0b1110}});
}

TEST(ShieldProtocolLong, IsSoundForDrawnPrograms) {
    for (std::uint64_t seed = 1000; seed < 1600; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        auto const deaths = static_cast<std::uint8_t>(1 + seed % 2);
        expect_sound(drawn_scenario(seed, 3, deaths, 4 + seed % 3));
    }
    for (std::uint64_t seed = 2000; seed < 2060; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        expect_sound(drawn_scenario(seed, 4, 1, 4));
    }
}

}  // namespace
}  // namespace regraft::shield::test
