// What the repair after the first death sends: ranges that lie one behind the other at both ends travel together.
#include <mpi.h>

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "regraft/ft/resilient.hpp"
#include "regraft/placement/permuted.hpp"
#include "regraft/store/replicated_store.hpp"

namespace regraft::store {
namespace {

constexpr std::uint64_t block_bytes = 4096, range_bytes = 128 << 10, ranges = 16;  // of each member
constexpr std::uint64_t blocks_each = ranges * range_bytes / block_bytes;

std::vector<std::byte> bytes_of(BlockRange blocks) {
    std::vector<std::byte> bytes;
    for (auto id = value(blocks.first); id < value(blocks.last); ++id) {
        Random random(id);
        for (std::uint64_t i = 0; i < block_bytes; ++i) bytes.push_back(static_cast<std::byte>(random.below(256)));
    }
    return bytes;
}

/// How often MPI has moved bytes of exchanges.
std::uint64_t num_calls() {
    auto const points = ft::fail_points();
    auto const inside = std::ranges::find(points, "exchange:inside", [](auto const* each) { return each->name(); });
    return inside == points.end() ? 0 : (*inside)->occurrences();
}

// The 32 ranges of the dead are on one other member, which deals them to all, at least five to each. These lie in two
// or three pieces there.
TEST(RepairOfPermutedBlocks, SendsWhatLiesTogetherInFewCalls) {
    ft::Communicator comm(MPI_COMM_WORLD);
    ReplicatedStore plain(comm), checked(comm, {.integrity = Integrity::checked});
    auto const num_blocks = blocks_each * comm.num_founders();
    std::vector<std::uint64_t> calls;  // of the repairs after the first death
    auto const submit_and_load = [&](ReplicatedStore& store) {
        auto const size = static_cast<std::uint32_t>(comm.size());
        auto const mine = even_part<BlockId>(num_blocks, comm.position(comm.self()), size);
        auto const expected = bytes_of(mine);
        if (store.version() == 0) {
            placement::Permuted const rule(num_blocks, size, 2, {.range_blocks = range_bytes / block_bytes});
            store.submit(rule, mine, expected, block_bytes);
        }
        std::vector<std::byte> out(expected.size());
        static_cast<void>(store.load(std::span(&mine, 1), out));
        EXPECT_EQ(out, expected);
    };
    auto const repair = [&](ReplicatedStore& store) {
        auto const before = num_calls();
        auto const report = store.repair();
        calls.push_back(num_calls() - before);
        EXPECT_EQ(report.least_copies, 2u);
    };
    ft::resilient(
        comm,
        [&] {
            submit_and_load(plain);
            submit_and_load(checked);
            EXPECT_TRUE(checked.scrub().damaged.empty());
        },
        [&](ft::Failure const&) {
            repair(plain);
            repair(checked);
        });
    ASSERT_GE(calls.size(), 2u);
    EXPECT_GT(calls[0], 0u);
    EXPECT_LE(calls[0], 3u);
    EXPECT_GT(calls[1], 0u);
    EXPECT_LE(calls[1], 4u) << "checksums are not with the blocks";
}

}  // namespace
}  // namespace regraft::store
