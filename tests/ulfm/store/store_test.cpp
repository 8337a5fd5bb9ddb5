// The replicated store under the failure plan of the row: no wrong byte, the same outcome on all survivors.
#include <mpi.h>

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/bytes.hpp"
#include "regraft/ft/resilient.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/store/replicated_store.hpp"
#include "support/store/blocks.hpp"

namespace regraft::store {
namespace {

constexpr std::uint64_t num_blocks = 103;
constexpr std::size_t block_bytes = 37;
constexpr std::uint32_t replicas = 2;

bool is_lost(BlockId id, std::span<BlockRange const> lost) {
    return std::any_of(lost.begin(), lost.end(), [&](BlockRange range) { return range.contains(id); });
}

/// Loads the ranges and compares every byte; lost blocks must have kept what was in the buffer.
void check_load(ReplicatedStore& store, std::span<BlockRange const> wanted) {
    constexpr auto untouched = std::byte{0xee};
    std::uint64_t count = 0;
    for (auto const& range : wanted) count += range.size();
    std::vector<std::byte> out(count * block_bytes, untouched);
    auto const report = store.load(wanted, out, {.lost = LoadOptions::Lost::left});
    std::size_t next = 0;
    for (auto const& range : wanted) {
        for (auto id = range.first; id < range.last; id = advance(id, 1)) {
            for (std::size_t offset = 0; offset < block_bytes; ++offset, ++next) {
                auto const expected = is_lost(id, report.lost) ? untouched : test::block_byte(id, offset);
                ASSERT_EQ(out[next], expected) << "block " << value(id) << " byte " << offset;
            }
        }
    }
}

/// The blocks no living PE holds, by the definition of mod-k and nothing else.
std::vector<BlockRange> expected_losses(ft::Communicator const& comm, std::vector<PeId> const& submitters) {
    auto const groups = submitters.size() / std::min<std::size_t>(replicas, submitters.size());
    std::vector<BlockRange> lost;
    for (std::size_t group = 0; group < groups; ++group) {
        bool alive = false;
        for (std::size_t slot = group; slot < submitters.size(); slot += groups) {
            alive = alive || std::binary_search(comm.members().begin(), comm.members().end(), submitters[slot]);
        }
        auto const part = test::part_of(num_blocks, group, groups);
        if (alive || part.empty()) continue;
        if (!lost.empty() && lost.back().last == part.first) {
            lost.back().last = part.last;
        } else {
            lost.push_back(part);
        }
    }
    return lost;
}

TEST(ReplicatedStore, GivesRightBytesOrSaysWhatIsLost) {
    ft::Communicator comm(MPI_COMM_WORLD);
    ReplicatedStore store(comm);
    std::vector<PeId> submitters;
    auto const position = [&] {
        return static_cast<std::size_t>(std::find(comm.members().begin(), comm.members().end(), comm.self()) -
                                        comm.members().begin());
    };
    ft::resilient(
        comm,
        [&] {
            if (store.num_blocks() == 0) {
                auto const mine = test::part_of(num_blocks, position(), comm.size());
                auto const size = static_cast<std::uint32_t>(comm.size());
                submitters.assign(comm.members().begin(), comm.members().end());
                store.submit(placement::ModK(num_blocks, size, std::min(replicas, size)), mine,
                             test::blocks(mine, block_bytes), block_bytes);
            }
            EXPECT_EQ(store.num_blocks(), num_blocks);
            // All members want everything; then all but one want nothing; then overlapping pieces out of order.
            check_load(store, std::vector{BlockRange{BlockId{0}, BlockId{num_blocks}}});
            check_load(store,
                       comm.leads() ? std::vector{BlockRange{BlockId{50}, BlockId{60}}} : std::vector<BlockRange>{});
            auto const shift = value(comm.self()) * 5;
            check_load(store, std::vector{BlockRange{BlockId{60 + shift}, BlockId{70 + shift}},
                                          BlockRange{BlockId{shift}, BlockId{12 + shift}}});
            return true;
        },
        [](ft::Failure const&) {});

    std::vector<std::byte> all(num_blocks * block_bytes);
    auto const report = ft::resilient(
        comm,
        [&] {
            return store.load(std::vector{BlockRange{BlockId{0}, BlockId{num_blocks}}}, all,
                              {.lost = LoadOptions::Lost::left});
        },
        [](ft::Failure const&) {});
    EXPECT_EQ(report.lost, expected_losses(comm, submitters));
    EXPECT_TRUE(comm.agree_equal(hash(std::as_bytes(std::span(all)))) || !report.lost.empty());
}

}  // namespace
}  // namespace regraft::store
