// Snapshots are kept and reopened under the failure plan of the row: the state is that of the last commit, or of one
// that was under way. Only if several ranks died, all copies of an entity may be gone, and all members say so.
#include <mpi.h>

#include <filesystem>
#include <memory>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/store/saved_program.hpp"
#include "support/store/stores_on_disk.hpp"

namespace regraft::checkpoint {
namespace {

constexpr std::uint64_t num_entities = 15;
constexpr std::uint64_t last_moment = 12;

/// Commits some moments, gives the snapshot up, and reopens it, again and again.
class Job {
public:
    Job(ft::Communicator& comm, std::string name, SnapshotOptions kind, std::uint32_t ranks_on_node)
        : comm_(comm), name_(std::move(name)), options_(std::move(kind)), ranks_on_node_(ranks_on_node) {
        std::filesystem::create_directories(folder_of(comm.self()));
        options_.keep = store::Keep{folder_of(comm.self()), "job", name_};
    }

    void run() {
        ft::resilient(
            comm_,
            [&] {
                if (!is_discarding_) work();
                is_discarding_ = true;
                program_->snapshot.discard();
            },
            [&](ft::Failure const&) { recover(); });
        program_.reset();
        ft::resilient(
            comm_, [&] { expect_discarded(); }, [](ft::Failure const&) {});
    }

private:
    std::filesystem::path folder_of(PeId pe) const {
        return test::job_folder(name_) / std::to_string(value(pe) / ranks_on_node_);
    }

    /// No file is left on the nodes of living ranks but the mark, if nobody lives on another node. The next job begins
    /// anew, also if it gets the node of a dead rank.
    void expect_discarded() {
        comm_.agree();
        for (auto const& entry : std::filesystem::recursive_directory_iterator(folder_of(comm_.self()))) {
            if (entry.is_regular_file()) EXPECT_EQ(entry.path().filename(), "discarded") << entry.path();
        }
        if (comm_.size() == comm_.num_founders()) {
            EXPECT_TRUE(std::filesystem::is_empty(folder_of(comm_.self())));
        }
        comm_.agree();
        for (PeId pe{0}; value(pe) < comm_.num_founders(); pe = advance(pe, 1)) {
            auto options = options_;
            if (comm_.size() > 1 && comm_.leads()) options.keep->folder = folder_of(pe);
            if (!std::filesystem::exists(options.keep->folder)) options.keep->folder = folder_of(comm_.self());
            test::SavedProgram program(comm_, num_entities, options);
            EXPECT_FALSE(program.snapshot.reopen({.adopt = program.adopting()}).has_value()) << "as on " << value(pe);
        }
    }

    void work() {
        while (committed_ < last_moment) {
            if (!program_ || is_opening_) open();
            for (int i = 0; i < 3; ++i) commit();
            program_.reset();
        }
        open();
        EXPECT_EQ(program_->moment, last_moment);
    }

    void open() {
        if (!program_) program_ = std::make_unique<test::SavedProgram>(comm_, num_entities, options_);
        is_opening_ = true;
        try {
            auto const report = program_->snapshot.reopen({.adopt = program_->adopting()});
            program_->forget_unregistered();
            if (report) return opened();
            EXPECT_EQ(committed_, 0u) << "nothing is kept";
        } catch (store::DataLost const& error) {
            EXPECT_FALSE(error.ranges().empty());
            EXPECT_GT(comm_.num_founders(), comm_.size() + 1) << "one rank died, and " << error.what();
            program_ = std::make_unique<test::SavedProgram>(comm_, num_entities, options_);
            comm_.agree();
        }
        is_opening_ = false;
        program_->begin();
        committed_ = begun_ = 0;
    }

    void opened() {
        is_opening_ = false;
        EXPECT_EQ(program_->wrong(), "");
        EXPECT_GE(program_->moment, committed_);
        EXPECT_LE(program_->moment, begun_);
        committed_ = begun_ = program_->moment;
    }

    void recover() {
        if (is_discarding_) return;                                                   // it is called again
        if (program_ && is_opening_ && program_->snapshot.generation() == 0) return;  // and so is this
        program_.reset();
        is_opening_ = false;
    }

    void commit() {
        if (committed_ == last_moment) return;
        begun_ = committed_ + 1;
        program_->go_to(begun_);
        program_->snapshot.commit();
        committed_ = begun_;
    }

    ft::Communicator& comm_;
    std::string name_;
    SnapshotOptions options_;
    std::uint32_t ranks_on_node_;
    std::unique_ptr<test::SavedProgram> program_;
    bool is_opening_ = false;
    bool is_discarding_ = false;
    std::uint64_t committed_ = 0;  // all know that this moment is kept
    std::uint64_t begun_ = 0;      // this may be
};

TEST(KeptSnapshot, ComesBackWhoeverDies) {
    using Form = SnapshotOptions::Form;
    ft::Communicator comm(MPI_COMM_WORLD);
    Job(comm, "plain", {.redundancy = pairwise()}, 1).run();
    Job(comm, "packed", {.redundancy = pairwise(3), .form = Form::compressed, .integrity = store::Integrity::checked},
        2)
        .run();
    Job(comm, "coded", {.redundancy = erasure::Code(3, 1)}, 1).run();
    Job(comm, "coded-packed",
        {.redundancy = erasure::Code(2, 2), .form = Form::compressed, .integrity = store::Integrity::checked}, 2)
        .run();
}

}  // namespace
}  // namespace regraft::checkpoint
