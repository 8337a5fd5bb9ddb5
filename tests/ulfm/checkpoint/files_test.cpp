// Programs that keep their state in files while ranks die: after every recovery the files of the last commit are there,
// on the nodes of their new homes, and what was flushed can be resumed by those that are left.
#include <mpi.h>

#include <cstdint>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/store/files_program.hpp"
#include "support/store/stores_on_disk.hpp"

namespace regraft::checkpoint {
namespace {

constexpr std::uint64_t last_moment = 9;
constexpr std::uint64_t num_files = 15;

std::string node_of(ft::Communicator const& comm) {
    return "node " + std::to_string(value(comm.self()) / 2);
}

TEST(Files, AreThoseOfTheLastCommitWhoeverDies) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = test::job_folder("flushed");
    test::FilesProgram program(comm, num_files,
                               {.folder = test::job_folder("files") / node_of(comm),
                                .snapshot = {.redundancy = pairwise(3)},
                                .archive = archive,
                                .flush_every = 3,
                                .save = {.files = 2}});
    program.begin();
    ft::resilient(
        comm,
        [&] {
            while (program.moment < last_moment) {
                program.go_to(program.moment + 1);
                EXPECT_EQ(program.files.commit().problem, "");
                EXPECT_EQ(program.moment, program.files.generation());
            }
            program.files.flush();
        },
        [&](ft::Failure const&) {
            if (program.files.generation() == 0) return program.begin();
            program.scramble();
            static_cast<void>(program.files.restore());
            program.moment = program.files.generation();
            EXPECT_EQ(program.wrong(), "");
        });
    EXPECT_EQ(program.moment, last_moment);
    EXPECT_EQ(program.wrong(), "");

    test::FilesProgram next(comm, num_files,
                            {.folder = test::job_folder("next files") / node_of(comm), .archive = archive});
    ft::resilient(
        comm,
        [&] {
            if (next.files.generation() == 0) {
                auto const report = next.files.resume();
                ASSERT_TRUE(report);
                EXPECT_EQ(report->saved_commit, last_moment);
            }
            next.moment = last_moment;
            EXPECT_EQ(next.wrong(), "");
        },
        [&](ft::Failure const&) {
            if (next.files.generation() > 0) static_cast<void>(next.files.restore());
        });
    next.files.discard();
    program.files.discard();
    EXPECT_FALSE(std::filesystem::exists(test::job_folder("files") / node_of(comm) / "deep"));
}

}  // namespace
}  // namespace regraft::checkpoint
