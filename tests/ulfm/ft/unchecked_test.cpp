// A program that forgets to check a call: it has wrong data, and goes back to before them.
#include <mpi.h>

#include <gtest/gtest.h>

#include "regraft/ft/derived.hpp"
#include "regraft/ft/resilient.hpp"

namespace regraft::ft {
namespace {

FailPoint death("test:death");

int careless_sum(Communicator& comm, MPI_Comm native) {
    int sum = 1;
    comm.reach(death);
    static_cast<void>(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, native));
    return sum;
}

TEST(Unchecked, DeathIsNoticedByTheNextAgreement) {
    Communicator comm(MPI_COMM_WORLD);
    auto const go_on = [](Failure const&) {};
    auto const on_itself = resilient(
        comm, [&] { return careless_sum(comm, comm.native()); }, go_on);
    EXPECT_EQ(on_itself, static_cast<int>(comm.size()));
    Derived const copy = dup(comm);
    auto const on_derived = resilient(
        comm, [&] { return careless_sum(comm, copy.native()); }, go_on);
    EXPECT_EQ(on_derived, static_cast<int>(comm.size()));
}

}  // namespace
}  // namespace regraft::ft
