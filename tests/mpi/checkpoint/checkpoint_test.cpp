// Mini-checkpoints while all members live: what they keep, and how much memory that takes.
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <optional>
#include <vector>

#include <gtest/gtest.h>
#include <malloc.h>

#include "regraft/checkpoint/mini_checkpoint.hpp"

namespace {

std::size_t allocated = 0;  // bytes taken by operator new, and the most there were
std::size_t most_allocated = 0;
std::size_t gathered = 0;  // bytes that the last MPI_Allgather brought

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
    void* const memory = std::malloc(size);
    if (memory == nullptr) throw std::bad_alloc();
    most_allocated = std::max(most_allocated, allocated += malloc_usable_size(memory));
    return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    if (memory != nullptr) allocated -= malloc_usable_size(memory);
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    operator delete(memory);
}

extern "C" int MPI_Allgather(void const* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                             MPI_Datatype recvtype, MPI_Comm comm) {
    int size = 0, width = 0;
    MPI_Comm_size(comm, &size);
    MPI_Type_size(recvtype, &width);
    gathered = static_cast<std::size_t>(size) * static_cast<std::size_t>(recvcount) * static_cast<std::size_t>(width);
    return PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

namespace regraft::checkpoint {
namespace {

TEST(MiniCheckpoint, KeepsSharesOfAnyLengths) {
    ft::Communicator comm(MPI_COMM_WORLD);
    MiniCheckpoint checkpoint(comm);
    // The states grow, shrink, are empty, and differ from PE to PE.
    for (std::size_t const length : {0, 5, 1000, 3, 0, 70, 2000, 1999, 900, 1}) {
        auto const share_of = [&](PeId pe) {
            return std::vector<std::byte>(length * (value(pe) % 3), static_cast<std::byte>(length + value(pe)));
        };
        checkpoint.commit(share_of(comm.self()));
        auto const& [pes, shares] = checkpoint.latest();
        ASSERT_EQ(shares.size(), comm.size());
        for (std::size_t i = 0; i < pes.size(); ++i) {
            auto const right = share_of(pes[i]);
            EXPECT_TRUE(std::equal(shares[i].begin(), shares[i].end(), right.begin(), right.end()))
                << "length " << length << ", PE " << value(pes[i]);
        }
    }
    EXPECT_EQ(checkpoint.generation(), 10u);
}

TEST(MiniCheckpoint, DoesNotMixWithAnotherOfItsCommunicator) {
    ft::Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) return;
    MiniCheckpoint first(comm), second(comm);
    std::vector<std::byte> const share(8, std::byte{1}), longer(9, std::byte{2});
    auto& mistaken = comm.leads() ? first : second;
    for (int commits = 1; commits < 3; ++commits) {
        EXPECT_THROW(mistaken.commit(share), ft::Divergence);
        EXPECT_THROW(mistaken.commit(longer), ft::Divergence);
        EXPECT_THROW(mistaken.commit_identical(share), ft::Divergence);
        first.commit(share);  // they can be used further on
        second.commit_identical(share);
        second.commit(longer);
        first.commit(longer);
        EXPECT_EQ(first.generation() + second.generation(), 4u * static_cast<unsigned>(commits));
    }
}

TEST(MiniCheckpoint, MayBeMadeInDifferentEpochs) {
    ft::Communicator comm(MPI_COMM_WORLD);
    std::optional<MiniCheckpoint> checkpoint, identical;
    if (comm.leads()) {  // as a member that gets further than others before it notices a death
        checkpoint.emplace(comm);
        identical.emplace(comm);
    }
    comm.agree();
    try {
        comm.declare_failure("a test");
    } catch (ft::ProcessFailure const&) {
        static_cast<void>(comm.shrink());
    }
    if (!checkpoint) checkpoint.emplace(comm);
    if (!identical) identical.emplace(comm);
    std::vector<std::byte> const share(8, std::byte{1});
    for (int i = 0; i < 2; ++i) {
        checkpoint->commit(share);
        identical->commit_identical(share);
    }
    EXPECT_EQ(checkpoint->generation() + identical->generation(), 4u);
}

TEST(MiniCheckpoint, TakesMemoryForOneGenerationMore) {
    ft::Communicator comm(MPI_COMM_WORLD);
    MiniCheckpoint checkpoint(comm);
    std::vector<std::byte> const share(1 << 20);
    checkpoint.commit(share);
    auto const committed = allocated;
    most_allocated = allocated;
    checkpoint.commit(share);
    EXPECT_LE(most_allocated - committed, comm.size() * share.size() * 5 / 4);
}

TEST(MiniCheckpoint, GivesBackWhatALongShareTook) {
    ft::Communicator comm(MPI_COMM_WORLD);
    MiniCheckpoint checkpoint(comm);
    auto const before = allocated;
    std::vector<std::byte> const small(100), large(1 << 20);
    checkpoint.commit(comm.leads() ? large : small);
    EXPECT_LE(allocated - before, 2 * large.size() + 5 * large.size() / 4) << "not for everybody as for the longest";
    for (int i = 0; i < 2; ++i) checkpoint.commit(small);
    EXPECT_LE(checkpoint.latest().shares.values.capacity(), 2 * comm.size() * small.size());
    EXPECT_LE(gathered, 2 * comm.size() * small.size()) << "slots shrink";
}

}  // namespace
}  // namespace regraft::checkpoint
