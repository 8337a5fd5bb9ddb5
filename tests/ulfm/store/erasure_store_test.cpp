// The erasure-coded store under the failure plan of the row: no wrong byte, nothing lost that a repair made safe
// before, the same outcome on all survivors.
#include <mpi.h>

#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/bytes.hpp"
#include "regraft/ft/resilient.hpp"
#include "regraft/store/erasure_store.hpp"
#include "support/store/blocks.hpp"

namespace regraft::store {
namespace {

constexpr std::uint64_t num_blocks = 503;
constexpr auto untouched = std::byte{0xee};

/// Every version has other bytes, and blocks of another size.
std::size_t block_bytes(std::uint64_t version) {
    return 3 + 2 * version;
}

std::vector<std::byte> blocks(BlockRange range, std::uint64_t version) {
    auto const shift = 100000 * version;
    return test::blocks({advance(range.first, shift), advance(range.last, shift)}, block_bytes(version));
}

bool is_lost(BlockId id, std::span<BlockRange const> lost) {
    return std::any_of(lost.begin(), lost.end(), [&](BlockRange range) { return range.contains(id); });
}

/// What a rank does with the store, and what it knows of how safe the blocks are.
class Life {
public:
    explicit Life(ft::Communicator& comm)
        : comm_(comm), store_(comm, {.own_copy = OwnCopy::referenced, .buffer_bytes = 256}) {}

    void submit(std::uint64_t version) {
        if (store_.version() >= version) return;
        auto const mine = test::part_of(num_blocks, comm_.position(comm_.self()), comm_.size());
        submitted_[version] = blocks(mine, version);
        store_.submit(erasure::Code(2, 2), mine, submitted_[version], block_bytes(version));
        lost_.clear();
        survives_ = store_.code().parity();
    }

    /// Loads the ranges and compares every byte; lost blocks must have kept what was in the buffer.
    void load(std::span<BlockRange const> wanted) {
        auto const version = store_.version();
        std::vector<std::byte> expected;
        for (auto const& range : wanted) {
            auto const bytes = blocks(range, version);
            expected.insert(expected.end(), bytes.begin(), bytes.end());
        }
        std::vector<std::byte> out(expected.size(), untouched);
        auto const report = store_.load(wanted, out, {.lost = LoadOptions::Lost::left});
        std::size_t next = 0;
        for (auto const& range : wanted) {
            for (auto id = range.first; id < range.last; id = advance(id, 1)) {
                for (std::size_t i = 0; i < block_bytes(version); ++i, ++next) {
                    if (is_lost(id, report.lost)) expected[next] = untouched;
                }
            }
        }
        ASSERT_EQ(out, expected);
        if (comm_.agree_equal(store_.version())) {
            EXPECT_TRUE(std::all_of(report.lost.begin(), report.lost.end(), [&](BlockRange gone) {
                return is_lost(gone.first, lost_) && is_lost(BlockId{value(gone.last) - 1}, lost_);
            }));
        } else {
            ADD_FAILURE() << "survivors have different versions";
        }
    }

    void load_everything() { load(std::vector{BlockRange{BlockId{0}, BlockId{num_blocks}}}); }

    void repair(ft::Failure const& failure) {
        auto const report = store_.repair();
        if (store_.version() == 0) {
            EXPECT_TRUE(report.lost.empty());
            return;
        }
        if (failure.lost.size() <= survives_) {
            EXPECT_EQ(report.lost, lost_);
        }
        EXPECT_EQ(report.code, erasure::Code(2, 2).fitted(std::min<std::uint32_t>(4, size())));
        EXPECT_EQ(report.deaths_survived, report.code.parity());
        lost_ = report.lost;
        survives_ = report.deaths_survived;
    }

    std::vector<BlockRange> const& lost() const { return lost_; }

private:
    std::uint32_t size() const { return static_cast<std::uint32_t>(comm_.size()); }

    ft::Communicator& comm_;
    ErasureStore store_;
    std::map<std::uint64_t, std::vector<std::byte>> submitted_;  // lives as long as the store may refer to it
    std::vector<BlockRange> lost_;
    std::uint32_t survives_ = 0;
};

TEST(ErasureStore, LosesNothingThatARepairMadeSafe) {
    ft::Communicator comm(MPI_COMM_WORLD);
    Life life(comm);
    auto const work = [&] {
        for (std::uint64_t version : {1, 2}) {
            life.submit(version);
            // All members want everything; then all but one want nothing; then overlapping pieces out of order.
            life.load_everything();
            life.load(comm.leads() ? std::vector{BlockRange{BlockId{50}, BlockId{300}}} : std::vector<BlockRange>{});
            auto const shift = value(comm.self()) * 25;
            life.load(std::vector{BlockRange{BlockId{200 + shift}, BlockId{270 + shift}},
                                  BlockRange{BlockId{shift}, BlockId{112 + shift}}});
        }
        return true;
    };
    ft::resilient(comm, work, [&](ft::Failure const& failure) { life.repair(failure); });
    ft::resilient(
        comm,
        [&] {
            life.load_everything();
            std::uint64_t ends = 0;
            for (auto const& range : life.lost()) ends = mix(ends ^ value(range.first)) ^ value(range.last);
            EXPECT_TRUE(comm.agree_equal(ends)) << "survivors disagree about what is lost";
            return true;
        },
        [&](ft::Failure const& failure) { life.repair(failure); });
}

}  // namespace
}  // namespace regraft::store
