#include "regraft/ft/reduce.hpp"
#include <mpi.h>

#include <bit>
#include <cmath>
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

TEST(AllReduce, AddsManyWholeNumbersModulo2To64) {
    Communicator comm(MPI_COMM_WORLD);
    std::vector<std::uint64_t> sums((std::size_t{1} << 20) + 3, ~std::uint64_t{0});
    sums.back() = value(comm.self());
    all_reduce(comm, std::span(sums));
    EXPECT_EQ(sums.front(), std::uint64_t{0} - comm.size());
    EXPECT_EQ(sums[1U << 20], std::uint64_t{0} - comm.size());
    std::uint64_t expected = 0;
    for (auto const pe : comm.members()) expected += value(pe);
    EXPECT_EQ(sums.back(), expected);
}

TEST(AllReduce, CarriesInfinities) {
    Communicator comm(MPI_COMM_WORLD);
    ExactSum sum;
    sum.add(comm.leads() ? -std::numeric_limits<double>::infinity() : 1.0);
    all_reduce(comm, std::span(&sum, 1));
    EXPECT_EQ(sum.value(), -std::numeric_limits<double>::infinity());
}

/// The sum if each term is on the rank that `owner` says.
template <class Owner>
FixedSum reduced(Communicator& comm, std::vector<double> const& values, FixedScale const& scale, Owner owner) {
    FixedSum sum;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (owner(i) % comm.size() == value(comm.self()))
            sum.add(values[i], static_cast<std::uint32_t>(1 + i % 3), scale);
    }
    all_reduce(comm, std::span(&sum, 1));
    return sum;
}

TEST(AllReduce, OfFixedSumsGivesTheBitsOfTheSumOnOneRank) {
    Communicator comm(MPI_COMM_WORLD);
    auto const scale = FixedScale::of(0x1p37, 3 * 999);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        auto values = terms(seed);
        if (seed == 0) {
            for (auto& x : values) x = std::ldexp(x, -2);  // none is a stray
        }
        auto const alone = reduced(comm, values, scale, [](std::size_t) { return 0; });
        auto const dealt = reduced(comm, values, scale, [](std::size_t i) { return i * 7; });
        EXPECT_EQ(alone.num_strays > 0, seed > 0);
        EXPECT_EQ(dealt.num_strays, alone.num_strays);
        EXPECT_EQ(std::bit_cast<std::uint64_t>(dealt.value(scale)), std::bit_cast<std::uint64_t>(alone.value(scale)));
        EXPECT_TRUE(comm.agree_equal(std::bit_cast<std::uint64_t>(dealt.value(scale))));
    }
}

TEST(AllReduce, OfFixedSumsCarriesAStrayOfOneRank) {
    Communicator comm(MPI_COMM_WORLD);
    auto const scale = FixedScale::of(1, 100);
    std::vector<FixedSum> sums(3);
    for (auto& sum : sums) sum.add(0.5, 1, scale);
    if (comm.leads()) sums[1].add(-std::numeric_limits<double>::infinity(), 1, scale);
    all_reduce(comm, sums);
    auto const expected = 0.5 * static_cast<double>(comm.size());
    EXPECT_EQ(sums[0].value(scale), expected);
    EXPECT_EQ(sums[1].value(scale), -std::numeric_limits<double>::infinity());
    EXPECT_EQ(sums[2].value(scale), expected);
}

}  // namespace
}  // namespace regraft::ft
