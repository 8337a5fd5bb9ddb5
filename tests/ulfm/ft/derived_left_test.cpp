// A derived communicator that is left by an exception while another member is in a call on it.
#include <mpi.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/ft/derived.hpp"
#include "regraft/ft/resilient.hpp"

namespace regraft::ft {
namespace {

TEST(Derived, AnswersLargeMessagesOfThoseThatLeaveItLater) {
    constexpr std::chrono::milliseconds a_while{300};
    Communicator comm(MPI_COMM_WORLD);
    resilient(
        comm,
        [&] {
            if (comm.size() < comm.num_founders()) return;
            Derived const pairs = split(comm, [&] { return static_cast<int>(comm.position(comm.self()) / 2); });
            if (comm.self() == PeId{3}) raise(SIGKILL);
            while (comm.self() != PeId{1}) {
                comm.look_for_failures();  // throws, so that pairs goes out of scope
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            // The first rank has left, and this one has not read its revoke when it sends.
            std::this_thread::sleep_for(a_while);
            std::vector<std::int64_t> many(std::size_t{1} << 14, 1);
            comm.check(MPI_Allreduce(MPI_IN_PLACE, many.data(), static_cast<int>(many.size()), MPI_INT64_T, MPI_SUM,
                                     pairs.native()),
                       "MPI_Allreduce");
        },
        [](Failure const&) {});
    EXPECT_EQ(comm.size() + 1, comm.num_founders());
}

}  // namespace
}  // namespace regraft::ft
