#include "regraft/ft/communicator.hpp"
#include <mpi.h>

#include <exception>
#include <stdexcept>
#include <type_traits>

#include <gtest/gtest.h>

#include "regraft/ft/derived.hpp"
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

TEST(Derived, SaysOnAllThatItCannotBeMade) {
    Communicator comm(MPI_COMM_WORLD);
    auto const fail = [](MPI_Comm, MPI_Comm*) { return MPI_ERR_ARG; };
    auto const fail_on_one = [&](MPI_Comm parent, MPI_Comm* derived) {
        int const code = MPI_Comm_dup(parent, derived);
        return comm.leads() ? MPI_ERR_OTHER : code;
    };
    EXPECT_THROW(Derived(comm, fail), MpiError);
    EXPECT_THROW(Derived(comm, fail_on_one), MpiError);
    EXPECT_TRUE(comm.agree(true));
    EXPECT_TRUE(comm.shrink().empty());
}

TEST(Resilient, RunsTheBodyOnceAndReturnsItsResult) {
    Communicator comm(MPI_COMM_WORLD);
    int runs = 0;
    EXPECT_EQ(resilient(
                  comm, [&] { return ++runs; }, [](Failure const&) { FAIL(); }),
              1);
}

TEST(Resilient, RunsBodiesThatReturnNothing) {
    Communicator comm(MPI_COMM_WORLD);
    int runs = 0;
    resilient(
        comm, [&] { ++runs; }, [](Failure const&) { FAIL(); });
    EXPECT_EQ(runs, 1);
}

struct Refusal : std::runtime_error, Uniform {
    using std::runtime_error::runtime_error;
};

TEST(Resilient, LetsThroughWhatAllThrow) {
    Communicator comm(MPI_COMM_WORLD);
    EXPECT_THROW(resilient(
                     comm, [] { throw Divergence("x"); }, [](Failure const&) { FAIL(); }),
                 MpiError);
    EXPECT_THROW(resilient(
                     comm, []() -> int { throw Refusal("y"); }, [](Failure const&) { FAIL(); }),
                 std::runtime_error);
}

TEST(Resilient, LetsAnythingThroughIfNobodyElseIsThere) {
    Communicator comm(MPI_COMM_SELF);
    EXPECT_THROW(resilient(
                     comm, [] { throw MpiError("x"); }, [](Failure const&) { FAIL(); }),
                 MpiError);
}

TEST(ProcessFailure, IsNotSwallowedByHandlersOfErrors) {
    static_assert(!std::is_base_of_v<std::exception, ProcessFailure>);
    Communicator comm(MPI_COMM_WORLD);
    int failures = 0;
    resilient(
        comm,
        [&] {
            try {
                if (failures == 0) comm.declare_failure("a test");
            } catch (std::exception const&) {
                FAIL() << "the others wait in shrink";
            }
        },
        [&](Failure const& failure) {
            ++failures;
            EXPECT_EQ(failure.noticed_in, "a test");
        });
    EXPECT_EQ(failures, 1);
}

}  // namespace
}  // namespace regraft::ft
