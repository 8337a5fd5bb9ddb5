// Snapshots of several generations without deaths: which can be gone back to, and what is there then.
#include <mpi.h>

#include <cstdint>

#include <gtest/gtest.h>

#include "support/store/saved_program.hpp"
#include "support/store/stores_on_disk.hpp"

namespace regraft::checkpoint {
namespace {

using Numbers = std::vector<std::uint64_t>;
constexpr std::uint64_t num_entities = 11;

void commit_moments(test::SavedProgram& program, std::uint64_t last) {
    while (program.moment < last) {
        program.go_to(program.moment + 1);
        program.snapshot.commit();
    }
}

TEST(Generations, OfWhichThereAreSeveralCanAllBeRestored) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (auto const& options :
         {SnapshotOptions{}, SnapshotOptions{.form = SnapshotOptions::Form::compressed},
          SnapshotOptions{.differential = SnapshotOptions::Differential::always, .chunk_bytes = 16},
          SnapshotOptions{.redundancy = erasure::Code(1, 1)},
          SnapshotOptions{.integrity = store::Integrity::checked}}) {
        auto several = options;
        several.generations = 3;
        test::SavedProgram program(comm, num_entities, several);
        program.begin();
        EXPECT_EQ(program.snapshot.generations(), Numbers{});
        commit_moments(program, 2);
        EXPECT_EQ(program.snapshot.generations(), (Numbers{1, 2}));
        commit_moments(program, 7);
        EXPECT_EQ(program.snapshot.generations(), (Numbers{5, 6, 7}));
        program.scramble();
        EXPECT_EQ(program.restore(6).generation, 6u);
        EXPECT_EQ(program.moment, 6u);
        EXPECT_EQ(program.wrong(), "");
        EXPECT_EQ(program.snapshot.generations(), (Numbers{5, 6}));
        program.scramble();
        EXPECT_EQ(program.restore().generation, 6u);
        EXPECT_EQ(program.wrong(), "");
        EXPECT_EQ(program.restore(5).generation, 5u);
        EXPECT_EQ(program.wrong(), "");
        EXPECT_EQ(program.snapshot.generations(), Numbers{5});
        commit_moments(program, 9);  // as often as there are generations, and once more
        EXPECT_EQ(program.snapshot.generations(), (Numbers{7, 8, 9}));
        program.scramble();
        static_cast<void>(program.restore(7));
        EXPECT_EQ(program.moment, 7u);
        EXPECT_EQ(program.wrong(), "");
    }
}

TEST(Generations, GoBackToEntitiesThatHaveMovedOrGoneSince) {
    ft::Communicator comm(MPI_COMM_WORLD);
    test::SavedProgram program(comm, num_entities, {.generations = 2});
    program.begin();
    commit_moments(program, 1);
    auto const position = comm.position(comm.self());
    auto const mine = program.states;
    // Every entity moves to the next member.
    for (auto const& [k, state] : mine) program.drop(k);
    for (std::uint64_t k = 0; k < num_entities; ++k) {
        if ((k * k + 1) % comm.size() == position) program.adopt(k);
    }
    commit_moments(program, 2);
    EXPECT_EQ(program.wrong(), "");
    static_cast<void>(program.restore(1));
    EXPECT_EQ(program.wrong(), "");
    EXPECT_EQ(program.states, mine);
}

TEST(Generations, WhoseNumbersComeAgainAreNotTakenForWhatWasSaved) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = test::job_folder("numbers");
    test::SavedProgram program(comm, num_entities, {.generations = 2});
    program.begin();
    commit_moments(program, 2);
    static_cast<void>(program.snapshot.save(archive));
    auto saving = program.snapshot.start_save(archive);
    static_cast<void>(saving.wait());
    std::vector<std::byte> bytes(program.snapshot.committed()[1].stored_bytes);
    program.snapshot.reread()(program.snapshot.committed()[1], bytes);  // it was saved
    static_cast<void>(program.restore(1));
    program.moment = 7;
    program.go_to(8);
    program.snapshot.commit();
    EXPECT_EQ(program.snapshot.generation(), 2u);
    auto const reread = program.snapshot.reread();
    EXPECT_TRUE(!reread || [&] {
        try {
            reread(program.snapshot.committed()[1], bytes);
            return false;
        } catch (InputError const&) {
            return true;
        }
    }());
}

TEST(Generations, AreSavedAndOpenedAsTheLast) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = test::job_folder("generations");
    test::SavedProgram program(comm, num_entities, {.generations = 2});
    program.begin();
    commit_moments(program, 3);
    auto saving = program.snapshot.start_save(archive);
    commit_moments(program, 5);
    static_cast<void>(saving.wait());
    EXPECT_EQ(program.open(archive).saved_commit, 3u);
    EXPECT_EQ(program.moment, 3u);
    EXPECT_EQ(program.snapshot.generations(), (Numbers{5, 6}));  // an open commits
    static_cast<void>(program.restore(5));
    EXPECT_EQ(program.moment, 5u);
    EXPECT_EQ(program.wrong(), "");
}

}  // namespace
}  // namespace regraft::checkpoint
