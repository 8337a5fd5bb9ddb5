// Updates of a replicated store while all members live: which bytes there are, what travels, what is copied, and what
// checksums, files and archives say.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/placement/mod_k.hpp"
#include "support/store/store_under_test.hpp"
#include "support/store/stores_on_disk.hpp"

namespace regraft::store {
namespace {

using test::Content;
using test::some_blocks;
using test::StoreUnderTest;
using test::submit_evenly;

constexpr std::array<Options, 4> all_options{Options{Transport::collective, OwnCopy::copied, Integrity::unchecked},
                                             Options{Transport::collective, OwnCopy::referenced, Integrity::checked},
                                             Options{Transport::rounds, OwnCopy::copied, Integrity::checked},
                                             Options{Transport::rounds, OwnCopy::referenced, Integrity::unchecked}};

class Update : public testing::Test {
protected:
    /// One member gives all this, the others nothing.
    Csr<BlockRange> by(std::size_t rank, std::vector<BlockRange> const& ranges) const {
        Csr<BlockRange> rows;
        for (std::size_t i = 0; i < comm.size(); ++i)
            rows.push_row(i == rank ? std::span(ranges) : std::span<BlockRange const>());
        return rows;
    }
    Csr<BlockRange> by_last(std::vector<BlockRange> const& ranges) const { return by(comm.size() - 1, ranges); }
    static BlockRange one(std::uint64_t id) { return {BlockId{id}, BlockId{id + 1}}; }

    ft::Communicator comm{MPI_COMM_WORLD};
};

TEST_F(Update, ChangesTheGivenBlocksAndNoOthers) {
    for (auto const& options : all_options) {
        for (auto const* const placement : {"mod_k", "permuted", "pairwise"}) {
            for (auto const sizes : {Content::Sizes::fixed, Content::Sizes::variable}) {
                SCOPED_TRACE(placement);
                StoreUnderTest store(comm, options);
                submit_evenly(store, comm, {200, sizes, 1000, 2}, placement);
                std::uint64_t salt = 1;
                for (std::uint64_t const every : {7, 1, 0, 100, 2}) {
                    EXPECT_EQ(store.update(some_blocks(comm, 200, every, salt), salt), "") << "one in " << every;
                    EXPECT_EQ(store.store().version(), ++salt);
                    EXPECT_EQ(store.load_everything(), "") << "one in " << every;
                }
                if (options.integrity == Integrity::checked) {
                    EXPECT_EQ(store.store().scrub().damaged, std::vector<Damage>());
                }
            }
        }
    }
}

TEST_F(Update, TakesBlocksFromAnyMember) {
    StoreUnderTest store(comm, {.integrity = Integrity::checked});
    submit_evenly(store, comm, {40, Content::Sizes::variable, 9000, 1}, "permuted");
    for (std::size_t rank = 0; rank < comm.size(); ++rank) {
        EXPECT_EQ(store.update(by(rank, {store.model().content().everything()}), rank + 1), "");
        EXPECT_EQ(store.load_everything(), "");
    }
    EXPECT_EQ(store.update(by_last({{BlockId{3}, BlockId{3}}, one(5), one(6), {BlockId{7}, BlockId{7}}}), 99), "")
        << "empty ranges, and ranges that touch";
    EXPECT_EQ(store.load_everything(), "");
}

TEST_F(Update, SendsMorePiecesThanMembersList) {
    StoreUnderTest store(comm, {.integrity = Integrity::checked});
    submit_evenly(store, comm, {30'000, Content::Sizes::fixed, 8, 2}, "mod_k");
    EXPECT_EQ(store.update(some_blocks(comm, 30'000, 2, 5), 5), "");
    EXPECT_EQ(store.load_everything(), "");
}

TEST_F(Update, LeavesWhatHasNotChangedWhereItIs) {
    for (auto const integrity : {Integrity::unchecked, Integrity::checked}) {
        StoreUnderTest store(comm, {.integrity = integrity});
        submit_evenly(store, comm, {64, Content::Sizes::fixed, 3000, 100});  // all members hold everything
        auto const before = store.store().held({BlockId{0}, BlockId{64}});
        EXPECT_EQ(store.update(by_last({one(10), one(40)}), 7), "");
        auto const after = store.store().held({BlockId{0}, BlockId{64}});
        EXPECT_EQ(after.data(), before.data());
        EXPECT_EQ(after.size(), 64u * 3000);
        EXPECT_EQ(store.store().bytes_spare(), 0u);
        EXPECT_EQ(store.load_everything(), "");
    }
}

TEST_F(Update, WorksBeforeAndAfterSubmitsAndRepairs) {
    for (auto const& options : all_options) {
        StoreUnderTest store(comm, options);
        for (std::uint64_t salt = 1; salt < 4; ++salt) {
            submit_evenly(store, comm, {90, Content::Sizes::variable, 500, 2}, "permuted", salt);
            EXPECT_EQ(store.update(some_blocks(comm, 90, 3, salt), salt), "");
            EXPECT_EQ(store.repair({.replicas = test::fitting(3, comm)}), "");
            EXPECT_EQ(store.load_everything(), "");
            EXPECT_EQ(store.update(some_blocks(comm, 90, 2, salt + 50), salt + 50), "") << "more copies than before";
            EXPECT_EQ(store.load_everything(), "");
        }
    }
}

/// Spoils the bytes of a block in this PE's memory.
void damage(ReplicatedStore& store, BlockId id) {
    auto const held = store.held({id, advance(id, 1)});
    ASSERT_FALSE(held.empty());
    *const_cast<std::byte*>(held.data()) ^= std::byte{1};
}

TEST_F(Update, KeepsDamageInSight) {
    if (comm.size() < 2) GTEST_SKIP() << "needs a second replica";
    StoreUnderTest store(comm, {.integrity = Integrity::checked});
    submit_evenly(store, comm, {64, Content::Sizes::fixed, 3000, 100});  // 21 blocks have a checksum
    if (comm.leads()) damage(store.store(), BlockId{3});
    EXPECT_EQ(store.update(by_last({one(5)}), 1), "") << "of the same part";
    auto const report = store.store().scrub();
    ASSERT_EQ(report.damaged.size(), 1u);
    EXPECT_TRUE(report.damaged[0].blocks.contains(BlockId{3}));
    EXPECT_EQ(report.damaged[0].holder, comm.members().front());
    EXPECT_TRUE(report.lost.empty());
    EXPECT_EQ(store.load_everything(), "");

    if (comm.leads()) damage(store.store(), BlockId{3});
    EXPECT_EQ(store.update(by_last({{BlockId{0}, BlockId{30}}}), 2), "") << "all of the part";
    EXPECT_TRUE(store.store().scrub().damaged.empty()) << "the damaged bytes are gone";
    EXPECT_EQ(store.load_everything(), "");
}

TEST_F(Update, BringsBackWhatWasLost) {
    for (bool const repaired : {false, true}) {
        StoreUnderTest store(comm, {.integrity = Integrity::checked});
        submit_evenly(store, comm, {40, Content::Sizes::fixed, 100'000, 1}, "permuted");
        auto const victim = store.model().holders(BlockId{20}).front();
        if (comm.self() == victim) damage(store.store(), BlockId{20});
        EXPECT_EQ(store.store().scrub().lost, std::vector{one(20)});
        auto const given = by_last({one(20), one(21)});
        auto const content = store.model().content().with_other_bytes_in(given.values, 3);
        auto const mine = given[comm.position(comm.self())];
        std::vector<std::byte> bytes;
        for (auto const& range : mine) {
            auto const rows = content.rows(range);
            bytes.insert(bytes.end(), rows.values.begin(), rows.values.end());
        }
        auto const report = store.store().update(mine, bytes);
        EXPECT_EQ(report.regained, std::vector{one(20)});
        auto const copies = test::fitting(2, comm);
        if (repaired) {
            EXPECT_EQ(store.store().repair({.replicas = copies}).least_copies, copies);
        }
        EXPECT_EQ(test::wrong_in(store.store(), content), "");
        EXPECT_TRUE(store.store().scrub().damaged.empty());
    }
}

TEST_F(Update, IsWhatIsSavedAndOpened) {
    auto const archive = test::job_folder("update-archive");
    Content const content(5, 60, Content::Sizes::variable, 4000);
    test::Replicated store(comm, {.integrity = Integrity::checked});
    store.submit({content, test::part_of(60, comm.position(comm.self()), comm.size())}, content);
    static_cast<void>(store.store().save(archive));
    EXPECT_TRUE(store.store().reread());
    auto const given = by_last({one(2), {BlockId{30}, BlockId{41}}});
    auto const other = content.with_other_bytes_in(given.values, 8);
    std::vector<std::byte> bytes;
    auto const mine = given[comm.position(comm.self())];
    for (auto const& range : mine) {
        auto const rows = other.rows(range);
        bytes.insert(bytes.end(), rows.values.begin(), rows.values.end());
    }
    EXPECT_EQ(store.store().update(mine, bytes).blocks_changed, 12u);
    EXPECT_FALSE(store.store().reread()) << "this version was not saved";
    static_cast<void>(store.store().save(archive));
    test::Replicated opened(comm, {.own_copy = OwnCopy::referenced});
    static_cast<void>(opened.open(archive));
    EXPECT_EQ(test::wrong_in(opened.store(), other), "");
    auto const back = other.with_other_bytes_in(given.values, 9);
    bytes.clear();
    for (auto const& range : mine) {
        auto const rows = back.rows(range);
        bytes.insert(bytes.end(), rows.values.begin(), rows.values.end());
    }
    static_cast<void>(opened.store().update(mine, bytes));
    EXPECT_EQ(test::wrong_in(opened.store(), back), "") << "the memory of what was read is no longer needed";
}

TEST_F(Update, StaysInFiles) {
    auto const folder = test::job_folder("update-kept") / std::to_string(comm.position(comm.self()));
    std::filesystem::create_directories(folder);
    for (auto const integrity : {Integrity::unchecked, Integrity::checked}) {
        Options const options{.integrity = integrity,
                              .keep = Keep{folder, "job", "update-" + std::to_string(static_cast<int>(integrity))}};
        auto content = Content(3, 70, Content::Sizes::variable, 3000);
        {
            StoreUnderTest store(comm, options);
            submit_evenly(store, comm, {70, Content::Sizes::variable, 3000, 2}, "permuted", 3);
            for (std::uint64_t salt = 1; salt < 5; ++salt) {
                store.store().set_attributes(test::as_bytes(salt));
                EXPECT_EQ(store.update(some_blocks(comm, 70, salt, salt), salt), "");
                EXPECT_EQ(store.load_everything(), "");
            }
            content = store.model().content();
        }
        comm.agree();
        ReplicatedStore store(comm, options);
        auto const report = store.reopen();
        ASSERT_TRUE(report.has_value());
        EXPECT_EQ(report->version, 5u);
        EXPECT_EQ(test::as_number(report->attributes), 4u);
        EXPECT_TRUE(report->refused.empty());
        EXPECT_EQ(report->repaired.bytes_copied, 0u) << "nothing is missing";
        EXPECT_EQ(test::wrong_in(store, content), "");
        auto const everything = content.everything();
        auto const other = content.with_other_bytes_in(std::span(&everything, 1), 77);
        bool const gives = comm.leads();
        auto const bytes = gives ? other.rows(everything).values : std::vector<std::byte>();
        EXPECT_EQ(store.update(std::span(&everything, gives ? 1 : 0), bytes).blocks_changed, 70u);
        EXPECT_EQ(test::wrong_in(store, other), "") << "also of what was reopened";
        store.discard();
    }
}

}  // namespace
}  // namespace regraft::store
