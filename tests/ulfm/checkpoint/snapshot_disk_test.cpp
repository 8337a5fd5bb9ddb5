// Snapshots are saved and opened under the failure plan of the row: whichever ranks die, and when, survivors go on from
// the last commit if a living member or the disk has it, and otherwise from what was saved, all of it.
#include <mpi.h>

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/store/saved_program.hpp"
#include "support/store/stores_on_disk.hpp"

namespace regraft::checkpoint {
namespace {

ft::FailPoint opened("test:opened");

constexpr std::uint64_t last_moment = 5;
constexpr std::uint64_t num_entities = 15;

/// Commits every moment, saves most of them, and looks at the disk through another snapshot.
class Job {
public:
    Job(ft::Communicator& comm, std::string const& name, SnapshotOptions const& kind, SnapshotOptions const& other)
        : comm_(comm),
          archive_(test::job_folder(name)),
          program_(comm, num_entities, kind),
          reader_(comm, num_entities, other) {
        program_.begin();
    }

    void run() {
        ft::resilient(
            comm_,
            [&] {
                while (program_.moment < last_moment) step();
                look_at_disk();
                EXPECT_EQ(program_.wrong(), "");
            },
            [&](ft::Failure const&) { recover(); });
        EXPECT_EQ(program_.moment, last_moment);
    }

private:
    void step() {
        if (!owes_save()) commit(program_.moment + 1);
        if (owes_save()) save(program_.moment);
        look_at_disk();
        if (program_.moment != 4) return;
        go_back_to_disk();
        comm_.reach(opened);
    }

    void commit(std::uint64_t moment) {
        program_.go_to(moment);
        moment_of_[program_.snapshot.generation() + 1] = moment;
        program_.snapshot.commit();
    }

    /// A save that a failure interrupted is made again.
    bool owes_save() const { return program_.moment % 3 != 2 && saved_ < program_.moment; }

    void save(std::uint64_t moment) {
        most_saved_ = std::max(most_saved_, moment);
        auto const files = static_cast<std::uint32_t>(moment % 3);
        static_cast<void>(program_.snapshot.save(archive_, {.files = files, .attributes = test::as_bytes(moment)}));
        saved_ = moment;
        saved_commit_ = program_.snapshot.generation();
    }

    void look_at_disk() {
        auto const report = reader_.open(archive_);
        EXPECT_TRUE(report.refused.empty());
        EXPECT_EQ(test::as_number(report.attributes), reader_.moment);
        expect_saved(reader_);
        reader_.scramble();
    }

    void go_back_to_disk() {
        program_.scramble();
        moment_of_.erase(program_.snapshot.generation() + 1);  // it is told by the disk
        static_cast<void>(program_.open(archive_));
        moment_of_[program_.snapshot.generation()] = program_.moment;
        saved_commit_ = program_.snapshot.generation();
        expect_saved(program_);
    }

    void expect_saved(test::SavedProgram const& program) {
        EXPECT_EQ(program.wrong(), "");
        EXPECT_GE(program.moment, saved_);
        EXPECT_LE(program.moment, most_saved_);
        saved_ = std::max(saved_, program.moment);
    }

    void recover() {
        auto& snapshot = program_.snapshot;
        if (snapshot.generation() == 0) return program_.begin();
        program_.scramble();
        auto const committed = moment_of_.find(snapshot.generation());
        bool const is_known = committed != moment_of_.end();
        auto const right = is_known ? committed->second : 0;
        if (is_known && right >= saved_ && comm_.size() % 2 == 0) save_before_restore(right);
        bool const is_saved = saved_commit_ == snapshot.generation();
        try {
            if (is_known) moment_of_[snapshot.generation() + 1] = right;  // it may be committed once more
            static_cast<void>(program_.restore());
            if (is_saved) saved_commit_ = snapshot.generation();
            EXPECT_EQ(program_.wrong(), "");
            if (is_known) {
                EXPECT_EQ(program_.moment, right);
            } else {
                expect_saved(program_);
            }
        } catch (EntitiesLost const& error) {
            EXPECT_FALSE(is_saved) << "the disk has everything of this commit: " << error.what();
            start_again();
        }
    }

    /// The state with what the dead had, if others have it, too.
    void save_before_restore(std::uint64_t committed) {
        auto const before = saved_commit_;
        try {
            save(committed);
        } catch (EntitiesLost const&) {
            EXPECT_EQ(saved_commit_, before);
        }
    }

    void start_again() {
        try {
            go_back_to_disk();
        } catch (store::DiskError const& error) {
            EXPECT_EQ(saved_, 0u) << error.what();
            program_.begin();
        }
    }

    ft::Communicator& comm_;
    std::filesystem::path archive_;
    test::SavedProgram program_, reader_;
    std::map<std::uint64_t, std::uint64_t> moment_of_;  // by commit, as far as it is known
    std::uint64_t saved_ = 0;                           // all know that this moment is on disk
    std::uint64_t most_saved_ = 0;                      // this may be
    std::uint64_t saved_commit_ = 0;                    // this commit of the program is on disk
};

TEST(Snapshot, IsSavedAndOpenedAsAWholeWhoeverDies) {
    using Form = SnapshotOptions::Form;
    constexpr auto checked = store::Integrity::checked;
    ft::Communicator comm(MPI_COMM_WORLD);
    SnapshotOptions const plain{.redundancy = pairwise()};
    SnapshotOptions const packed{.redundancy = pairwise(3), .form = Form::compressed, .integrity = checked};
    SnapshotOptions const coded{.redundancy = erasure::Code(3, 1)};
    SnapshotOptions const coded_packed{
        .redundancy = erasure::Code(2, 2), .form = Form::compressed, .integrity = checked};
    Job(comm, "plain", plain, packed).run();
    Job(comm, "packed", packed, coded).run();
    Job(comm, "coded", coded, coded_packed).run();
    Job(comm, "coded-packed", coded_packed, plain).run();
}

}  // namespace
}  // namespace regraft::checkpoint
