// The same as kept_killed.cpp, by a snapshot: entities go from job to job, whatever their numbers of ranks.
#include <mpi.h>

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/campaign.hpp"
#include "support/store/saved_program.hpp"

namespace regraft {
namespace {

TEST(KeptSnapshot, IsWhereTheNextJobGoesOn) {
    test::CampaignSettings const settings;
    ft::Communicator comm(MPI_COMM_WORLD);
    test::Nodes const nodes{settings.number("nodes", 4), comm.size()};
    auto const node = nodes.of(comm.self());
    auto const folder = std::filesystem::path(std::getenv("REGRAFT_ARCHIVE")) / std::to_string(node);
    std::filesystem::create_directories(folder);
    using enum store::Integrity;
    checkpoint::Redundancy const copies = checkpoint::pairwise(), code = erasure::Code(2, 1);
    bool const coded = settings.number("coded", 0) != 0;
    checkpoint::SnapshotOptions const options{.redundancy = coded ? code : copies,
                                              .integrity = settings.number("checked", 0) != 0 ? checked : unchecked,
                                              .node = coded ? std::optional(node) : std::nullopt,
                                              .keep = store::Keep{folder, "job", "snapshot"}};
    auto const say = [&](char const* what, std::uint64_t moment) { test::say(comm, nodes, what, moment); };
    test::die_some_time(settings, comm.self());
    auto const last_steps = settings.number("saves", 0);
    ft::resilient(
        comm,
        [&] {
            test::SavedProgram program(comm, 40, options);
            bool lost = false;
            try {
                auto const report = program.snapshot.reopen({.adopt = program.adopting()});
                program.forget_unregistered();
                if (!report) program.begin();
                EXPECT_EQ(report ? program.wrong() : "", "");
                say(report ? "opened" : "nothing after", program.moment);
            } catch (store::DataLost const& error) {
                EXPECT_FALSE(error.ranges().empty());
                lost = true;
            }
            if (lost) {
                program.begin();
                say("lost after", 0);
            }
            for (auto const last = program.moment + last_steps; last_steps == 0 || program.moment < last;) {
                program.go_to(program.moment + 1);
                program.snapshot.commit();
                say("saved", program.moment);
            }
        },
        [](ft::Failure const&) {});
}

}  // namespace
}  // namespace regraft
