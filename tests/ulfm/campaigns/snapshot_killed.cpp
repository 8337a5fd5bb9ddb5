// The same as disk_killed.cpp, by a snapshot: entities go from job to job, whatever their numbers of ranks.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/campaign.hpp"
#include "support/store/saved_program.hpp"

namespace regraft {
namespace {

TEST(SavedSnapshot, IsWhereTheNextJobGoesOn) {
    test::CampaignSettings const settings;
    std::filesystem::path const archive = std::getenv("REGRAFT_ARCHIVE");
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const say = [&](char const* what, std::uint64_t moment) {
        if (!comm.leads()) return;
        std::printf("%s %llu\n", what, static_cast<unsigned long long>(moment));
        std::fflush(stdout);
    };
    test::die_some_time(settings, comm.self());
    auto const last_steps = settings.number("saves", 0);
    ft::resilient(
        comm,
        [&] {
            using Form = checkpoint::SnapshotOptions::Form;
            test::SavedProgram program(comm, 40, {.form = comm.size() % 2 == 0 ? Form::plain : Form::compressed});
            try {
                EXPECT_TRUE(program.open(archive).refused.empty());
                EXPECT_EQ(program.wrong(), "");
                say("opened", program.moment);
            } catch (store::DiskError const&) {
                program.begin();
                say("nothing after", 0);
            }
            for (auto const last = program.moment + last_steps; last_steps == 0 || program.moment < last;) {
                program.go_to(program.moment + 1);
                program.snapshot.commit();
                static_cast<void>(
                    program.snapshot.save(archive, {.files = static_cast<std::uint32_t>(program.moment % 4)}));
                say("saved", program.moment);
            }
        },
        [](ft::Failure const&) {});
}

}  // namespace
}  // namespace regraft
