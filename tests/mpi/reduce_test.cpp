#include "regraft/ft/reduce.hpp"
#include <mpi.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"

namespace regraft::ft {
namespace {

std::vector<double> terms(std::uint64_t seed) {
    Random random(seed);
    std::vector<double> result;
    for (int i = 0; i < 999; ++i) result.push_back((random.unit() - 0.5) * (random.below(2) == 0 ? 1e-200 : 1e12));
    return result;
}

TEST(AllReduce, GivesTheBitsOfTheSumOnOneRank) {
    Communicator comm(MPI_COMM_WORLD);
    std::vector<ExactSum> sums(2);
    std::vector<ExactSum> expected(2);
    for (std::uint64_t which : {0, 1}) {
        auto const all = terms(which);
        for (std::size_t i = 0; i < all.size(); ++i) {
            expected[which].add(all[i]);
            bool const mine = (i * 7 + which) % comm.size() == value(comm.self());
            if (mine) sums[which].add(all[i]);
        }
    }
    all_reduce(comm, sums);
    for (std::size_t which : {0U, 1U}) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(sums[which].value()),
                  std::bit_cast<std::uint64_t>(expected[which].value()));
    }
}

TEST(AllReduce, CarriesInfinities) {
    Communicator comm(MPI_COMM_WORLD);
    ExactSum sum;
    sum.add(comm.leads() ? -std::numeric_limits<double>::infinity() : 1.0);
    all_reduce(comm, std::span(&sum, 1));
    EXPECT_EQ(sum.value(), -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace regraft::ft
