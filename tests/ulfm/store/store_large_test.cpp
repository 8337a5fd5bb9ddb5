// More blocks than fit an int, and more bytes than fit 32 bits: 4.25 GiB in two copies, all from one PE, which then
// dies. Needs 16 GiB of memory. Rank 0 dies at its first load.
#include <mpi.h>

#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "regraft/ft/resilient.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/store/replicated_store.hpp"

namespace regraft::store {
namespace {

constexpr std::uint64_t num_blocks = 1088;
constexpr std::uint64_t block_bytes = 4 << 20;
constexpr std::uint64_t block_words = block_bytes / sizeof(std::uint64_t);
static_assert(num_blocks / 2 * block_bytes > std::uint64_t{1} << 31, "what one group holds is no int");

constexpr std::uint64_t word(std::uint64_t block, std::uint64_t i) {
    return (block << 32 | i) * 0x9e3779b97f4a7c15;
}

TEST(LargeStore, SurvivesWhenItsOnlySubmitterDies) {
    ft::Communicator comm(MPI_COMM_WORLD);
    ASSERT_EQ(comm.size(), 4u);
    ReplicatedStore store(comm);
    {
        bool const submits = comm.leads();
        BlockRange const mine{BlockId{0}, BlockId{submits ? num_blocks : 0}};
        std::vector<std::uint64_t> words(mine.size() * block_words);
        for (std::uint64_t i = 0; i < words.size(); ++i) words[i] = word(i / block_words, i % block_words);
        // Two groups of two: 0 and 2 hold the first half, 1 and 3 the second, 2.1 GiB each.
        store.submit(placement::ModK(num_blocks, 4, 2), mine, std::as_bytes(std::span(words)), block_bytes);
    }
    EXPECT_EQ(store.bytes_held(), num_blocks / 2 * block_bytes);

    // 1 wants what only 2 still holds: the whole half comes from one PE.
    BlockRange const half{BlockId{0}, BlockId{num_blocks / 2}};
    auto const wanted = comm.self() == PeId{1} ? std::vector{half} : std::vector<BlockRange>{};
    std::vector<std::uint64_t> out(wanted.empty() ? 0 : half.size() * block_words);
    auto const report = ft::resilient(
        comm, [&] { return store.load(wanted, std::as_writable_bytes(std::span(out))); }, [](ft::Failure const&) {});
    EXPECT_TRUE(report.lost.empty());
    EXPECT_EQ(report.most_sent, half.size() * block_bytes);
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < out.size(); ++i) wrong += out[i] != word(i / block_words, i % block_words) ? 1 : 0;
    EXPECT_EQ(wrong, 0u) << "words";
}

}  // namespace
}  // namespace regraft::store
