// Two communicators that are each a half of MPI_COMM_WORLD, and deaths while others are being derived from them, at
// unplanned moments.
#include <mpi.h>

#include <chrono>
#include <csignal>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "regraft/core/random.hpp"
#include "regraft/ft/derived.hpp"
#include "regraft/ft/resilient.hpp"

namespace regraft::ft {
namespace {

/// The last two of each half die, some time within the first milliseconds.
void die_some_time(Communicator const& comm, int half) {
    auto const self = value(comm.self());
    if (self + 2 < comm.num_founders()) return;
    std::thread([delay = std::chrono::microseconds(mix(self * 2 + static_cast<unsigned>(half)) % 8000)] {
        std::this_thread::sleep_for(delay);
        kill(getpid(), SIGKILL);
    }).detach();
}

TEST(Derived, SurvivesDeathsInItsMakingAlsoOnPartsOfTheWorld) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &parent);
    {
        Communicator comm(parent);
        Derived const copy = dup(comm);
        die_some_time(comm, rank % 2);
        int made = 0;
        resilient(
            comm,
            [&] {
                while (comm.size() + 2 > comm.num_founders()) {
                    Derived const pairs = split(comm, [&] { return static_cast<int>(comm.position(comm.self()) / 2); });
                    Derived const again = dup(comm);
                    for (auto const* derived : {&pairs, &again, &copy}) {
                        int sum = 1;
                        comm.check(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, derived->native()),
                                   "MPI_Allreduce");
                        EXPECT_EQ(sum, static_cast<int>(derived->members().size()));
                    }
                    ++made;
                }
            },
            [](Failure const&) {});
        EXPECT_EQ(comm.size() + 2, comm.num_founders());
        EXPECT_EQ(copy.members().size(), comm.size());
    }
    MPI_Comm_free(&parent);
}

}  // namespace
}  // namespace regraft::ft
