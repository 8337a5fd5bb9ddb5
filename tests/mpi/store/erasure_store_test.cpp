#include <mpi.h>

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/store/erasure_store.hpp"
#include "support/store/blocks.hpp"

namespace regraft::store {
namespace {

using erasure::Code;

/// Blocks of sizes 0 to 40 that follow from their ids.
std::size_t varying_size(BlockId id) {
    return mix(value(id)) % 5 == 0 ? 0 : mix(value(id)) % 41;
}

Csr<std::byte> varying_blocks(BlockRange range) {
    Csr<std::byte> rows;
    for (auto id = range.first; id < range.last; id = advance(id, 1)) {
        for (std::size_t offset = 0; offset < varying_size(id); ++offset) rows.push_value(test::block_byte(id, offset));
        rows.end_row();
    }
    return rows;
}

void submit_even_parts(ErasureStore& store, ft::Communicator& comm, Code const& code, std::uint64_t num_blocks,
                       std::size_t block_bytes) {
    auto const mine = test::part_of(num_blocks, value(comm.self()), comm.size());
    store.submit(code, mine, test::blocks(mine, block_bytes), block_bytes);
}

void expect_everything(ErasureStore& store, std::uint64_t num_blocks, std::size_t block_bytes) {
    BlockRange const everything{BlockId{0}, BlockId{num_blocks}};
    std::vector<std::byte> out(num_blocks * block_bytes);
    auto const report = store.load(std::span(&everything, 1), out);
    EXPECT_TRUE(report.lost.empty());
    EXPECT_EQ(out, test::blocks(everything, block_bytes));
    EXPECT_EQ(report.bytes_received + report.bytes_local, out.size());
}

TEST(ErasureStore, GivesBackAnyNumberOfBlocksWithAnyCode) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (std::uint64_t num_blocks : {0, 1, 2, 7, 100}) {
        for (auto const& code : {Code(1, 0), Code(2, 1), Code(3, 2), Code(100, 50)}) {
            for (std::uint64_t buffer : {1, 64, 1 << 20}) {
                SCOPED_TRACE(testing::Message() << num_blocks << " blocks, " << code.data() << '+' << code.parity());
                auto const integrity = buffer == 64 ? Integrity::checked : Integrity::unchecked;
                ErasureStore store(comm, {.integrity = integrity, .buffer_bytes = buffer});
                submit_even_parts(store, comm, code, num_blocks, 11);
                EXPECT_EQ(store.num_blocks(), num_blocks);
                EXPECT_LE(store.code().pieces(), comm.size());
                expect_everything(store, num_blocks, 11);
            }
        }
    }
}

TEST(ErasureStore, TakesBlocksOfDifferentSizes) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (auto own_copy : {OwnCopy::copied, OwnCopy::referenced}) {
        ErasureStore store(comm, {.own_copy = own_copy, .buffer_bytes = 200});
        auto const mine = test::part_of(90, value(comm.self()), comm.size());
        auto const rows = varying_blocks(mine);
        store.submit(Code(3, 2), mine, rows);
        EXPECT_EQ(store.sizes().bytes(BlockId{50}), varying_size(BlockId{50}));
        std::vector const wanted{BlockRange{BlockId{60}, BlockId{90}}, BlockRange{BlockId{0}, BlockId{3}},
                                 BlockRange{BlockId{1}, BlockId{70}}};
        std::vector<std::byte> expected;
        for (auto const& range : wanted) {
            auto const bytes = varying_blocks(range).values;
            expected.insert(expected.end(), bytes.begin(), bytes.end());
        }
        std::vector<std::byte> out(expected.size());
        EXPECT_TRUE(store.load(wanted, out).lost.empty());
        EXPECT_EQ(out, expected);
    }
}

TEST(ErasureStore, TakesRangesOfAnySizeFromAnybody) {
    ft::Communicator comm(MPI_COMM_WORLD);
    ErasureStore store(comm);
    bool const last = value(comm.self()) + 1 == comm.size();
    BlockRange const mine = last ? BlockRange{BlockId{0}, BlockId{50}} : BlockRange{};
    store.submit(Code(2, 1), mine, test::blocks(mine, 8), 8);
    expect_everything(store, 50, 8);
}

TEST(ErasureStore, ReplacesWhatWasSubmittedBefore) {
    ft::Communicator comm(MPI_COMM_WORLD);
    ErasureStore store(comm);
    EXPECT_EQ(store.version(), 0u);
    submit_even_parts(store, comm, Code(4, 2), 20, 5);
    submit_even_parts(store, comm, Code(2, 1), 33, 9);
    EXPECT_EQ(store.version(), 2u);
    EXPECT_EQ(store.num_blocks(), 33u);
    expect_everything(store, 33, 9);
}

TEST(ErasureStore, NeedsLittleMemoryBesideTheData) {
    ft::Communicator comm(MPI_COMM_WORLD);
    if (comm.size() < 5) GTEST_SKIP() << "needs five ranks for 3 + 2";
    for (auto own_copy : {OwnCopy::copied, OwnCopy::referenced}) {
        ErasureStore store(comm, {.own_copy = own_copy});
        auto const mine = test::part_of(60 * comm.size(), value(comm.self()), comm.size());
        auto const blocks = test::blocks(mine, 10);
        store.submit(Code(3, 2), mine, blocks, 10);
        EXPECT_EQ(store.bytes_held(), (own_copy == OwnCopy::copied ? 600u : 0u) + 600u * 2 / 3);
    }
}

TEST(ErasureStore, KeepsMemoryForTheNextSubmitUntilItIsTrimmed) {
    ft::Communicator comm(MPI_COMM_WORLD);
    if (comm.size() < 5) GTEST_SKIP() << "needs five ranks for 3 + 2";
    ErasureStore store(comm, {.own_copy = OwnCopy::referenced});
    auto const blocks_of_round = [&](std::uint64_t round) {
        auto const mine = test::part_of(60 * comm.size(), value(comm.self()), comm.size());
        auto bytes = test::blocks(mine, 10);
        for (auto& byte : bytes) byte ^= static_cast<std::byte>(round);
        return std::pair(mine, std::move(bytes));
    };
    constexpr std::uint64_t piece = 600 / 3, windows = 3 * piece + piece;  // of 3 pieces of data and a parity
    std::deque<std::vector<std::byte>> submitted;  // of the version that is read, and of the next one
    for (std::uint64_t round = 0; round < 4; ++round) {
        auto [mine, bytes] = blocks_of_round(round);
        store.submit(Code(3, 2), mine, submitted.emplace_back(std::move(bytes)), 10);
        EXPECT_EQ(store.bytes_held(), 2 * piece);
        EXPECT_EQ(store.bytes_spare(), round == 0 ? 0 : windows + 2 * piece);
        BlockRange const next{mine.last == BlockId{60 * comm.size()} ? BlockId{0} : mine.last, {}};
        std::vector<std::byte> out(600);
        static_cast<void>(store.load(std::vector{BlockRange{next.first, advance(next.first, 60)}}, out));
        auto expected = test::blocks({next.first, advance(next.first, 60)}, 10);
        for (auto& byte : expected) byte ^= static_cast<std::byte>(round);
        EXPECT_EQ(out, expected);
    }
    store.trim();
    EXPECT_EQ(store.bytes_spare(), 0u);
    EXPECT_EQ(store.bytes_held(), 2 * piece);
}

TEST(ErasureStore, LoadsWhatEverybodyKnowsOf) {
    ft::Communicator comm(MPI_COMM_WORLD);
    ErasureStore store(comm);
    submit_even_parts(store, comm, Code(2, 1), 40, 3);
    Csr<BlockRange> wanted;
    for (std::uint64_t rank = 0; rank < comm.num_founders(); ++rank) {
        if (rank % 2 == 0) wanted.push_value({BlockId{rank}, BlockId{40 - rank}});
        wanted.end_row();
    }
    auto const mine = wanted[value(comm.self())];
    std::vector<std::byte> out(mine.empty() ? 0 : 3 * mine[0].size());
    auto const report = store.load(wanted, out);
    EXPECT_EQ(out, mine.empty() ? out : test::blocks(mine[0], 3));
    EXPECT_EQ(report.most_sent_bound, report.most_sent);  // no member died, so there is no choice
    EXPECT_EQ(report.bytes_moved, 3 * report.blocks_moved);
}

TEST(ErasureStore, RepairsNothingBeforeTheFirstSubmit) {
    ft::Communicator comm(MPI_COMM_WORLD);
    ErasureStore store(comm);
    auto const report = store.repair();
    EXPECT_TRUE(report.lost.empty());
    EXPECT_EQ(report.bytes_restored, 0u);
    EXPECT_EQ(report.bytes_held, 0u);
    submit_even_parts(store, comm, Code(2, 1), 40, 3);
    expect_everything(store, 40, 3);
}

TEST(ErasureStore, RepairsNothingWhenNobodyDied) {
    ft::Communicator comm(MPI_COMM_WORLD);
    ErasureStore store(comm, {.node = value(comm.self()) / 2});
    submit_even_parts(store, comm, Code(2, 1), 40, 3);
    auto const report = store.repair();
    EXPECT_EQ(report.bytes_restored, 0u);
    EXPECT_EQ(report.code, Code(2, 1).fitted(static_cast<std::uint32_t>(comm.size())));
    EXPECT_EQ(report.deaths_survived, report.code.parity());
    EXPECT_EQ(report.nodes_survived, comm.size() >= 7 ? 1u : 0u);  // three pieces on three of four nodes
    expect_everything(store, 40, 3);
}

}  // namespace
}  // namespace regraft::store
