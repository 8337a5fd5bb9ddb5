// What all members save and open together while all live.
#include <mpi.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/bytes.hpp"
#include "regraft/disk/archive.hpp"
#include "regraft/store/disk.hpp"
#include "support/full_disk.hpp"
#include "support/store/archives.hpp"
#include "support/store/first_members.hpp"
#include "support/store/store_under_test.hpp"
#include "support/store/stores_on_disk.hpp"

namespace regraft::store {
namespace {

namespace fs = std::filesystem;
using test::Content;
using test::job_folder;
using test::Submission;
using test::with_first;

Submission even_submission(ft::Communicator const& comm, Content const& content) {
    return {content, test::part_of(content.num_blocks(), comm.position(comm.self()), comm.size())};
}

std::vector<Content> contents() {
    return {Content(1, 103, Content::Sizes::fixed, 37), Content(2, 90, Content::Sizes::variable, 5000),
            Content(3, 0, Content::Sizes::fixed, 8), Content(4, 7, Content::Sizes::fixed, 0),
            Content(5, 3, Content::Sizes::variable, 200000)};
}

template <class Stored, class... Setting>
void comes_back(std::string const& name, typename Stored::Options const& options, Setting... setting) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = job_folder(name);
    for (auto const& content : contents()) {
        SCOPED_TRACE(content.num_blocks());
        for (std::uint32_t const files : {0U, 1U, 2U, 100U}) {
            auto const submission = even_submission(comm, content);
            Stored saved(comm, options, setting...);
            saved.submit(submission, content);
            auto const report = saved.store().save(archive, {.files = files, .attributes = test::as_bytes(files)});
            EXPECT_EQ(report.bytes, content.bytes(content.everything()));
            auto const size = static_cast<std::uint32_t>(comm.size());
            EXPECT_EQ(report.files, files == 0 ? 1U : std::min(files, size)) << "all ranks are on one node";
            EXPECT_FALSE(fs::exists(disk::data_path(archive, report.generation, report.files)));

            Stored opened(comm, options, setting...);
            auto const read = opened.open(archive);
            EXPECT_EQ(read.generation, report.generation);
            EXPECT_EQ(test::as_number(read.attributes), files);
            EXPECT_TRUE(read.refused.empty());
            EXPECT_EQ(opened.store().version(), 1u);
            EXPECT_EQ(test::wrong_in(opened.store(), content), "");
        }
    }
}

TEST(SavedStore, ComesBackReplicated) {
    comes_back<test::Replicated>("replicated", {});
    comes_back<test::Replicated>("scattered", {}, true);
    comes_back<test::Replicated>("checked", {.integrity = Integrity::checked});
    comes_back<test::Replicated>("referenced", {.own_copy = OwnCopy::referenced}, true);
    comes_back<test::Replicated>("both", {.own_copy = OwnCopy::referenced, .integrity = Integrity::checked});
}

TEST(SavedStore, ComesBackCoded) {
    comes_back<test::Coded>("coded", {});
    comes_back<test::Coded>("coded-both", {.own_copy = OwnCopy::referenced, .integrity = Integrity::checked});
}

TEST(SavedStore, IsReadByAnyNumberOfPesIntoEitherKindOfStore) {
    ft::Communicator comm(MPI_COMM_WORLD);
    Content const content(7, 211, Content::Sizes::variable, 900);
    for (std::size_t const writers : {1, 3, 5, 8}) {
        if (writers > comm.size()) continue;
        auto const archive = job_folder("by-" + std::to_string(writers));
        with_first(comm, writers, [&](ft::Communicator& some) {
            auto const submission = even_submission(some, content);
            test::Replicated saved(some, {}, true);
            saved.submit(submission, content);
            static_cast<void>(saved.store().save(archive, {.files = 3}));
        });
        for (std::size_t readers = 1; readers <= comm.size(); ++readers) {
            with_first(comm, readers, [&](ft::Communicator& some) {
                SCOPED_TRACE(std::to_string(writers) + " wrote, " + std::to_string(readers) + " read");
                test::Replicated replicated(some, {});
                test::Coded coded(some, {});
                EXPECT_EQ(replicated.open(archive).generation, 1u);
                EXPECT_EQ(coded.open(archive).generation, 1u);
                EXPECT_EQ(test::wrong_in(replicated.store(), content), "");
                EXPECT_EQ(test::wrong_in(coded.store(), content), "");
            });
        }
    }
}

/// Changes a byte of the first block of any that the leader holds.
template <class Store>
void damage_on_leader(ft::Communicator const& comm, Store const& store) {
    for (BlockId id{0}; comm.leads() && value(id) < store.num_blocks(); id = advance(id, 1)) {
        auto const bytes = store.held({id, advance(id, 1)});
        if (bytes.empty()) continue;
        const_cast<std::byte&>(bytes.back()) ^= std::byte{1};
        return;
    }
}

template <class Stored>
void is_saved_undamaged(std::string const& name) {
    ft::Communicator comm(MPI_COMM_WORLD);
    Content const content(6, 60, Content::Sizes::variable, 9000);
    auto const submission = even_submission(comm, content);
    Stored saved(comm, {.integrity = Integrity::checked});
    saved.submit(submission, content);
    damage_on_leader(comm, saved.store());
    if (comm.size() == 1) {
        EXPECT_THROW(static_cast<void>(saved.store().save(job_folder(name))), DataLost) << "there is no other copy";
        return;
    }
    static_cast<void>(saved.store().save(job_folder(name)));
    Stored opened(comm, {});
    static_cast<void>(opened.open(job_folder(name)));
    EXPECT_EQ(test::wrong_in(opened.store(), content), "");
}

TEST(SavedStore, IsWithoutTheDamageOfAReplica) {
    is_saved_undamaged<test::Replicated>("damaged-copy");
    is_saved_undamaged<test::Coded>("damaged-piece");
}

TEST(SavedStore, OldGenerationsGo) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = job_folder("kept");
    Content const content(1, 20, Content::Sizes::fixed, 10);
    auto const submission = even_submission(comm, content);
    test::Replicated saved(comm, {});
    saved.submit(submission, content);
    for (std::uint64_t i = 1; i <= 4; ++i) EXPECT_EQ(saved.store().save(archive, {.kept = 3}).generation, i);
    comm.agree();
    EXPECT_EQ(disk::generations(archive), (std::vector<std::uint64_t>{4, 3, 2}));
    comm.agree();
}

/// The error that all members are told.
std::string error_of(ft::Communicator& comm, std::function<void()> const& body) {
    std::string text = "no error";
    try {
        body();
    } catch (DiskError const& error) {
        text = error.what();
    }
    EXPECT_TRUE(comm.agree_equal(hash(std::as_bytes(std::span(text))))) << text;
    return text;
}

bool has(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

class TwoSaves : public testing::Test {
protected:
    /// Saves content 1 and, as far as it goes, content 2.
    TwoSaves() {
        std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
        archive = job_folder(name);
        save(1, 0);
    }
    Content content(std::uint64_t number) const { return {number, 64, Content::Sizes::variable, 3000}; }
    void save(std::uint64_t number, std::size_t attribute_bytes, std::optional<PeId> full = {}) {
        auto const submission = even_submission(comm, content(number));
        test::Replicated saved(comm, {});
        saved.submit(submission, content(number));
        std::optional<test::ShortFiles> limit;
        if (full == comm.self()) limit.emplace(60);
        SaveOptions const options{.files = 100, .attributes = std::vector<std::byte>(attribute_bytes)};
        static_cast<void>(saved.store().save(archive, options));
    }
    /// Which of the two is opened, and what is reported of the other.
    std::pair<std::uint64_t, std::string> opened() {
        test::Replicated store(comm, {});
        auto const report = store.open(archive);
        std::string text;
        for (auto const& reason : report.refused) text += reason;
        EXPECT_TRUE(comm.agree_equal(hash(std::as_bytes(std::span(text)))));
        EXPECT_EQ(test::wrong_in(store.store(), content(report.generation)), "");
        return {report.generation, text};
    }
    template <class Body>
    void leader_does(Body body) {
        comm.agree();
        if (comm.leads()) body();
        comm.agree();
    }

    ft::Communicator comm{MPI_COMM_WORLD};
    fs::path archive;
};

TEST_F(TwoSaves, IfOneMemberCannotWriteAllSaySoAndTheOneBeforeStays) {
    auto const last = comm.members().back();
    auto const error = error_of(comm, [&] { save(2, 0, last); });
    EXPECT_TRUE(has(error, "2/" + std::to_string(comm.size() - 1) + ".data: cannot be written: File too large"))
        << error;
    leader_does([&] { EXPECT_FALSE(fs::exists(archive / "2")) << "it is removed"; });
    EXPECT_EQ(opened().first, 1u);
    save(2, 0);
    EXPECT_EQ(opened().first, 2u);
}

TEST_F(TwoSaves, IfTheIndexCannotBeWrittenAllSaySoAndTheOneBeforeStays) {
    // The leader has no blocks: what is too long is the index.
    std::vector<std::byte> const bytes(10 * (comm.size() - 1));
    BlockSizes const sizes(comm.size() - 1, 10);
    std::vector<OwnBlocks> mine;
    if (!comm.leads()) {
        auto const first = comm.position(comm.self()) - 1;
        mine.push_back({{BlockId{first}, BlockId{first + 1}}, std::span(bytes).first(10)});
    }
    std::optional<test::ShortFiles> limit;
    if (comm.leads()) limit.emplace(60);
    SaveOptions const options{.files = 100, .attributes = std::vector<std::byte>(100)};
    auto const error = error_of(comm, [&] { static_cast<void>(store::save(comm, archive, sizes, mine, options)); });
    EXPECT_TRUE(has(error, "2/index: cannot be written: File too large")) << error;
    leader_does([&] { EXPECT_FALSE(fs::exists(archive / "2")) << "it is removed"; });
    EXPECT_EQ(opened().first, 1u);
}

TEST_F(TwoSaves, WhatAnybodyFindsDamagedNobodyUses) {
    save(2, 0);
    for (std::size_t file = 0; file < comm.size(); ++file) {
        auto const path = disk::data_path(archive, 2, file);
        std::vector<std::byte> bytes;
        leader_does([&] {
            bytes = test::file_contents(path);
            auto damaged = bytes;
            damaged[damaged.size() / 2] ^= std::byte{16};
            test::write_contents(path, damaged);
        });
        auto const [generation, refused] = opened();
        EXPECT_EQ(generation, 1u);
        EXPECT_TRUE(has(refused, path.string() + ": is damaged: the checksum")) << refused;
        leader_does([&] { fs::resize_file(path, 24); });
        EXPECT_TRUE(has(opened().second, path.string() + ": is damaged: it has 24 bytes"));
        leader_does([&] { fs::remove(path); });
        EXPECT_TRUE(has(opened().second, path.string() + ": cannot be read: No such file"));
        leader_does([&] { test::write_contents(path, bytes); });
    }
    EXPECT_EQ(opened(), std::pair(std::uint64_t{2}, std::string()));
    leader_does([&] { fs::resize_file(disk::index_path(archive, 2), 10); });
    auto const [generation, refused] = opened();
    EXPECT_EQ(generation, 1u);
    EXPECT_TRUE(has(refused, "index: is no index")) << refused;
}

TEST_F(TwoSaves, IfNothingCanBeReadAllSayWhy) {
    leader_does([&] { fs::resize_file(disk::index_path(archive, 1), 40); });
    test::Replicated store(comm, {});
    auto error = error_of(comm, [&] { static_cast<void>(store.open(archive)); });
    EXPECT_TRUE(has(error, ": holds no generation that can be read") && has(error, "1/index: is damaged")) << error;
    error = error_of(comm, [&] { static_cast<void>(store.open(archive / "none")); });
    EXPECT_TRUE(has(error, "none: cannot be read: No such file or directory")) << error;
    EXPECT_EQ(store.store().version(), 0u);
}

TEST_F(TwoSaves, TheVersionInTheStoreIsReadAgainFromWhereItWasSaved) {
    auto const submission = even_submission(comm, content(1));
    test::Replicated store(comm, {});
    store.submit(submission, content(1));
    EXPECT_FALSE(store.store().reread()) << "it was not saved";
    static_cast<void>(store.store().save(archive));
    static_cast<void>(store.store().save(archive));
    auto const check = [&](Content const& right) {
        auto const range = BlockRange{BlockId{5}, BlockId{29}};
        std::vector<std::byte> out(store.store().sizes().bytes(range));
        store.store().reread()(range, out);
        EXPECT_EQ(out, right.rows(range).values);
    };
    check(content(1));
    leader_does([&] {
        for (std::size_t file = 0; file < comm.size(); ++file) fs::remove(disk::data_path(archive, 3, file));
    });
    check(content(1));
    store.submit(even_submission(comm, content(2)), content(2));
    EXPECT_FALSE(store.store().reread()) << "what was saved is another version";
    static_cast<void>(store.open(archive));
    check(content(1));
}

TEST(SavedBlocks, OfAnybodyAreReadByShares) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = job_folder("entities");
    // Block i belongs to member i mod p, and the member before reads it.
    auto const size = comm.size();
    auto const me = comm.position(comm.self());
    Content const content(1, 3 * size + 2, Content::Sizes::variable, 100);
    auto const rows = content.rows(content.everything());
    BlockSizes const sizes(rows.offsets);
    std::vector<OwnBlocks> mine;
    for (auto id = me; id < content.num_blocks(); id += size)
        mine.push_back({{BlockId{id}, BlockId{id + 1}}, rows[id]});
    static_cast<void>(save(comm, archive, sizes, mine, {.attributes = test::as_bytes(42)}));
    auto const opened = open(comm, archive, [&](disk::Index const& index) {
        EXPECT_EQ(test::as_number(index.attributes), 42u);
        std::vector<BlockRange> wanted;
        for (auto id = (me + 1) % size; id < index.sizes.num_blocks(); id += size)
            wanted.push_back({BlockId{id}, BlockId{id + 1}});
        return wanted;
    });
    std::vector<std::byte> expected;
    for (auto id = (me + 1) % size; id < content.num_blocks(); id += size)
        expected.insert(expected.end(), rows[id].begin(), rows[id].end());
    EXPECT_TRUE(std::ranges::equal(opened.bytes, expected));
    EXPECT_EQ(opened.blocks.size(), (content.num_blocks() - (me + 1) % size + size - 1) / size);
}

}  // namespace
}  // namespace regraft::store
