// Snapshots under the failure plan of the row: whichever ranks die, and when, all survivors have the same commit, bit
// for bit what it must be.
#include <mpi.h>

#include <vector>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/store/snapshot_job.hpp"

namespace regraft::checkpoint {
namespace {

constexpr std::uint64_t last_moment = 11;

TEST(Snapshot, IsOnAllSurvivorsOrOnNone) {
    using Form = SnapshotOptions::Form;
    using Redundancy = RestoreOptions::Redundancy;
    ft::Communicator comm(MPI_COMM_WORLD);
    std::vector<test::SnapshotJobOptions> const kinds{
        {.snapshot = {.redundancy = pairwise(), .pace = {.steps = 3}},
         .copies = 2,
         .redundancy = Redundancy::repaired,
         .seed = 1},
        {.snapshot = {.redundancy = pairwise(3), .form = Form::compressed, .integrity = store::Integrity::checked},
         .copies = 3,
         .redundancy = Redundancy::committed,
         .seed = 2},
        {.snapshot = {.redundancy = erasure::Code(3, 1)}, .copies = 2, .redundancy = Redundancy::repaired, .seed = 3},
        {.snapshot = {.redundancy = erasure::Code(2, 2),
                      .form = Form::compressed,
                      .integrity = store::Integrity::checked},
         .copies = 3,
         .redundancy = Redundancy::committed,
         .seed = 4},
    };
    for (auto const& kind : kinds) {
        SCOPED_TRACE(testing::Message() << "seed " << kind.seed);
        test::SnapshotJob job(comm, kind);
        ft::resilient(
            comm,
            [&] {
                while (job.moment() < last_moment) job.step();
            },
            [&](ft::Failure const&) { job.recover(); });
        EXPECT_EQ(job.moment(), last_moment);
    }
}

}  // namespace
}  // namespace regraft::checkpoint
