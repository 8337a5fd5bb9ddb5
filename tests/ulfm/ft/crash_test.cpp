// Ranks that crash by themselves, as a program does that must not go on alone with an error: to the others it is a
// death.
#include <mpi.h>

#include <csignal>
#include <cstdlib>

#include <gtest/gtest.h>

#include "regraft/ft/reduce.hpp"
#include "regraft/ft/resilient.hpp"

namespace regraft::ft {
namespace {

/// The odd ranks crash in different ways, after some reductions that went well.
void crash(PeId self) {
    std::signal(SIGABRT, SIG_DFL);  // without MPI's report of where it was
    std::signal(SIGSEGV, SIG_DFL);
    if (value(self) % 4 == 1) std::abort();
    if (value(self) % 4 == 3) static_cast<void>(raise(SIGSEGV));
}

TEST(Crash, IsADeathToTheOthers) {
    Communicator comm(MPI_COMM_WORLD);
    auto const sum = resilient(
        comm,
        [&] {
            ExactSum ones;
            for (int i = 0; i < 20; ++i) {
                if (i == 10) crash(comm.self());
                ones = {};
                ones.add(1);
                all_reduce(comm, std::span(&ones, 1));
            }
            return ones.value();
        },
        [](Failure const&) {});
    EXPECT_EQ(sum, static_cast<double>((comm.num_founders() + 1) / 2));
}

}  // namespace
}  // namespace regraft::ft
