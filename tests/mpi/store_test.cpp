#include <mpi.h>

#include <vector>

#include <gtest/gtest.h>

#include "regraft/placement/mod_k.hpp"
#include "regraft/store/replicated_store.hpp"
#include "support/blocks.hpp"

namespace regraft::store {
namespace {

placement::Any mod_k(std::uint64_t num_blocks, ft::Communicator const& comm, std::uint32_t replicas) {
    auto const size = static_cast<std::uint32_t>(comm.size());
    return placement::ModK(num_blocks, size, std::min(replicas, size));
}

void submit_even_parts(ReplicatedStore& store, ft::Communicator& comm, std::uint64_t num_blocks, std::uint32_t replicas,
                       std::size_t block_bytes) {
    auto const mine = test::part_of(num_blocks, value(comm.self()), comm.size());
    store.submit(mod_k(num_blocks, comm, replicas), mine, test::blocks(mine, block_bytes), block_bytes);
}

void expect_everything(ReplicatedStore& store, std::uint64_t num_blocks, std::size_t block_bytes) {
    BlockRange const everything{BlockId{0}, BlockId{num_blocks}};
    std::vector<std::byte> out(num_blocks * block_bytes);
    auto const report = store.load(std::span(&everything, 1), out);
    EXPECT_TRUE(report.lost.empty());
    EXPECT_EQ(out, test::blocks(everything, block_bytes));
    EXPECT_EQ(report.bytes_received + report.bytes_local, out.size());
}

TEST(ReplicatedStore, GivesBackAnyNumberOfBlocks) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (std::uint64_t num_blocks : {0, 1, 2, 7, 100}) {
        for (std::uint32_t replicas : {1, 2, 100}) {
            SCOPED_TRACE(testing::Message() << num_blocks << " blocks, " << replicas << " replicas");
            ReplicatedStore store(comm);
            submit_even_parts(store, comm, num_blocks, replicas, 11);
            expect_everything(store, num_blocks, 11);
        }
    }
}

TEST(ReplicatedStore, TakesRangesOfAnySizeFromAnybody) {
    ft::Communicator comm(MPI_COMM_WORLD);
    ReplicatedStore store(comm);
    bool const last = value(comm.self()) + 1 == comm.size();
    BlockRange const mine = last ? BlockRange{BlockId{0}, BlockId{50}} : BlockRange{};
    store.submit(mod_k(50, comm, 2), mine, test::blocks(mine, 8), 8);
    expect_everything(store, 50, 8);
}

TEST(ReplicatedStore, ReplacesWhatWasSubmittedBefore) {
    ft::Communicator comm(MPI_COMM_WORLD);
    ReplicatedStore store(comm);
    submit_even_parts(store, comm, 20, 2, 5);
    submit_even_parts(store, comm, 33, 1, 9);
    EXPECT_EQ(store.num_blocks(), 33u);
    EXPECT_EQ(store.block_bytes(), 9u);
    expect_everything(store, 33, 9);
}

TEST(ReplicatedStore, KeepsReplicasTimesTheDataAllTogether) {
    ft::Communicator comm(MPI_COMM_WORLD);
    ReplicatedStore store(comm);
    submit_even_parts(store, comm, 60, 1, 10);
    auto held = static_cast<std::uint64_t>(store.bytes_held());
    comm.check(MPI_Allreduce(MPI_IN_PLACE, &held, 1, MPI_UINT64_T, MPI_SUM, comm.native()), "MPI_Allreduce");
    EXPECT_EQ(held, 600u);
}

TEST(ReplicatedStore, LoadsNothingWhenNobodyWantsAnything) {
    ft::Communicator comm(MPI_COMM_WORLD);
    ReplicatedStore store(comm);
    submit_even_parts(store, comm, 10, 2, 3);
    auto const report = store.load({}, {});
    EXPECT_EQ(report.b, 0u);
    EXPECT_EQ(report.rounds, 0u);
}

TEST(ReplicatedStore, BalancesSenders) {
    ft::Communicator comm(MPI_COMM_WORLD);
    if (comm.size() < 4) GTEST_SKIP() << "needs four ranks: a receiver and more holders than one";
    ReplicatedStore store(comm);
    auto const size = static_cast<std::uint32_t>(comm.size());
    submit_even_parts(store, comm, 90, size, 4);  // everybody holds everything but wants it all: local
    BlockRange const everything{BlockId{0}, BlockId{90}};
    std::vector<std::byte> out(360);
    EXPECT_EQ(store.load(std::span(&everything, 1), out).blocks_moved, 0u);
    submit_even_parts(store, comm, 90, size / 2, 4);  // two groups
    auto const wanted = comm.leads() ? std::vector{everything} : std::vector<BlockRange>{};
    auto const report = store.load(wanted, std::span(out).first(comm.leads() ? out.size() : 0));
    EXPECT_EQ(report.blocks_moved, 45u);                    // the half that PE 0 does not hold
    EXPECT_EQ(report.b, (45 + size / 2 - 1) / (size / 2));  // from all holders of that half alike
    EXPECT_EQ(report.rounds, 45u);                          // one receiver takes one block a round
}

}  // namespace
}  // namespace regraft::store
