// Collectives of groups: communicators derived from one that survives.
#include <mpi.h>

#include <array>

#include <gtest/gtest.h>

#include "regraft/core/fixed_sum.hpp"
#include "regraft/ft/reduce.hpp"

namespace regraft::ft {
namespace {

TEST(Groups, AddUpWhatTheirMembersHave) {
    Communicator comm(MPI_COMM_WORLD);
    auto const mine = value(comm.self()) % 2;
    Derived const group = split(comm, [mine] { return static_cast<int>(mine); });
    auto const scale = FixedScale::of(0x1p10, 1000);
    std::array<FixedSum, 2> fixed;
    fixed[0].add(value(comm.self()) + 0.5, 1, scale);
    if (comm.self() == PeId{0}) fixed[1].add(1e30, 1, scale);  // a stray, in one group only
    std::array<ExactSum, 1> exact;
    exact[0].add(0x1p-300 * value(comm.self()));
    all_reduce({comm, group}, fixed);
    all_reduce({comm, group}, exact);
    double sum = 0;
    double count = 0;
    for (std::uint32_t pe = mine; pe < comm.size(); pe += 2) {
        sum += pe;
        ++count;
    }
    EXPECT_EQ(fixed[0].value(scale), sum + 0.5 * count);
    EXPECT_EQ(fixed[1].value(scale), mine == 0 ? 1e30 : 0);
    EXPECT_EQ(exact[0].value(), 0x1p-300 * sum);
}

TEST(Groups, CompareNumbersAmongThemselves) {
    Communicator comm(MPI_COMM_WORLD);
    auto const mine = value(comm.self()) % 2;
    Derived const group = split(comm, [mine] { return static_cast<int>(mine); });
    EXPECT_TRUE(all_equal({comm, group}, mine));
    EXPECT_EQ(all_equal(comm, mine), comm.size() == 1);
    auto const last = value(comm.self()) + 1 == comm.size();
    EXPECT_EQ(all_equal(comm, ~std::uint64_t{0} - (last ? 1 : 0)), comm.size() == 1);
    comm.look_for_failures();  // there are none
}

}  // namespace
}  // namespace regraft::ft
