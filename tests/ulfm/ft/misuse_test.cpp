// Processes that do what they must not: each ends with a message, and to the others that is a death.
#include <mpi.h>

#include <csignal>
#include <new>
#include <stdexcept>

#include <gtest/gtest.h>

#include "regraft/ft/reduce.hpp"
#include "regraft/ft/resilient.hpp"

namespace regraft::ft {
namespace {

double sum_of_ones(Communicator& comm) {
    ExactSum ones;
    ones.add(1);
    all_reduce(comm, std::span(&ones, 1));
    return ones.value();
}

/// Returns after a failure that this PE has noticed, with it in hand.
void run_into_a_failure(Communicator& comm) {
    try {
        for (;;) static_cast<void>(sum_of_ones(comm));
    } catch (ProcessFailure const&) {
        return;
    }
}

/// Rank 1 leaves the body alone, 2 dies, 3 asks for an agreement after it has seen a failure, 4 leaves the recovery.
TEST(Misuse, IsADeathToTheOthers) {
    std::signal(SIGABRT, SIG_DFL);  // without MPI's report of where it was
    Communicator comm(MPI_COMM_WORLD);
    auto const self = value(comm.self());
    auto const sum = resilient(
        comm,
        [&] {
            if (self == 1) throw std::bad_alloc();
            if (self == 2 && comm.size() < comm.num_founders()) static_cast<void>(raise(SIGKILL));
            if (self == 3 && comm.size() < comm.num_founders()) {
                run_into_a_failure(comm);
                comm.agree();
            }
            for (int i = 0; i < 10; ++i) static_cast<void>(sum_of_ones(comm));
            return sum_of_ones(comm);
        },
        [&](Failure const&) {
            if (self == 4) throw std::runtime_error("nobody else throws this");
        });
    EXPECT_EQ(sum, static_cast<double>(comm.num_founders() - std::min(4U, comm.num_founders() - 1)));
    EXPECT_EQ(sum, static_cast<double>(comm.size()));
}

}  // namespace
}  // namespace regraft::ft
