// A rank dies, and the calls of the others succeed all the same: an agreement tells of the death.
#include <mpi.h>

#include <csignal>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"

namespace regraft::ft {
namespace {

TEST(Agreement, TellsOfADeathThatNoCallHasNoticed) {
    Communicator comm(MPI_COMM_WORLD);
    PeId const victim{comm.num_founders() - 1};
    resilient(
        comm,
        [&] {
            if (comm.size() < comm.num_founders()) return;
            if (comm.self() == victim) static_cast<void>(raise(SIGKILL));
            char const byte = 0;  // a small message to the dead succeeds
            MPI_Request request = MPI_REQUEST_NULL;
            comm.check(MPI_Isend(&byte, 1, MPI_CHAR, static_cast<int>(comm.position(victim)), comm.next_tag(),
                                 comm.native(), &request),
                       "MPI_Isend");
            comm.check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
            for (;;) comm.agree();
        },
        [&](Failure const& failure) { EXPECT_EQ(failure.lost, std::vector{victim}); });
    EXPECT_EQ(comm.size() + 1, comm.num_founders());
}

}  // namespace
}  // namespace regraft::ft
