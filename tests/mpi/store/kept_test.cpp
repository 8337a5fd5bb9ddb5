// What a store keeps in files comes back in another store, and damaged or foreign files do not.
#include <mpi.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "support/store/first_members.hpp"
#include "support/store/stores_on_disk.hpp"

namespace regraft::store {
namespace {

namespace fs = std::filesystem;
using test::Content;
using test::Submission;

/// Every two ranks have a folder, as if they were on a node.
fs::path node_folder(ft::Communicator const& comm, std::string const& name) {
    auto const path = test::job_folder(name) / std::to_string(comm.position(comm.self()) / 2);
    fs::create_directories(path);
    return path;
}

Options options_of(ft::Communicator const& comm, std::string const& name, Integrity integrity) {
    return {.integrity = integrity, .keep = Keep{node_folder(comm, name), "job", name}};
}

void submit(test::Replicated& store, ft::Communicator const& comm, Content const& content) {
    store.submit({content, test::part_of(content.num_blocks(), comm.position(comm.self()), comm.size())}, content);
}

TEST(KeptStore, ComesBackAsItWasSubmittedLast) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (auto const integrity : {Integrity::unchecked, Integrity::checked}) {
        for (bool const scattered : {false, true}) {
            auto const name = "kept-" + std::to_string(static_cast<int>(integrity)) + std::to_string(scattered ? 1 : 0);
            std::vector<Content> const contents{
                Content(1, 103, Content::Sizes::fixed, 37), Content(2, 90, Content::Sizes::variable, 5000),
                Content(3, 0, Content::Sizes::fixed, 8), Content(4, 7, Content::Sizes::fixed, 0),
                Content(5, 90, Content::Sizes::variable, 5000)};
            std::uint64_t version = 0;
            for (auto const& content : contents) {
                {
                    test::Replicated store(comm, options_of(comm, name, integrity), scattered);
                    auto const before = store.store().reopen();
                    EXPECT_EQ(before.has_value(), version > 0);
                    EXPECT_EQ(store.store().version(), version);
                    store.store().set_attributes(test::as_bytes(content.num_blocks()));
                    submit(store, comm, content);
                    submit(store, comm, content);
                    version += 2;
                }
                comm.agree();
                test::Replicated store(comm, options_of(comm, name, integrity), scattered);
                auto const report = store.store().reopen();
                ASSERT_TRUE(report.has_value());
                EXPECT_EQ(report->version, version);
                EXPECT_EQ(test::as_number(report->attributes), content.num_blocks());
                EXPECT_TRUE(report->refused.empty());
                EXPECT_EQ(report->repaired.bytes_copied, 0u) << "nothing is missing";
                EXPECT_EQ(test::wrong_in(store.store(), content), "");
            }
        }
    }
}

TEST(KeptStore, IsGoneWhenItWasDiscarded) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const options = options_of(comm, "discarded", Integrity::unchecked);
    Content const content(1, 50, Content::Sizes::fixed, 100);
    {
        test::Replicated store(comm, options);
        submit(store, comm, content);
        store.store().discard();
    }
    comm.agree();
    EXPECT_TRUE(fs::is_empty(options.keep->folder));
    comm.agree();
    test::Replicated store(comm, options);
    EXPECT_FALSE(store.store().reopen().has_value());
}

TEST(KeptStore, IsRefusedWithoutTheNameOfAJob) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (auto const& keep :
         {Keep{fs::temp_directory_path(), "", "store"}, Keep{fs::temp_directory_path(), "job", ""}}) {
        try {
            ReplicatedStore const store(comm, {.keep = keep});
            ADD_FAILURE() << "it would share its files with all jobs";
        } catch (DiskError const& error) {
            EXPECT_NE(std::string(error.what()).find(keep.job.empty() ? "Keep::job is empty" : "Keep::name is empty"),
                      std::string::npos)
                << error.what();
        }
    }
}

TEST(KeptStore, HasAJobOfItsOwnInABatchJob) {
    std::vector<std::pair<char const*, std::string>> before;
    for (char const* const name : {"REGRAFT_JOB", "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"}) {
        if (char const* const text = std::getenv(name)) before.emplace_back(name, text);
        unsetenv(name);
    }
    EXPECT_EQ(job_of_environment(), "");
    setenv("PBS_JOBID", "17.host", 1);
    EXPECT_EQ(job_of_environment(), std::string("17.host-") + program_invocation_short_name);
    setenv("REGRAFT_JOB", "mine", 1);
    EXPECT_EQ(job_of_environment(), "mine");
    for (char const* const name : {"REGRAFT_JOB", "PBS_JOBID"}) unsetenv(name);
    for (auto const& [name, text] : before) setenv(name, text.c_str(), 1);
}

/// Changes a byte of the first file of blocks in this PE's folder.
void damage_a_file(fs::path const& folder) {
    std::vector<fs::path> files;
    for (auto const& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.path().extension() == ".blocks") files.push_back(entry.path());
    }
    std::fstream file(std::ranges::min(files), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(10);
    auto const byte = file.get();
    file.seekp(10);
    file.put(static_cast<char>(byte ^ 1));
}

TEST(KeptStore, SaysWhichFileIsDamagedAndTakesTheOtherCopy) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const options = options_of(comm, "damaged", Integrity::checked);
    Content const content(1, 50, Content::Sizes::fixed, 100);
    {
        test::Replicated store(comm, options);
        submit(store, comm, content);
    }
    comm.agree();
    if (comm.leads()) damage_a_file(options.keep->folder);
    comm.agree();
    test::Replicated store(comm, options);
    if (comm.size() == 1) {
        EXPECT_THROW(static_cast<void>(store.store().reopen()), DataLost);
        return;
    }
    auto const report = store.store().reopen();
    ASSERT_TRUE(report.has_value());
    ASSERT_EQ(report->refused.size(), 1u);
    auto const& refused = report->refused.front();
    EXPECT_NE(refused.find("/damaged/"), std::string::npos) << refused;
    EXPECT_NE(refused.find(".manifest: its blocks are damaged, the first damaged part begins with block "),
              std::string::npos)
        << refused;
    EXPECT_EQ(test::wrong_in(store.store(), content), "");
}

/// The blocks of which all holders are on nodes that are gone. Two members are on a node.
std::vector<BlockRange> lost_with(std::vector<bool> const& gone, placement::Any const& placement) {
    std::vector<bool> lost(placement.shape().num_blocks, true);
    for (std::uint64_t id = 0; id < lost.size(); ++id) {
        for (std::uint32_t copy = 0; copy < placement.num_copies(BlockId{id}); ++copy)
            lost[id] = lost[id] && gone[value(placement.holder(BlockId{id}, copy)) / 2];
    }
    return test::as_ranges(lost);
}

TEST(KeptStore, LosesTheBlocksThatOnlyLostNodesHad) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const size = static_cast<std::uint32_t>(comm.size());
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const options = options_of(comm, "lost-" + std::to_string(seed), Integrity::unchecked);
        auto const sizes = random.below(2) == 0 ? Content::Sizes::fixed : Content::Sizes::variable;
        Content const content(seed, random.below(30), sizes, random.below(4) == 0 ? 0 : 50);
        placement::Any const placement = placement::Permuted(content.num_blocks(), size, std::min(2U, size),
                                                             {.range_blocks = 1 + random.below(4), .seed = seed});
        {
            ReplicatedStore store(comm, options);
            auto const part = test::part_of(content.num_blocks(), comm.position(comm.self()), comm.size());
            Submission(content, part).to(store, placement, content);
        }
        comm.agree();
        std::vector<bool> gone((comm.size() + 1) / 2);
        for (auto&& node : gone) node = random.below(2) == 0;
        auto const self = comm.position(comm.self());
        if (self % 2 == 0 && gone[self / 2]) fs::remove_all(options.keep->folder / "regraft-job");
        comm.agree();
        auto const lost = lost_with(gone, placement);
        if (std::ranges::count(gone, false) == 0) {
            EXPECT_FALSE(ReplicatedStore(comm, options).reopen().has_value());
            comm.agree();
            continue;
        }
        if (!lost.empty()) {
            ReplicatedStore store(comm, options);
            try {
                static_cast<void>(store.reopen());
                ADD_FAILURE() << "opened without blocks" << test::to_string(lost);
            } catch (DataLost const& error) {
                EXPECT_EQ(error.ranges(), lost);
            }
        }
        comm.agree();
        ReplicatedStore other(comm, options);
        auto const report = other.reopen({.lost = ReopenOptions::Lost::left});
        ASSERT_TRUE(report.has_value());
        EXPECT_EQ(report->lost, lost);
        test::expect_all_but(lost, other, content);
    }
}

TEST(KeptStore, TellsWhenThereIsNoRoom) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto options = options_of(comm, "room", Integrity::unchecked);
    if (comm.leads()) options.keep->room = 1000;
    Content const small(1, 20, Content::Sizes::fixed, 10), large(2, 500, Content::Sizes::fixed, 500);
    test::Replicated store(comm, options);
    submit(store, comm, small);
    EXPECT_THROW(submit(store, comm, large), DiskError);
    EXPECT_EQ(store.store().version(), 1u);
    EXPECT_EQ(test::wrong_in(store.store(), small), "");
}

}  // namespace
}  // namespace regraft::store
