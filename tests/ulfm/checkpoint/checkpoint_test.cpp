// Mini-checkpoints under the failure plan of the row: a generation is on all survivors or on none.
#include <mpi.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/checkpoint/mini_checkpoint.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/ft/resilient.hpp"

namespace regraft::checkpoint {
namespace {

constexpr std::uint64_t last_generation = 12;

/// Shares grow and shrink, so that the packed exchange has to make room; some are empty.
std::vector<std::byte> share_of(PeId pe, std::uint64_t generation) {
    return std::vector<std::byte>((value(pe) * 7 + generation * 13) % 50, static_cast<std::byte>(generation));
}

std::vector<std::byte> state_of(std::uint64_t generation) {
    return std::vector<std::byte>(100, static_cast<std::byte>(generation));
}

/// Checks that the committed generation is complete: all the shares that were given for it, or the one state.
void check(MiniCheckpoint const& checkpoint) {
    auto const generation = checkpoint.generation();
    if (generation == 0) return;
    auto const& [pes, shares] = checkpoint.latest();
    ASSERT_EQ(pes.size(), shares.size());
    bool const identical = generation % 3 == 0;
    for (std::size_t i = 0; i < pes.size(); ++i) {
        auto const expected = identical ? state_of(generation) : share_of(pes[i], generation);
        EXPECT_EQ(std::vector(shares[i].begin(), shares[i].end()), expected) << "generation " << generation;
    }
}

TEST(MiniCheckpoint, IsOnAllSurvivorsOrOnNone) {
    ft::Communicator comm(MPI_COMM_WORLD);
    MiniCheckpoint checkpoint(comm);
    auto const same_generation = [&] {
        check(checkpoint);
        EXPECT_TRUE(comm.agree_equal(checkpoint.generation()));
    };
    ft::resilient(
        comm,
        [&] {
            same_generation();
            while (checkpoint.generation() < last_generation) {
                auto const next = checkpoint.generation() + 1;
                if (next % 3 == 0) {
                    checkpoint.commit_identical(state_of(next));
                } else {
                    checkpoint.commit(share_of(comm.self(), next));
                }
                check(checkpoint);
            }
            return true;
        },
        [&](ft::Failure const&) { same_generation(); });
    EXPECT_EQ(checkpoint.generation(), last_generation);
}

}  // namespace
}  // namespace regraft::checkpoint
