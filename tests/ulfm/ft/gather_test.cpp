// Rows that members gather while others die: a member that gets rows gets the right ones. Deaths fall at seeded moments
// within the call, and only what must hold at any moment is asserted.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "exchange/exchange.hpp"
#include "regraft/core/random.hpp"
#include "regraft/ft/resilient.hpp"

namespace regraft::exchange {
namespace {

/// The row of a member in a round: now longer than what goes with the heads, now so uneven that slots do not pay.
std::vector<std::uint64_t> row_of(PeId pe, std::uint64_t round) {
    Random random(mix(round) + value(pe));
    std::uint64_t const longest = round % 3 == 0 ? 14 : round % 3 == 1 ? 48 : pe == PeId{0} ? 400 : 16;
    std::vector<std::uint64_t> row(random.below(longest) + 2);
    for (std::uint64_t i = 0; i < row.size(); ++i) row[i] = mix(round * 1000003 + value(pe) * 1009 + i);
    return row;
}

/// The odd ranks die one after the other, each some microseconds after the round that is its own has begun.
void die_in_turn(PeId self, std::uint64_t round) {
    static bool dies = false;
    if (dies || value(self) % 2 == 0 || round < 100 * (value(self) / 2 + std::uint64_t{1})) return;
    dies = true;
    std::thread([delay = std::chrono::microseconds(mix(value(self)) % 400)] {
        std::this_thread::sleep_for(delay);
        kill(getpid(), SIGKILL);
    }).detach();
}

TEST(AllGather, GivesRightRowsOrNoneWhenMembersDie) {
    ft::Communicator comm(MPI_COMM_WORLD);
    std::uint64_t round = 0;
    auto const survivors = (comm.num_founders() + 1) / 2;
    ft::resilient(
        comm,
        [&] {
            while (comm.size() > survivors) {
                die_in_turn(comm.self(), ++round);
                auto const rows = all_gather(comm, row_of(comm.self(), round));
                for (std::size_t i = 0; i < rows.size(); ++i) {
                    auto const expected = row_of(comm.members()[i], round);
                    EXPECT_TRUE(std::equal(rows[i].begin(), rows[i].end(), expected.begin(), expected.end()))
                        << "round " << round << ", row of rank " << value(comm.members()[i]);
                }
            }
            return true;
        },
        [&](ft::Failure const&) {
            // Some members were a round ahead: all go on from the same one, from which none has come back yet.
            auto all = all_gather(comm, std::vector{round});
            round = *std::max_element(all.values.begin(), all.values.end());
        });
    EXPECT_EQ(comm.size(), survivors);
}

}  // namespace
}  // namespace regraft::exchange
