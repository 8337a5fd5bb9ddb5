// Stores and snapshots are kept on a node whose folder is full: all members are told, and what was kept before stays.
#include <mpi.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

#include <gtest/gtest.h>

#include "support/full_disk.hpp"
#include "support/store/saved_program.hpp"
#include "support/store/small_disk.hpp"
#include "support/store/stores_on_disk.hpp"

namespace regraft::store {
namespace {

namespace fs = std::filesystem;
using test::Content;

constexpr std::size_t most_left = 12;  // pages; enough for everything

/// Every rank has a folder, as if it were alone on its node. That of the last rank is on a small disk.
class FullNode : public testing::Test {
protected:
    void SetUp() override {
        if (!comm_.agree(test::SmallDisk::possible())) GTEST_SKIP() << "this user may not mount";
        folder_ = test::job_folder("full") / std::to_string(comm_.position(comm_.self()));
        fs::create_directories(folder_);
        if (has_small_disk()) disk_.emplace(folder_, 100);
    }
    void TearDown() override { comm_.agree(); }

    bool has_small_disk() const { return comm_.self() == comm_.members().back(); }
    Keep keep(std::string const& name) const { return {folder_, "job", name}; }
    void leave_room_for(std::size_t pages) {
        if (disk_) disk_->fill(pages);
        comm_.agree();
    }
    void give_room_back() {
        if (disk_) disk_->empty();
        comm_.agree();
    }
    template <class Stored>
    void submit(Stored& store, Content const& content) {
        auto const part = test::part_of(content.num_blocks(), comm_.position(comm_.self()), comm_.size());
        store.submit({content, part}, content);
    }
    /// The files below the folder, with their sizes.
    std::vector<std::pair<fs::path, std::uint64_t>> files() const {
        std::vector<std::pair<fs::path, std::uint64_t>> result;
        for (auto const& entry : fs::recursive_directory_iterator(folder_)) {
            if (entry.is_regular_file()) result.emplace_back(entry.path(), entry.file_size());
        }
        std::ranges::sort(result);
        return result;
    }
    /// Whether body is told on all members that the small disk is full.
    template <class Body>
    bool is_told(Body const& body) {
        std::string text;
        try {
            body();
        } catch (DiskError const& error) {
            text = error.what();
        }
        EXPECT_TRUE(comm_.agree_equal(std::uint64_t{text.empty()})) << "members are told different things";
        if (text.empty()) return false;
        auto const last = comm_.size() - 1;
        EXPECT_NE(text.find("full/" + std::to_string(last) + "/regraft-job/"), std::string::npos) << text;
        EXPECT_NE(text.find("No space left on device"), std::string::npos) << text;
        return true;
    }

    template <class Stored>
    void has_the_version_before();
    template <class Stored>
    void keeps_what_a_job_without_room_leaves();
    template <class Stored>
    void is_reopened_when_there_is_room();
    void has_the_commit_before(std::string const& kind, checkpoint::SnapshotOptions options);

    ft::Communicator comm_{MPI_COMM_WORLD};
    fs::path folder_;
    std::optional<test::SmallDisk> disk_;
};

template <class Stored>
void FullNode::has_the_version_before() {
    Content const before(1, 60, Content::Sizes::fixed, 100), after(2, 90, Content::Sizes::variable, 700);
    std::size_t times_told = 0;
    for (std::size_t left = 0; left <= most_left; ++left) {
        SCOPED_TRACE(left);
        auto const name = "store-" + std::to_string(left) + typeid(Stored).name();
        {
            Stored store(comm_, {.keep = keep(name)});
            submit(store, before);
            leave_room_for(left);
            auto const files_before = files();
            if (is_told([&] { submit(store, after); })) {
                ++times_told;
                EXPECT_EQ(files(), files_before);
                EXPECT_EQ(store.store().version(), 1u);
                EXPECT_EQ(test::wrong_in(store.store(), before), "");
                give_room_back();
                submit(store, after);
            }
            EXPECT_EQ(store.store().version(), 2u);
            EXPECT_EQ(test::wrong_in(store.store(), after), "");
        }
        give_room_back();
        Stored store(comm_, {.keep = keep(name)});
        ASSERT_TRUE(store.reopen().has_value());
        EXPECT_EQ(test::wrong_in(store.store(), after), "");
        store.store().discard();
    }
    EXPECT_GT(times_told, 0u);
    EXPECT_LT(times_told, most_left + 1);
}

TEST_F(FullNode, HasTheVersionBeforeAndTakesTheNextOneWhenThereIsRoom) {
    has_the_version_before<test::Replicated>();
    has_the_version_before<test::Coded>();
}

template <class Stored>
void FullNode::keeps_what_a_job_without_room_leaves() {
    Content const before(3, 60, Content::Sizes::fixed, 100), after(4, 90, Content::Sizes::variable, 700);
    for (std::size_t left = 0; left <= most_left; ++left) {
        SCOPED_TRACE(left);
        auto const name = "job-" + std::to_string(left) + typeid(Stored).name();
        bool was_told = false;
        {
            Stored store(comm_, {.keep = keep(name)});
            submit(store, before);
            leave_room_for(left);
            was_told = is_told([&] { submit(store, after); });
        }
        give_room_back();
        Stored store(comm_, {.keep = keep(name)});
        auto const report = store.reopen();
        ASSERT_TRUE(report.has_value());
        EXPECT_TRUE(report->refused.empty());
        EXPECT_EQ(test::wrong_in(store.store(), was_told ? before : after), "");
        store.store().discard();
    }
}

TEST_F(FullNode, KeepsForTheNextJobWhatOneThatFoundNoRoomLeaves) {
    keeps_what_a_job_without_room_leaves<test::Replicated>();
    keeps_what_a_job_without_room_leaves<test::Coded>();
}

template <class Stored>
void FullNode::is_reopened_when_there_is_room() {
    Content const content(5, 60, Content::Sizes::fixed, 400);
    std::size_t times_told = 0;
    for (std::size_t left = 0; left <= most_left; ++left) {
        SCOPED_TRACE(left);
        auto const name = "reopened-" + std::to_string(left) + typeid(Stored).name();
        {
            Stored store(comm_, {.keep = keep(name)});
            submit(store, content);
        }
        comm_.agree();
        if (comm_.leads()) fs::remove_all(folder_ / "regraft-job" / name);
        leave_room_for(left);
        {
            Stored store(comm_, {.keep = keep(name)});
            bool const was_told = is_told([&] { ASSERT_TRUE(store.reopen().has_value()); });
            if (was_told) ++times_told;
            if (!was_told) {
                EXPECT_EQ(test::wrong_in(store.store(), content), "");
            }
        }
        give_room_back();
        Stored store(comm_, {.keep = keep(name)});
        ASSERT_TRUE(store.reopen().has_value());
        EXPECT_EQ(test::wrong_in(store.store(), content), "");
        store.store().discard();
    }
    EXPECT_GT(times_told, 0u);
    EXPECT_LT(times_told, most_left + 1);
}

TEST_F(FullNode, IsReopenedWhenThereIsRoomForTheMissingCopies) {
    if (comm_.size() < 3) GTEST_SKIP() << "no node can be lost";
    is_reopened_when_there_is_room<test::Replicated>();
    is_reopened_when_there_is_room<test::Coded>();
}

void FullNode::has_the_commit_before(std::string const& kind, checkpoint::SnapshotOptions options) {
    constexpr std::uint64_t num_entities = 60;
    std::size_t times_told = 0;
    for (std::size_t left = 0; left <= most_left; ++left) {
        SCOPED_TRACE(left);
        options.keep = keep(kind + std::to_string(left));
        {
            test::SavedProgram program(comm_, num_entities, options);
            program.begin();
            program.snapshot.commit();
            leave_room_for(left);
            program.go_to(900);  // some entities have other sizes then
            if (is_told([&] { program.snapshot.commit(); })) {
                ++times_told;
                EXPECT_EQ(program.snapshot.generation(), 1u);
                program.scramble();
                static_cast<void>(program.restore());
                EXPECT_EQ(program.moment, 0u);
                EXPECT_EQ(program.wrong(), "");
                give_room_back();
                program.go_to(900);
                program.snapshot.commit();
            }
            EXPECT_EQ(program.snapshot.generation(), 2u);
            EXPECT_EQ(program.wrong(), "");
        }
        give_room_back();
        test::SavedProgram program(comm_, num_entities, options);
        ASSERT_TRUE(program.snapshot.reopen({.adopt = program.adopting()}).has_value());
        program.forget_unregistered();
        EXPECT_EQ(program.moment, 900u);
        EXPECT_EQ(program.wrong(), "");
        program.snapshot.discard();
    }
    EXPECT_GT(times_told, 0u);
    EXPECT_LT(times_told, most_left + 1);
}

TEST_F(FullNode, HasTheSnapshotOfTheCommitBefore) {
    has_the_commit_before("snapshot-", {});
    has_the_commit_before("coded-", {.redundancy = erasure::Code(3, 1)});
}

TEST(KeptStore, SaysWhichFileCannotHaveItsBytes) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const folder = test::job_folder("short");
    fs::create_directories(folder);
    Content const before(6, 60, Content::Sizes::fixed, 10), after(7, 600, Content::Sizes::fixed, 1000);
    test::Replicated store(comm, {.keep = Keep{folder, "job", "short"}});
    auto const submit = [&](Content const& content) {
        auto const part = test::part_of(content.num_blocks(), comm.position(comm.self()), comm.size());
        store.submit({content, part}, content);
    };
    submit(before);
    {
        std::optional<test::ShortFiles> limit;
        if (comm.leads()) limit.emplace(20'000);
        try {
            submit(after);
            ADD_FAILURE() << "files are longer than they may be";
        } catch (DiskError const& error) {
            std::string const text = error.what();
            EXPECT_NE(text.find("short/regraft-job/short/"), std::string::npos) << text;
            EXPECT_NE(text.find(" bytes: File too large"), std::string::npos) << text;
        }
    }
    EXPECT_EQ(store.store().version(), 1u);
    EXPECT_EQ(test::wrong_in(store.store(), before), "");
    submit(after);
    EXPECT_EQ(test::wrong_in(store.store(), after), "");
    store.store().discard();
}

}  // namespace
}  // namespace regraft::store
