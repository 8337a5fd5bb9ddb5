// Deaths at unplanned moments: a helper thread kills the victims while calls are under way. Only what must hold at any
// moment is asserted.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "regraft/checkpoint/mini_checkpoint.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/ft/reduce.hpp"
#include "regraft/ft/resilient.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/store/replicated_store.hpp"
#include "support/store/blocks.hpp"

namespace regraft {
namespace {

constexpr std::uint64_t num_blocks = 64;
constexpr std::size_t block_bytes = 2000;

/// The odd ranks die, each at a time of its own within the first milliseconds.
void die_some_time(PeId self) {
    if (value(self) % 2 == 0) return;
    auto const delay = std::chrono::microseconds(mix(value(self)) % 20000);
    std::thread([delay] {
        std::this_thread::sleep_for(delay);
        kill(getpid(), SIGKILL);
    }).detach();
}

TEST(AnyMoment, LeavesSurvivorsThatAgreeAndData) {
    ft::Communicator comm(MPI_COMM_WORLD);
    store::ReplicatedStore store(comm);
    checkpoint::MiniCheckpoint progress(comm);
    auto const size = static_cast<std::uint32_t>(comm.size());
    std::vector<std::byte> all(num_blocks * block_bytes);
    BlockRange const everything{BlockId{0}, BlockId{num_blocks}};
    die_some_time(comm.self());
    ft::resilient(
        comm,
        [&] {
            if (store.num_blocks() == 0) {
                auto const now = static_cast<std::uint32_t>(comm.size());
                auto const position = std::lower_bound(comm.members().begin(), comm.members().end(), comm.self());
                auto const mine =
                    test::part_of(num_blocks, static_cast<std::size_t>(position - comm.members().begin()), now);
                store.submit(placement::ModK(num_blocks, now, now), mine, test::blocks(mine, block_bytes), block_bytes);
            }
            while (comm.size() > size / 2 + size % 2) {  // until all victims are gone
                auto const before = progress.generation();
                ExactSum sum;
                sum.add(0.1, value(comm.self()) + 1);
                ft::all_reduce(comm, std::span(&sum, 1));
                static_cast<void>(store.load(std::span(&everything, 1), all));
                progress.commit(std::as_bytes(std::span(&before, 1)));
                EXPECT_EQ(progress.generation(), before + 1);
                for (std::size_t i = 0; i < progress.latest().shares.size(); ++i) {
                    EXPECT_EQ(ByteReader(progress.latest().shares[i]).get<std::uint64_t>(), before);
                }
            }
            return true;
        },
        [&](ft::Failure const&) { EXPECT_TRUE(comm.agree_equal(progress.generation())); });
    std::fill(all.begin(), all.end(), std::byte{0});
    EXPECT_TRUE(store.load(std::span(&everything, 1), all).lost.empty());
    EXPECT_EQ(all, test::blocks(everything, block_bytes));
}

}  // namespace
}  // namespace regraft
