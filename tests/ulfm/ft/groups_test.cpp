// Groups that work without the others: they hear of deaths elsewhere, and can call all together.
#include <mpi.h>

#include <array>
#include <chrono>
#include <csignal>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "regraft/ft/derived.hpp"
#include "regraft/ft/reduce.hpp"
#include "regraft/ft/resilient.hpp"

namespace regraft::ft {
namespace {

Derived split_in(Communicator& comm, std::size_t groups) {
    return split(comm, [&comm, groups] { return static_cast<int>(comm.position(comm.self()) % groups); });
}

TEST(Groups, OfOneRankHearOfADeathElsewhere) {
    Communicator comm(MPI_COMM_WORLD);
    int recoveries = 0;
    resilient(
        comm,
        [&] {
            Derived const alone = split_in(comm, comm.size());
            while (comm.size() == comm.num_founders()) {
                if (value(comm.self()) + 1 == comm.num_founders()) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(20));
                    kill(getpid(), SIGKILL);
                }
                std::array<ExactSum, 1> sum;
                sum[0].add(1.0);
                all_reduce({comm, alone}, sum);  // no other member is in it
                EXPECT_EQ(sum[0].value(), 1.0);
                comm.look_for_failures();
            }
        },
        [&](Failure const& failure) {
            EXPECT_EQ(failure.lost, std::vector<PeId>{PeId{comm.num_founders() - 1}});
            ++recoveries;
        });
    EXPECT_EQ(recoveries, 1);
}

TEST(Groups, CanCallAllTogetherWithoutADeath) {
    Communicator comm(MPI_COMM_WORLD);
    bool met = false;
    resilient(
        comm,
        [&] {
            if (met) return;
            Derived const group = split_in(comm, 2);
            for (int round = 0;; ++round) {
                EXPECT_TRUE(all_equal({comm, group}, static_cast<std::uint64_t>(round)));
                if (value(comm.self()) == 0 && round == 50) comm.declare_failure("a call to all");
                comm.look_for_failures();
            }
        },
        [&](Failure const& failure) {
            EXPECT_TRUE(failure.lost.empty());
            met = true;
        });
    EXPECT_TRUE(met);
}

}  // namespace
}  // namespace regraft::ft
