// The communicator under the failure plan of the row: whichever ranks die, the survivors meet and agree on the members.
#include "regraft/ft/communicator.hpp"
#include <mpi.h>

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/bytes.hpp"
#include "regraft/ft/reduce.hpp"
#include "regraft/ft/resilient.hpp"

namespace regraft::ft {
namespace {

TEST(Communicator, SurvivorsMeetWithTheSameMembersAndRightSums) {
    Communicator comm(MPI_COMM_WORLD);
    auto const started = comm.size();  // without those that died before they had met
    int rounds = 0;
    std::set<PeId> lost;  // a failure during a recovery tells of the same deaths once more
    auto const sum = resilient(
        comm,
        [&] {
            double result = 0;
            for (rounds = 0; rounds < 5; ++rounds) {
                ExactSum one;
                one.add(1.0 + value(comm.self()));
                all_reduce(comm, std::span(&one, 1));
                result = one.value();
                EXPECT_TRUE(comm.agree(true));
                EXPECT_FALSE(comm.agree(false));
                EXPECT_TRUE(comm.agree_equal(comm.size()));
            }
            return result;
        },
        [&](Failure const& failure) { lost.insert(failure.lost.begin(), failure.lost.end()); });

    EXPECT_EQ(rounds, 5);
    double expected = 0;
    for (auto pe : comm.members()) expected += 1.0 + value(pe);
    EXPECT_EQ(sum, expected);
    std::vector<PeId> const names(lost.begin(), lost.end());
    EXPECT_TRUE(comm.agree_equal(hash(std::as_bytes(std::span(names)))));  // uniform, also over failures of recoveries
    EXPECT_EQ(lost.size() + comm.size(), started);
    for (auto pe : lost) EXPECT_FALSE(std::binary_search(comm.members().begin(), comm.members().end(), pe));
    EXPECT_TRUE(comm.agree_equal(hash(std::as_bytes(comm.members()))));
    EXPECT_EQ(comm.leads(), comm.members().front() == comm.self());
}

}  // namespace
}  // namespace regraft::ft
