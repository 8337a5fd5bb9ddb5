// A program that has forgotten one MPI_COMM_WORLD: recoveries do not help it, so it ends and says why.
#include <mpi.h>

#include <csignal>
#include <string>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"

namespace regraft::ft {
namespace {

TEST(Recovery, EndsWhereItCannotHelp) {
    Communicator comm(MPI_COMM_WORLD);
    int recoveries = 0;
    testing::internal::CaptureStderr();
    EXPECT_THROW(resilient(
                     comm,
                     [&] {
                         if (comm.self() == PeId{1}) static_cast<void>(raise(SIGKILL));
                         int sum = 1;
                         comm.check(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
                                    "MPI_Allreduce");
                     },
                     [&](Failure const&) { ++recoveries; }),
                 EndlessRecovery);
    auto const said = testing::internal::GetCapturedStderr();
    EXPECT_GT(recoveries, 0);
    bool const tells =
        said.find("MPI_Allreduce failed on a communicator that the library does not know") != std::string::npos;
    EXPECT_FALSE(comm.agree(!tells)) << "the rank that has seen it says so";
    EXPECT_EQ(comm.size() + 1, comm.num_founders());
}

}  // namespace
}  // namespace regraft::ft
