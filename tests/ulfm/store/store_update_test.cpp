// An update that fails leaves the version before it, on all survivors, and can be repeated; one that succeeds is there
// on all of them. Blocks that were lost come back with the next update that has them.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/store/store_under_test.hpp"
#include "support/store/stores_on_disk.hpp"

namespace regraft::store {
namespace {

using test::Content;

constexpr std::uint64_t num_blocks = 150;

/// A version for each of these: how many blocks change.
constexpr std::array<std::uint64_t, 6> one_in{5, 1, 40, 0, 2, 3};

/// Makes all versions; after a death, from where the members are, with the lost copies made anew or not.
void update_often(ft::Communicator& comm, test::StoreUnderTest& store, bool repairs) {
    ft::resilient(
        comm,
        [&] {
            if (store.store().version() == 0) {
                test::submit_evenly(store, comm, {num_blocks, Content::Sizes::variable, 700, 2}, "permuted");
            }
            while (store.store().version() <= one_in.size()) {
                auto const next = store.store().version();
                EXPECT_EQ(store.update(test::some_blocks(comm, num_blocks, one_in[next - 1], next), next), "");
                EXPECT_EQ(store.store().version(), next + 1);
                EXPECT_EQ(store.load_everything(), "");
            }
            return true;
        },
        [&](ft::Failure const&) {
            store.settle();
            EXPECT_TRUE(comm.agree_equal(store.store().version()));
            if (store.store().version() == 0) return;
            if (repairs) {
                EXPECT_EQ(store.repair(), "");
            }
            EXPECT_EQ(store.load_everything(), "");
        });
    EXPECT_EQ(store.store().version(), one_in.size() + 1);
}

/// The same in files, which another store opens whoever has died.
void expect_files(ft::Communicator& comm) {
    // A folder for each rank, as on nodes of their own.
    auto const folder = test::job_folder("updated") / std::to_string(value(comm.self()));
    std::filesystem::create_directories(folder);
    Options const options{.integrity = Integrity::checked, .keep = Keep{folder, "job", "updated"}};
    auto content = Content();
    {
        test::StoreUnderTest store(comm, options);
        update_often(comm, store, true);
        content = store.model().content();
    }
    ReplicatedStore store(comm, options);
    auto const report = ft::resilient(
        comm, [&] { return store.reopen({.lost = ReopenOptions::Lost::left}); }, [](ft::Failure const&) {});
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->version, one_in.size() + 1);
    auto const everything = content.everything();
    auto const right = content.rows(everything);
    std::vector<std::byte> out(right.values.size());
    auto const loaded = ft::resilient(
        comm, [&] { return store.load(std::span(&everything, 1), out, {.lost = LoadOptions::Lost::left}); },
        [](ft::Failure const&) {});
    for (std::uint64_t id = 0; id < num_blocks; ++id) {
        bool const lost =
            std::ranges::any_of(loaded.lost, [&](auto const& range) { return range.contains(BlockId{id}); });
        auto const begin = static_cast<std::ptrdiff_t>(right.offsets[id]),
                   end = static_cast<std::ptrdiff_t>(right.offsets[id + 1]);
        EXPECT_TRUE(lost || std::equal(out.begin() + begin, out.begin() + end, right.values.begin() + begin))
            << "block " << id;
    }
}

TEST(UpdatedStore, HasTheVersionBeforeOrTheNextOnAllSurvivors) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (auto const transport : {Transport::collective, Transport::rounds}) {
        test::StoreUnderTest store(comm, {transport, OwnCopy::referenced, Integrity::checked});
        update_often(comm, store, transport == Transport::collective);
    }
    test::StoreUnderTest store(comm, {});
    update_often(comm, store, false);
    expect_files(comm);
}

}  // namespace
}  // namespace regraft::store
