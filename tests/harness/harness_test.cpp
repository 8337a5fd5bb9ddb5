// Programs that misbehave, one per test, to prove that run_mpi.py notices. Each is run alone by --gtest_filter.
#include <mpi.h>

#include <csignal>
#include <stdexcept>

#include <gtest/gtest.h>
#include <unistd.h>

namespace {

int rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

TEST(Harness, Passes) {
    EXPECT_GE(rank(), 0);
}

TEST(Harness, Rank1Dies) {
    if (rank() == 1) raise(SIGKILL);
}

TEST(Harness, Rank1LeavesEarly) {
    if (rank() == 1) _exit(0);
}

TEST(Harness, Rank1Fails) {
    EXPECT_NE(rank(), 1);
}

TEST(Harness, Rank1Throws) {
    if (rank() == 1) throw std::runtime_error("thrown on purpose");
}

TEST(Harness, Rank1Hangs) {
    while (rank() == 1) pause();
}

}  // namespace
