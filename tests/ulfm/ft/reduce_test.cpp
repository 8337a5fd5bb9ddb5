// Sums on a grid, with and without strays, while members die.
#include "regraft/ft/reduce.hpp"
#include <mpi.h>

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "regraft/ft/resilient.hpp"

namespace regraft::ft {
namespace {

constexpr int num_rounds = 6;
constexpr std::uint32_t most_weight = 100;
auto const scale = FixedScale::of(0x1p10, 64 * most_weight);

/// Strays come in every other round, from the first one on, of the second sum, and not from all members.
void add_terms(PeId pe, int round, std::array<FixedSum, 3>& sums) {
    Random random(mix(value(pe)) + static_cast<std::uint64_t>(round));
    for (auto& sum : sums) {
        sum.add(1000 * (random.unit() - 0.5), static_cast<std::uint32_t>(random.below(most_weight)), scale);
    }
    if (round % 2 != 0) return;
    if (value(pe) % 2 == 0) sums[1].add(1e9 * random.unit(), 3, scale);
    if (round == 2 && value(pe) == 1) sums[1].add(-std::numeric_limits<double>::infinity(), 1, scale);
}

void expect_sum_of_members(Communicator const& comm, int round, std::array<FixedSum, 3> const& sums) {
    std::array<FixedSum, 3> expected;
    for (auto const pe : comm.members()) add_terms(pe, round, expected);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        EXPECT_EQ(sums[i].high, expected[i].high);
        EXPECT_EQ(sums[i].low, expected[i].low);
        EXPECT_EQ(sums[i].num_strays, expected[i].num_strays);
        EXPECT_EQ(std::bit_cast<std::uint64_t>(sums[i].value(scale)),
                  std::bit_cast<std::uint64_t>(expected[i].value(scale)));
    }
}

TEST(AllReduce, OfFixedSumsGivesTheSumOfTheSurvivorsOrFails) {
    Communicator comm(MPI_COMM_WORLD);
    int round = 0;
    resilient(
        comm,
        [&] {
            for (round = 0; round < num_rounds; ++round) {
                std::array<FixedSum, 3> sums;
                add_terms(comm.self(), round, sums);
                all_reduce(comm, sums);
                expect_sum_of_members(comm, round, sums);
                EXPECT_TRUE(comm.agree(true));
            }
        },
        [](Failure const&) {});
    EXPECT_EQ(round, num_rounds);
}

}  // namespace
}  // namespace regraft::ft
