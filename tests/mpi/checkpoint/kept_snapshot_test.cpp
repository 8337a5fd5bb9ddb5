// What a snapshot keeps in files is the state of the next one, on as many members or on fewer.
#include <mpi.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "support/store/first_members.hpp"
#include "support/store/saved_program.hpp"
#include "support/store/stores_on_disk.hpp"

namespace regraft::checkpoint {
namespace {

namespace fs = std::filesystem;
using test::SavedProgram;
using Form = SnapshotOptions::Form;

constexpr std::uint64_t num_entities = 17;

/// Every two ranks have a folder, as if they were on a node.
fs::path node_folder(ft::Communicator const& comm, std::string const& name) {
    auto path = test::job_folder(name) / std::to_string(comm.position(comm.self()) / 2);
    fs::create_directories(path);
    return path;
}

SnapshotOptions kept(ft::Communicator const& comm, std::string const& name, SnapshotOptions kind = {}) {
    kind.keep = store::Keep{node_folder(comm, name), "job", name};
    return kind;
}

std::optional<OpenReport> reopen(SavedProgram& program, Deal const& rule = {}) {
    auto report = program.snapshot.reopen({.adopt = program.adopting(), .deal = rule});
    program.forget_unregistered();
    return report;
}

TEST(KeptSnapshot, ComesBackAsItWasCommittedLast) {
    ft::Communicator comm(MPI_COMM_WORLD);
    SnapshotOptions const kinds[] = {
        {.redundancy = pairwise()},
        {.redundancy = pairwise(), .form = Form::compressed},
        {.redundancy = pairwise(3), .form = Form::compressed, .integrity = store::Integrity::checked},
        {.redundancy = erasure::Code(3, 1)},
        {.redundancy = erasure::Code(2, 2), .form = Form::compressed, .integrity = store::Integrity::checked},
        {.redundancy = erasure::Code(2, 1), .differential = SnapshotOptions::Differential::always}};
    for (std::size_t k = 0; k < std::size(kinds); ++k) {
        auto const name = "kept-" + std::to_string(k);
        std::uint64_t commits = 0;
        for (std::uint64_t moment = 10; moment <= 50; moment += 10) {
            {
                SavedProgram program(comm, num_entities, kept(comm, name, kinds[k]));
                auto const before = reopen(program, moment % 20 == 0 ? Deal(balanced) : Deal());
                ASSERT_EQ(before.has_value(), commits > 0);
                if (before) {
                    EXPECT_EQ(program.moment, moment - 10 + 3);
                    EXPECT_EQ(program.wrong(), "");
                    EXPECT_EQ(before->generation, commits);
                    EXPECT_TRUE(before->refused.empty());
                    ++commits;
                    program.scramble();
                    static_cast<void>(program.restore());
                    EXPECT_EQ(program.wrong(), "") << "it is committed";
                    program.begin();
                    program.snapshot.commit();
                    ++commits;
                } else {
                    program.begin();
                }
                EXPECT_EQ(program.snapshot.generation(), commits);
                for (std::uint64_t i = 0; i < 4; ++i, ++commits) {  // sizes change now and then, so both ways are taken
                    program.go_to(moment + i);
                    program.snapshot.commit();
                }
                program.scramble();
            }
            comm.agree();
        }
    }
}

/// A state of which each commit has changed one value.
std::vector<std::uint64_t> changed_often(std::string const& name, std::uint64_t commits) {
    std::vector<std::uint64_t> values(3000, std::stoull(name));
    for (std::uint64_t i = 0; i < commits; ++i) values[1000 * i % 2999] += i + 1;
    return values;
}

TEST(KeptSnapshot, ComesBackIfOnlyChangesWereSent) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (auto const integrity : {store::Integrity::unchecked, store::Integrity::checked}) {
        auto const name = integrity == store::Integrity::checked ? "changes-checked" : "changes";
        auto const options =
            kept(comm, name,
                 {.differential = SnapshotOptions::Differential::always, .chunk_bytes = 128, .integrity = integrity});
        std::uint64_t commits = 0;
        for (int job = 0; job < 3; ++job) {
            {
                Snapshot snapshot(comm, options);
                std::map<std::string, std::vector<std::uint64_t>> states;
                auto const add = [&](std::string const& own) { snapshot.add(own, states[own]); };
                ASSERT_EQ(snapshot.reopen({.adopt = add}).has_value(), job > 0);
                for (auto const& [own, state] : states) EXPECT_EQ(state, changed_often(own, commits)) << "job " << job;
                if (job == 0) add(std::to_string(value(comm.self())));
                for (int i = 0; i < 7; ++i) {
                    ++commits;
                    for (auto& [own, state] : states) state = changed_often(own, commits);
                    snapshot.commit();
                }
                for (auto& [own, state] : states) state.assign(3000, 0);
            }
            comm.agree();
        }
    }
}

void comes_back_on_fewer(ft::Communicator& comm, SnapshotOptions const& options) {
    for (auto size = comm.size(); size > 0; --size) {
        test::with_first(comm, size, [&](ft::Communicator& fewer) {
            SavedProgram program(fewer, num_entities, options);
            auto const report = reopen(program);
            EXPECT_EQ(report.has_value(), size < comm.size());
            if (report) {
                EXPECT_EQ(program.moment, size + 1);
            } else {
                program.begin();
            }
            program.go_to(size);
            program.snapshot.commit();
            EXPECT_EQ(program.wrong(), "");
        });
    }
}

void is_gone_when_discarded(ft::Communicator& comm, SnapshotOptions const& options) {
    {
        SavedProgram program(comm, num_entities, options);
        program.begin();
        program.snapshot.commit();
        program.snapshot.discard();
    }
    comm.agree();
    EXPECT_TRUE(fs::is_empty(options.keep->folder));
    comm.agree();
    SavedProgram program(comm, num_entities, options);
    EXPECT_FALSE(reopen(program).has_value());
    EXPECT_EQ(program.snapshot.generation(), 0u);
}

TEST(KeptSnapshot, ComesBackOnFewerMembers) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (auto const& [name, redundancy] :
         {std::pair<std::string, Redundancy>("fewer", pairwise()), {"fewer-coded", erasure::Code(3, 2)}}) {
        SCOPED_TRACE(name);
        comes_back_on_fewer(comm, kept(comm, name, {.redundancy = redundancy}));
    }
}

TEST(KeptSnapshot, ComesBackFromAnyPiecesOfItsCode) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const code = erasure::Code(2, 1).fitted(static_cast<std::uint32_t>(comm.size()));
    auto options = kept(comm, "pieces", {.redundancy = code, .integrity = store::Integrity::checked});
    options.keep->folder = test::job_folder("pieces") / ("of " + std::to_string(comm.position(comm.self())));
    fs::create_directories(options.keep->folder);
    for (std::size_t gone = 0; gone < comm.size(); ++gone) {
        SCOPED_TRACE(gone);
        {
            SavedProgram program(comm, num_entities, options);
            auto const before = reopen(program);
            if (!before) program.begin();
            program.go_to(gone);
            program.snapshot.commit();
        }
        comm.agree();
        auto const is_gone = [&](std::size_t count) {
            return (comm.position(comm.self()) + comm.size() - gone) % comm.size() < count;
        };
        if (is_gone(code.parity())) fs::remove_all(options.keep->folder / "regraft-job");
        comm.agree();
        {
            SavedProgram program(comm, num_entities, options);
            ASSERT_TRUE(reopen(program).has_value());
            EXPECT_EQ(program.moment, gone);
            EXPECT_EQ(program.wrong(), "");
        }
        comm.agree();
    }
    if (comm.self() == comm.members().front()) fs::remove_all(options.keep->folder / "regraft-job");
    if (code.parity() > 0 && comm.self() == comm.members()[1]) fs::remove_all(options.keep->folder / "regraft-job");
    comm.agree();
    SavedProgram program(comm, num_entities, options);
    if (code.parity() + 1 >= comm.size()) {  // no folder is left
        EXPECT_FALSE(reopen(program).has_value());
        return;
    }
    try {
        static_cast<void>(reopen(program));
        ADD_FAILURE() << "one piece too few";
    } catch (store::DataLost const& error) {
        EXPECT_NE(std::string(error.what()).find(" pieces are there, and the code needs 2;"), std::string::npos)
            << error.what();
    }
    EXPECT_EQ(program.snapshot.generation(), 0u);
}

TEST(KeptSnapshot, IsGoneWhenItWasDiscarded) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (auto const& [name, redundancy] :
         {std::pair<std::string, Redundancy>("discarded", pairwise()), {"discarded-coded", erasure::Code(2, 1)}}) {
        SCOPED_TRACE(name);
        is_gone_when_discarded(comm, kept(comm, name, {.redundancy = redundancy}));
    }
}

TEST(KeptSnapshot, IsNotWhatAStoreOfTheSameNameHasKept) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const options = kept(comm, "foreign");
    test::Content const content(1, 50, test::Content::Sizes::fixed, 100);
    {
        test::Replicated store(comm, {.keep = options.keep});
        store.submit({content, test::part_of(content.num_blocks(), comm.position(comm.self()), comm.size())}, content);
    }
    comm.agree();
    SavedProgram program(comm, num_entities, options);
    EXPECT_THROW(static_cast<void>(reopen(program)), store::DiskError);
    EXPECT_EQ(program.snapshot.generation(), 0u);
}

}  // namespace
}  // namespace regraft::checkpoint
