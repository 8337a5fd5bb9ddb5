#include "regraft/ft/communicator.hpp"
#include <mpi.h>

#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

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

TEST(Communicator, RefusesRanksThatSlurmHasStarted) {
    std::string const by_mpirun = std::getenv("PMIX_NAMESPACE") == nullptr ? "" : std::getenv("PMIX_NAMESPACE");
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    setenv("PMIX_NAMESPACE", "slurm.pmix.7.0", 1);
    if (size > 1 && survives_real_deaths()) {
        try {
            Communicator const comm(MPI_COMM_WORLD);
            ADD_FAILURE() << "not refused";
        } catch (WrongLauncher const& error) {
            EXPECT_NE(std::string(error.what()).find("regraft-run -n " + std::to_string(size)), std::string::npos);
        }
        setenv("REGRAFT_MCA", "ignore", 1);
    }
    EXPECT_NO_THROW(Communicator(MPI_COMM_WORLD).agree());
    unsetenv("REGRAFT_MCA");
    setenv("PMIX_NAMESPACE", "prterun-n0-8@1", 1);
    setenv("SLURM_STEP_ID", "0", 1);  // ranks whose daemon Slurm has started have this variable, too
    EXPECT_NO_THROW(Communicator(MPI_COMM_WORLD).agree());
    unsetenv("SLURM_STEP_ID");
    setenv("PMIX_NAMESPACE", by_mpirun.c_str(), 1);
}

TEST(Communicator, ReportsOtherErrorsAsMpiError) {
    Communicator comm(MPI_COMM_WORLD);
    EXPECT_THROW(comm.check(MPI_Bcast(nullptr, -1, MPI_INT, 0, comm.native()), "MPI_Bcast"), MpiError);
    EXPECT_TRUE(comm.agree(true));
}

/// What this rank writes to its standard error.
template <class Work>
std::string said_in(Work work) {
    testing::internal::CaptureStderr();
    work();
    return testing::internal::GetCapturedStderr();
}

/// Whether the text names the call, where MPI tells it.
bool names(std::string const& said, [[maybe_unused]] char const* call) {
#ifdef OPEN_MPI
    if (said.find(call) == std::string::npos) return false;
#endif
    return said.find("its return code did not go through check()") != std::string::npos;
}

/// Whether a call that has failed returned so. Those of MPICH return MPI_SUCCESS after an error handler has returned.
bool is_error([[maybe_unused]] int code) {
#ifdef OPEN_MPI
    return code != MPI_SUCCESS;
#else
    return true;
#endif
}

TEST(Communicator, SaysWhichErrorWasNotChecked) {
    auto const ignore_error = [](MPI_Comm native) { static_cast<void>(MPI_Bcast(nullptr, -1, MPI_INT, 0, native)); };
    std::optional<Communicator> comm(MPI_COMM_WORLD);
    auto const agree = [&] { EXPECT_TRUE(comm->agree(true)); };
    ignore_error(comm->native());
    EXPECT_PRED2(names, said_in(agree), "MPI_Bcast");
    EXPECT_EQ(said_in(agree), "") << "it says so once";
    {
        Derived const copy = dup(*comm);
        ignore_error(copy.native());
        EXPECT_PRED2(names, said_in(agree), "MPI_Bcast");
        ignore_error(copy.native());
    }
    EXPECT_PRED2(names, said_in([&] { comm.reset(); }), "MPI_Bcast");
}

TEST(Communicator, IsSilentOnErrorsThatWereChecked) {
    EXPECT_EQ(said_in([] {
                  Communicator comm(MPI_COMM_WORLD);
                  EXPECT_THROW(comm.check(MPI_Bcast(nullptr, -1, MPI_INT, 0, comm.native()), "MPI_Bcast"), MpiError);
                  EXPECT_TRUE(comm.agree(true));
                  EXPECT_PRED1(is_error, MPI_Bcast(nullptr, -1, MPI_INT, 0, comm.native()));
                  comm.dismiss_errors();
                  EXPECT_TRUE(comm.agree(true));
                  MPI_Comm own = MPI_COMM_NULL;  // a communicator of the program, which the library never sees
                  comm.check(MPI_Comm_dup(comm.native(), &own), "MPI_Comm_dup");
                  EXPECT_PRED1(is_error, MPI_Bcast(nullptr, -1, MPI_INT, 0, own));
                  MPI_Comm_free(&own);
              }),
              "");
}

TEST(Communicator, CanBeRenewedWithoutAFailure) {
    Communicator comm(MPI_COMM_WORLD);
    auto const epoch = comm.epoch();
    EXPECT_TRUE(comm.shrink().empty());
    EXPECT_EQ(comm.epoch(), epoch + 1);
    EXPECT_TRUE(comm.agree(true));
}

/// Compares each place of a grid, the edges included, with what MPI says of its own.
void expect_like_mpi(Communicator& comm, std::vector<int> const& lengths, std::vector<int> const& periodic) {
    Cart const ours = cart(
        comm, [&](std::size_t) { return lengths; }, periodic);
    MPI_Comm theirs = MPI_COMM_NULL;
    auto const dimensions = static_cast<int>(lengths.size());
    MPI_Cart_create(comm.native(), dimensions, lengths.data(), periodic.data(), 0, &theirs);
    ASSERT_EQ(ours.has_self(), theirs != MPI_COMM_NULL);
    if (!ours.has_self()) return;
    int result = MPI_UNEQUAL;
    MPI_Comm_compare(ours.native(), theirs, &result);
    EXPECT_EQ(result, MPI_CONGRUENT);
    for (int rank = 0; rank < ours.grid().size(); ++rank) {
        std::vector<int> coordinates(lengths.size());
        MPI_Cart_coords(theirs, rank, dimensions, coordinates.data());
        EXPECT_EQ(ours.grid().coordinates(rank), coordinates);
        EXPECT_EQ(ours.grid().rank(coordinates), rank);
    }
    for (int dimension = 0; dimension < dimensions; ++dimension) {
        for (int steps = -5; steps <= 5; ++steps) {
            int source = 0;
            int destination = 0;
            MPI_Cart_shift(theirs, dimension, steps, &source, &destination);
            auto const shift = ours.shift(static_cast<std::size_t>(dimension), steps);
            EXPECT_EQ(shift.source, source) << "dimension " << dimension << ", steps " << steps;
            EXPECT_EQ(shift.destination, destination) << "dimension " << dimension << ", steps " << steps;
        }
    }
    MPI_Comm_free(&theirs);
}

TEST(Cart, CountsAsMpiDoes) {
    Communicator comm(MPI_COMM_WORLD);
    auto const p = static_cast<int>(comm.size());
    for (int const closed : {0, 1}) {
        expect_like_mpi(comm, {p}, {closed});
        expect_like_mpi(comm, {1, p}, {1 - closed, closed});
        if (p % 2 == 0) expect_like_mpi(comm, {2, p / 2}, {closed, 1 - closed});
        if (p % 4 == 0) expect_like_mpi(comm, {2, p / 4, 2}, {closed, 0, 1});
        if (p > 1) expect_like_mpi(comm, {p - 1}, {closed});
    }
}

TEST(Cart, NeedsAMemberForEachPlace) {
    Communicator comm(MPI_COMM_WORLD);
    auto const p = static_cast<int>(comm.size());
    for (auto const& lengths : {std::vector{p, 2}, std::vector{p + 1}, std::vector{0, p}, std::vector{-1, -1}})
        EXPECT_THROW(cart(
                         comm, [&](std::size_t) { return lengths; }, std::vector(lengths.size(), 0)),
                     MpiError);
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
