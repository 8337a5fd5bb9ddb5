// Blocks that change on their way: MPI_Alltoallv is this file's own, and spoils what arrives when it is told to.
#include <mpi.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/placement/permuted.hpp"
#include "regraft/store/erasure_store.hpp"
#include "support/store/store_under_test.hpp"
#include "support/store/stores_on_disk.hpp"

namespace {

/// How many of the next calls with so many bytes from one other rank or more spoil one of them.
int calls_to_spoil = 0;
constexpr int most_spared = 1000;

void spoil(void* buffer, int const counts[], int const offsets[], MPI_Comm comm) {
    int size = 0;
    MPI_Comm_size(comm, &size);
    for (int rank = 0; rank < size && calls_to_spoil > 0; ++rank) {
        if (counts[rank] <= most_spared) continue;
        auto* const bytes = static_cast<unsigned char*>(buffer) + offsets[rank];
        bytes[counts[rank] / 3] ^= 1;
        --calls_to_spoil;
        return;
    }
}

}  // namespace

extern "C" int MPI_Alltoallv(void const* sendbuf, int const sendcounts[], int const sdispls[], MPI_Datatype sendtype,
                             void* recvbuf, int const recvcounts[], int const rdispls[], MPI_Datatype recvtype,
                             MPI_Comm comm) {
    int const code =
        PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
    if (calls_to_spoil > 0) spoil(recvbuf, recvcounts, rdispls, comm);
    return code;
}

namespace regraft::store {
namespace {

using test::Content;
using test::StoreUnderTest;
using test::submit_evenly;

class Transit : public testing::Test {
protected:
    void SetUp() override {
        if (comm.size() < 3) GTEST_SKIP() << "needs others to send, and places for further copies";
    }
    void TearDown() override { calls_to_spoil = 0; }
    /// Spoils the next calls, on the last rank only.
    void spoil_next(int calls) { calls_to_spoil = comm.self() == comm.members().back() ? calls : 0; }
    void submit(StoreUnderTest& store) const {
        submit_evenly(store, comm, {64, Content::Sizes::fixed, 3000, 2}, "permuted");
    }

    ft::Communicator comm{MPI_COMM_WORLD};
    Options const checked{.integrity = Integrity::checked};
};

TEST_F(Transit, DamageIsNoticedBySubmit) {
    StoreUnderTest store(comm, checked);
    spoil_next(2);
    submit(store);
    EXPECT_EQ(calls_to_spoil, 0) << "it was spoilt";
    EXPECT_TRUE(store.store().scrub().damaged.empty());
    EXPECT_EQ(store.load_everything(), "");
}

TEST_F(Transit, DamageIsNoticedByLoad) {
    StoreUnderTest store(comm, checked);
    submit(store);
    for (int times = 1; times <= 3; ++times) {
        spoil_next(times);
        EXPECT_EQ(store.load_everything(), "");
        EXPECT_EQ(calls_to_spoil, 0) << "it was spoilt";
    }
    EXPECT_TRUE(store.store().scrub().damaged.empty()) << "nobody's replica is to blame";
}

TEST_F(Transit, DamageIsNoticedByRepair) {
    StoreUnderTest store(comm, checked);
    submit(store);
    spoil_next(2);
    EXPECT_EQ(store.repair({.replicas = 3}), "");
    EXPECT_EQ(calls_to_spoil, 0) << "it was spoilt";
    EXPECT_TRUE(store.store().scrub().damaged.empty());
    EXPECT_EQ(store.load_everything(), "");
}

TEST_F(Transit, DamageIsNoticedByUpdate) {
    StoreUnderTest store(comm, checked);
    for (int i = 0; i < 2; ++i) submit(store);
    auto const spare = store.store().bytes_spare();
    for (int times = 1; times <= 2; ++times) {
        spoil_next(times);
        EXPECT_EQ(store.update(test::some_blocks(comm, 64, 2, 4), static_cast<std::uint64_t>(times)), "");
        EXPECT_EQ(calls_to_spoil, 0) << "it was spoilt";
        EXPECT_TRUE(store.store().scrub().damaged.empty());
        EXPECT_EQ(store.load_everything(), "");
    }
    EXPECT_GT(spare, 0u);
    EXPECT_EQ(store.store().bytes_spare(), spare) << "sending again takes no memory from the next submit";
}

TEST_F(Transit, DamageThatDoesNotEndEndsTheCallOnAllAlike) {
    StoreUnderTest store(comm, checked);
    submit(store);
    BlockRange const everything{BlockId{0}, BlockId{64}};
    std::vector<std::byte> out(64 * 3000);
    spoil_next(1'000'000);
    EXPECT_THROW(static_cast<void>(store.store().load(std::span(&everything, 1), out)), DamagedInTransit);
    EXPECT_THROW(static_cast<void>(store.store().repair({.replicas = 3})), DamagedInTransit);
    EXPECT_THROW(submit(store), DamagedInTransit);
    EXPECT_THROW(static_cast<void>(store.update(test::some_blocks(comm, 64, 2, 4), 1)), DamagedInTransit);
    spoil_next(0);
    store.settle();
    EXPECT_EQ(store.store().version(), 1u);
    EXPECT_EQ(store.load_everything(), "") << "nothing was changed";
    EXPECT_EQ(store.check_memory(), "");
}

TEST_F(Transit, DamageIsNotNoticedWithoutChecksums) {
    StoreUnderTest store(comm, {});
    submit(store);
    spoil_next(1);
    bool const right = store.load_everything().find("wrong byte") == std::string::npos;
    EXPECT_EQ(right, comm.self() != comm.members().back()) << "nor does the test spoil nothing";
}

class ErasureTransit : public Transit {
protected:
    static constexpr BlockRange everything{BlockId{0}, BlockId{64}};

    void submit_coded(ErasureStore& store) const {
        auto const mine = test::part_of(64, value(comm.self()), comm.size());
        store.submit(erasure::Code(1, 2), mine, test::blocks(mine, 3000), 3000);
    }
    std::vector<std::byte> load(ErasureStore& store) const {
        std::vector<std::byte> out(64 * 3000);
        EXPECT_TRUE(store.load(std::span(&everything, 1), out).damaged.empty());
        return out;
    }
    std::vector<std::byte> const right = test::blocks(everything, 3000);
    ErasureOptions const coded{.integrity = Integrity::checked};
};

TEST_F(ErasureTransit, DamageIsNoticedBySubmit) {
    ErasureStore store(comm, coded);
    spoil_next(2);
    submit_coded(store);
    EXPECT_EQ(calls_to_spoil, 0) << "it was spoilt";
    EXPECT_EQ(store.scrub().bytes_restored, 0u);
    EXPECT_EQ(load(store), right);
}

TEST_F(ErasureTransit, DamageIsNoticedByLoad) {
    ErasureStore store(comm, coded);
    submit_coded(store);
    spoil_next(3);
    EXPECT_EQ(load(store), right);
    EXPECT_EQ(calls_to_spoil, 0) << "it was spoilt";
    EXPECT_EQ(store.scrub().bytes_restored, 0u) << "nobody's piece is to blame";
}

TEST_F(ErasureTransit, DamageIsNoticedByRepair) {
    ErasureStore store(comm, coded);
    submit_coded(store);
    auto const mine = store.held(test::part_of(64, value(comm.self()), comm.size()));
    if (comm.leads()) *const_cast<std::byte*>(mine.data()) ^= std::byte{1};
    spoil_next(2);
    EXPECT_GT(store.scrub().bytes_restored, 0u);
    spoil_next(0);
    EXPECT_EQ(store.scrub().bytes_restored, 0u) << "what was made anew is right";
    EXPECT_EQ(load(store), right);
}

TEST_F(ErasureTransit, DamageIsNoticedByReopen) {
    auto const folder = test::job_folder("transit") / std::to_string(comm.position(comm.self()));
    std::filesystem::create_directories(folder);
    auto kept = coded;
    kept.keep = Keep{folder, "job", "transit"};
    {
        ErasureStore store(comm, kept);
        submit_coded(store);
        comm.agree();
    }
    if (comm.leads()) std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    comm.agree();
    ErasureStore store(comm, kept);
    calls_to_spoil = 1;  // on all members, so that what is rebuilt is spoilt, whoever rebuilds it
    ASSERT_TRUE(store.reopen({1, 2}).has_value());
    EXPECT_FALSE(comm.agree(calls_to_spoil == 1)) << "it was spoilt";
    calls_to_spoil = 0;
    EXPECT_EQ(store.scrub().bytes_restored, 0u) << "what was rebuilt is right";
    EXPECT_EQ(load(store), right);
    store.discard();
}

TEST_F(ErasureTransit, DamageThatDoesNotEndEndsTheCallOnAllAlike) {
    ErasureStore store(comm, coded);
    submit_coded(store);
    std::vector<std::byte> out(64 * 3000);
    spoil_next(1'000'000);
    EXPECT_THROW(static_cast<void>(store.load(std::span(&everything, 1), out)), DamagedInTransit);
    EXPECT_THROW(submit_coded(store), DamagedInTransit);
    spoil_next(0);
    EXPECT_EQ(store.version(), 1u);
    EXPECT_EQ(load(store), right) << "nothing was changed";
}

}  // namespace
}  // namespace regraft::store
