// Saves that are under way while the program goes on and ranks die: what a wait has confirmed is on the disk, whole and
// of one moment, and a save that a failure ended does no harm.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/store/saved_program.hpp"
#include "support/store/stores_on_disk.hpp"

namespace regraft::checkpoint {
namespace {

constexpr std::uint64_t last_moment = 14;
constexpr std::uint64_t num_entities = 15;

TEST(Saving, LeavesWhatWasConfirmedWhoeverDies) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = test::job_folder("saving");
    test::SavedProgram program(comm, num_entities, {.redundancy = pairwise(3)});
    program.begin();
    std::optional<store::Saving> saving;
    std::uint64_t saving_moment = 0, confirmed = 0;
    auto const confirm = [&] {
        if (!saving) return;
        static_cast<void>(saving->wait());
        saving.reset();
        confirmed = saving_moment;
    };
    ft::resilient(
        comm,
        [&] {
            while (program.moment < last_moment) {
                program.go_to(program.moment + 1);
                program.snapshot.commit();
                if (program.moment % 4 == 0) confirm();  // three commits later
                if (program.moment % 4 != 1 || saving) continue;
                saving_moment = program.moment;
                saving.emplace(
                    program.snapshot.start_save(archive, {.files = 2, .attributes = test::as_bytes(saving_moment)}));
            }
            confirm();
            if (confirmed > 0) return;  // unless all saves were ended by failures
            static_cast<void>(program.snapshot.save(archive, {.attributes = test::as_bytes(program.moment)}));
            confirmed = program.moment;
        },
        [&](ft::Failure const&) {
            saving.reset();
            if (program.snapshot.generation() == 0) return program.begin();
            program.scramble();
            static_cast<void>(program.restore());
            EXPECT_EQ(program.wrong(), "");
        });
    EXPECT_EQ(program.moment, last_moment);

    // Another snapshot reads it, with as many members as are left.
    std::uint64_t read = 0;
    test::SavedProgram reader(comm, num_entities);
    ft::resilient(
        comm,
        [&] {
            auto const report = reader.open(archive);
            EXPECT_EQ(test::as_number(report.attributes), reader.moment);
            EXPECT_EQ(reader.wrong(), "");
            read = reader.moment;
        },
        [&](ft::Failure const&) {});
    EXPECT_GE(read, confirmed);
    EXPECT_GT(confirmed, 0u);
}

}  // namespace
}  // namespace regraft::checkpoint
