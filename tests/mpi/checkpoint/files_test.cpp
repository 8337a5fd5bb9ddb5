// Files of a job without deaths: what is committed, restored, flushed, resumed and told of errors.
#include "regraft/checkpoint/files.hpp"
#include <mpi.h>

#include <cstdint>
#include <filesystem>

#include <gtest/gtest.h>

#include "support/store/files_program.hpp"
#include "support/store/stores_on_disk.hpp"

namespace regraft::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t num_files = 13;

/// A folder for each rank, as if each had its own node.
fs::path folder_of(ft::Communicator const& comm, std::string const& name) {
    return test::job_folder(name) / std::to_string(value(comm.self()));
}

bool leads_last(ft::Communicator const& comm) {
    return comm.position(comm.self()) + 1 == comm.size();
}

TEST(Files, ComeBackAsTheyWereCommittedInEveryFormOfSnapshots) {
    ft::Communicator comm(MPI_COMM_WORLD);
    using Differential = SnapshotOptions::Differential;
    for (auto const& options : {SnapshotOptions{}, SnapshotOptions{.form = SnapshotOptions::Form::compressed},
                                SnapshotOptions{.differential = Differential::always, .chunk_bytes = 64},
                                SnapshotOptions{.redundancy = erasure::Code(1, 1)},
                                SnapshotOptions{.integrity = store::Integrity::checked}}) {
        test::FilesProgram program(comm, num_files, {.folder = folder_of(comm, "forms"), .snapshot = options});
        program.begin();
        for (int i = 0; i < 4; ++i) {
            program.go_to(program.moment + 1);
            static_cast<void>(program.files.commit());
        }
        EXPECT_EQ(program.wrong(), "");
        program.scramble();
        EXPECT_EQ(program.files.restore().adopted.size(), 0u);
        EXPECT_EQ(program.wrong(), "");
        program.files.discard();
        EXPECT_FALSE(fs::exists(folder_of(comm, "forms")));
    }
}

TEST(Files, KeepTheCommitBeforeIfAFileOfOneMemberIsMissing) {
    ft::Communicator comm(MPI_COMM_WORLD);
    test::FilesProgram program(comm, num_files, {.folder = folder_of(comm, "missing")});
    program.begin();
    static_cast<void>(program.files.commit());
    auto const missing = "file that is not written by " + std::to_string(value(comm.self()));
    if (leads_last(comm)) program.files.route(missing);
    try {
        static_cast<void>(program.files.commit());
        FAIL() << "a file is missing";
    } catch (store::DiskError const& error) {
        EXPECT_NE(std::string(error.what()).find("file that is not written by"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos) << error.what();
    }
    EXPECT_EQ(program.files.generation(), 1u);
    program.scramble();
    auto const report = program.files.restore();
    EXPECT_EQ(report.removed.size(), leads_last(comm) ? 1u : 0u);
    EXPECT_EQ(program.wrong(), "");
    program.files.discard();
}

TEST(Files, AreRestoredWhenThereIsRoomAgain) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const folder = folder_of(comm, "no room");
    test::FilesProgram program(comm, num_files, {.folder = folder});
    program.begin();
    static_cast<void>(program.files.commit());
    auto const mine = program.files.names();
    fs::remove_all(folder);
    if (leads_last(comm)) test::write_file(folder, {});  // no folder can be made here
    if (leads_last(comm) && mine.empty()) FAIL() << "the last member has files";
    EXPECT_THROW(static_cast<void>(program.files.restore()), store::DiskError);
    // What could not be written is still the state.
    EXPECT_THROW(static_cast<void>(program.files.restore({.redundancy = RestoreOptions::Redundancy::committed})),
                 store::DiskError);
    if (leads_last(comm)) fs::remove(folder);
    static_cast<void>(program.files.restore());
    EXPECT_EQ(program.files.names(), mine);
    EXPECT_EQ(program.wrong(), "");
    program.files.discard();
}

TEST(Files, AreFlushedEveryNthCommitWhileTheProgramGoesOn) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = test::job_folder("nth");
    test::FilesProgram program(comm, num_files,
                               {.folder = folder_of(comm, "nth files"), .archive = archive, .flush_every = 2});
    program.begin();
    std::uint64_t completed = 0;
    for (int i = 0; i < 7; ++i) {
        program.go_to(program.moment + 1);
        auto const report = program.files.commit();
        EXPECT_EQ(report.problem, "");
        if (report.flushed) ++completed;
    }
    EXPECT_EQ(completed, 2u);  // of the commits 2 and 4; that of 6 is under way
    program.files.flush();     // of 7
    program.files.flush();     // is there
    program.files.discard();
    test::FilesProgram next(comm, num_files, {.folder = folder_of(comm, "next"), .archive = archive});
    auto const report = next.files.resume();
    ASSERT_TRUE(report);
    EXPECT_EQ(report->saved_commit, 7u);
    EXPECT_EQ(report->generation, 4u);
    next.moment = 7;
    EXPECT_EQ(next.wrong(), "");
    next.files.discard();
}

TEST(Files, AreFlushedAgainWhenTheNumberOfACommitComesAgain) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = test::job_folder("again");
    FilesOptions const options{
        .folder = folder_of(comm, "again files") / "", .snapshot = {.generations = 2}, .archive = archive};
    test::FilesProgram program(comm, num_files, options);
    program.begin();
    for (int i = 0; i < 4; ++i) {
        program.go_to(program.moment + 1);
        static_cast<void>(program.files.commit());
    }
    program.files.flush();
    EXPECT_EQ(program.files.restore({.generation = 3}).generation, 3u);
    program.moment = 3;
    EXPECT_EQ(program.wrong(), "");
    program.go_to(8);
    static_cast<void>(program.files.commit());
    EXPECT_EQ(program.files.generation(), 4u);
    program.files.flush();
    program.files.discard();
    EXPECT_FALSE(fs::exists(folder_of(comm, "again files")));
    test::FilesProgram next(comm, num_files, {.folder = folder_of(comm, "next"), .archive = archive});
    ASSERT_TRUE(next.files.resume());
    next.moment = 8;
    EXPECT_EQ(next.wrong(), "");
    next.files.discard();
}

TEST(Files, TellWhyTheyWereNotFlushedAndGoOn) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = test::job_folder("in the way");
    if (comm.leads()) test::write_file(archive, {});
    test::FilesProgram program(comm, num_files,
                               {.folder = folder_of(comm, "stay"), .archive = archive, .flush_every = 1});
    program.begin();
    std::string problem;
    for (int i = 0; i < 3; ++i) {
        program.go_to(program.moment + 1);
        auto const report = program.files.commit();
        if (problem.empty()) problem = report.problem;
        EXPECT_FALSE(report.flushed);
    }
    EXPECT_NE(problem.find("in the way"), std::string::npos) << problem;
    EXPECT_THROW(program.files.flush(), store::DiskError);
    EXPECT_EQ(program.files.generation(), 3u);
    EXPECT_EQ(program.wrong(), "");
    program.files.discard();
}

TEST(Files, OfTheJobBeforeAreTakenOverFromTheNodesOrFromNowhere) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const keep = store::Keep{test::job_folder(""), "job of files", "state"};
    auto const options = [&](std::string const& folder) {
        return FilesOptions{.folder = folder_of(comm, folder), .snapshot = {.keep = keep}};
    };
    {
        test::FilesProgram program(comm, num_files, options("before"));
        EXPECT_FALSE(program.files.resume());
        program.begin();
        for (int i = 0; i < 3; ++i) {
            program.go_to(program.moment + 1);
            static_cast<void>(program.files.commit());
        }
    }
    test::FilesProgram next(comm, num_files, options("after"));
    auto const report = next.files.resume();
    ASSERT_TRUE(report);
    next.moment = report->saved_commit;
    EXPECT_EQ(next.moment, 3u);
    EXPECT_EQ(next.wrong(), "");
    next.files.discard();
    test::FilesProgram third(comm, num_files, options("third"));
    EXPECT_FALSE(third.files.resume());
}

TEST(Files, StayBelowTheirFolder) {
    for (auto const* const name : {"a", "a/b", "..a", "a..", ".a/b c"}) EXPECT_TRUE(is_file_name(name)) << name;
    for (auto const* const name : {"", ".", "..", "/tmp/x", "../x", "a/../../x", "a/..", "./x", "x/"}) {
        EXPECT_FALSE(is_file_name(name)) << name;
    }
}

}  // namespace
}  // namespace regraft::checkpoint
