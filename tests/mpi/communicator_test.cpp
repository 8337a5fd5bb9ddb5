#include "regraft/ft/communicator.hpp"
#include <mpi.h>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"

namespace regraft::ft {
namespace {

TEST(Communicator, NumbersPesAsTheParentDoes) {
    Communicator comm(MPI_COMM_WORLD);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    EXPECT_EQ(comm.self(), PeId{static_cast<std::uint32_t>(rank)});
    EXPECT_EQ(comm.num_founders(), static_cast<std::uint32_t>(size));
    ASSERT_EQ(comm.size(), static_cast<std::size_t>(size));
    for (std::uint32_t i = 0; i < comm.num_founders(); ++i) EXPECT_EQ(comm.members()[i], PeId{i});
    EXPECT_EQ(comm.leads(), rank == 0);
}

TEST(Communicator, AgreesOnlyIfAllDo) {
    Communicator comm(MPI_COMM_WORLD);
    bool const several = comm.size() > 1;
    EXPECT_TRUE(comm.agree(true));
    EXPECT_FALSE(comm.agree(false));
    EXPECT_EQ(comm.agree(comm.leads()), !several);
    EXPECT_TRUE(comm.agree_equal(0x123456789abcdef));
    EXPECT_TRUE(comm.agree_equal(0));
    EXPECT_EQ(comm.agree_equal(value(comm.self())), !several);
    EXPECT_EQ(comm.agree_equal(comm.leads() ? 0x7fff : 0x7ffe), !several);
}

TEST(Communicator, ReportsOtherErrorsAsMpiError) {
    Communicator comm(MPI_COMM_WORLD);
    EXPECT_THROW(comm.check(MPI_Bcast(nullptr, -1, MPI_INT, 0, comm.native()), "MPI_Bcast"), MpiError);
    EXPECT_TRUE(comm.agree(true));
}

TEST(Communicator, CanBeRenewedWithoutAFailure) {
    Communicator comm(MPI_COMM_WORLD);
    auto const epoch = comm.epoch();
    EXPECT_TRUE(comm.shrink().empty());
    EXPECT_EQ(comm.epoch(), epoch + 1);
    EXPECT_TRUE(comm.agree(true));
}

TEST(Resilient, RunsTheBodyOnceAndReturnsItsResult) {
    Communicator comm(MPI_COMM_WORLD);
    int runs = 0;
    EXPECT_EQ(resilient(
                  comm, [&] { return ++runs; }, [](Failure const&) { FAIL(); }),
              1);
}

TEST(Resilient, LetsOtherExceptionsThrough) {
    Communicator comm(MPI_COMM_WORLD);
    EXPECT_THROW(resilient(
                     comm, []() -> int { throw MpiError("x"); }, [](Failure const&) { FAIL(); }),
                 MpiError);
}

}  // namespace
}  // namespace regraft::ft
