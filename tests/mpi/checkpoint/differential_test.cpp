// Differential commits without deaths: what comes back is what was committed, and only what has changed is sent.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/checkpoint/snapshot.hpp"
#include "regraft/core/random.hpp"

namespace {

std::uint64_t bytes_sent = 0;  // by this process

}  // namespace

extern "C" int MPI_Alltoallv(void const* sendbuf, int const sendcounts[], int const sdispls[], MPI_Datatype sendtype,
                             void* recvbuf, int const recvcounts[], int const rdispls[], MPI_Datatype recvtype,
                             MPI_Comm comm) {
    int size = 0;
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; ++i) bytes_sent += static_cast<std::uint64_t>(sendcounts[i]);
    return PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
}

namespace regraft::checkpoint {
namespace {

using Differential = SnapshotOptions::Differential;

constexpr std::uint64_t chunk_bytes = 256;

SnapshotOptions options_of(Differential differential, store::Integrity integrity = store::Integrity::unchecked) {
    SnapshotOptions options{.differential = differential, .chunk_bytes = chunk_bytes, .integrity = integrity};
    options.pace.steps = 1;
    return options;
}

/// Two vectors of this PE, of which the first ends within a chunk, and a value.
class Program {
public:
    Program(ft::Communicator& comm, SnapshotOptions options)
        : snapshot(comm, std::move(options)), random(value(comm.self())) {
        for (auto* const words : {&first, &second}) {
            words->resize(words == &first ? 1001 : 4000);
            for (auto& word : *words) word = random.below(1u << 30);
        }
        auto const own = std::to_string(value(comm.self()));
        snapshot.add("a" + own, first);
        snapshot.add("b" + own, second);
        snapshot.add("c" + own, entity_of(step));
    }

    /// Goes on, commits, loses the state and gets it back.
    CommitReport commit() {
        ++step;
        auto const report = snapshot.commit();
        auto const right = std::tuple(first, second, step);
        for (auto* const words : {&first, &second}) std::ranges::fill(*words, 0);
        static_cast<void>(snapshot.restore());
        EXPECT_EQ(std::tuple(first, second, step), right);
        return report;
    }

    Snapshot snapshot;
    Random random;
    std::vector<std::uint64_t> first, second;
    std::uint64_t step = 0;
};

TEST(Differential, SendsOnlyWhatHasChanged) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (auto const integrity : {store::Integrity::unchecked, store::Integrity::checked}) {
        Program program(comm, options_of(Differential::always, integrity));
        EXPECT_FALSE(program.commit().changed_bytes) << "there is nothing to compare with";
        for (int commit = 2; commit < 20; ++commit) {
            program.second[program.random.below(4000)] += 1;
            bytes_sent = 0;
            auto const report = program.commit();
            if (comm.size() == 1) continue;  // no one to send to
            ASSERT_TRUE(report.changed_bytes) << commit;
            // The chunk of the value and one other of each member; the last one is short.
            EXPECT_LE(*report.changed_bytes, 2 * chunk_bytes * comm.size()) << commit;
            EXPECT_GT(*report.changed_bytes, sizeof program.step * comm.size()) << commit;
            EXPECT_LT(bytes_sent, 2000u) << "instead of " << report.bytes;
        }
    }
}

TEST(Differential, LooksOnlyWhereItIsTold) {
    ft::Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) GTEST_SKIP() << "one member has nobody to send to";
    for (auto const told : {SnapshotOptions::Told::verified, SnapshotOptions::Told::trusted}) {
        auto options = options_of(Differential::always);
        options.told = told;
        Program program(comm, options);
        auto const second = "b" + std::to_string(value(comm.self()));
        program.commit();
        for (int commit = 2; commit < 30; ++commit) {
            for (int change = 0; change < commit % 4; ++change) {
                auto const i = program.random.below(4000);
                program.second[i] += 1;
                program.snapshot.changed(second, 8 * i, 8);
            }
            program.first[program.random.below(1001)] += 1;
            if (commit % 4 == 0) program.snapshot.changed(second, 0, 0);
            ASSERT_TRUE(program.commit().changed_bytes) << commit;
        }
    }
}

TEST(Differential, BreaksTheContractIfItIsNotToldAll) {
    ft::Communicator comm(MPI_COMM_WORLD);
    if (comm.size() > 1) GTEST_SKIP() << "what dies is a copy of this process, which must not be one of several";
    Program program(comm, options_of(Differential::always));
    program.commit();
    program.second[1000] += 1;
    program.snapshot.changed("b0", 30000, 8);
    EXPECT_DEATH(program.snapshot.commit(), "has told all changes");
}

TEST(Differential, SendsAllIfSizesChangeOnOneMember) {
    ft::Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) GTEST_SKIP() << "one member has nobody to send to";
    Program program(comm, options_of(Differential::always));
    for (int commit = 1; commit < 30; ++commit) {
        bool const grows = commit % 5 == 0;
        if (grows && comm.self() == comm.members().back()) program.first.push_back(program.random.below(1u << 30));
        program.first[program.random.below(program.first.size())] += 1;
        EXPECT_EQ(program.commit().changed_bytes.has_value(), commit > 1 && !grows) << commit;
    }
}

TEST(Differential, GivesBackTheCommitBeforeIfItIsNotAgreedOn) {
    ft::Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) GTEST_SKIP() << "nothing can differ between members";
    Program program(comm, options_of(Differential::always));
    std::uint64_t common = 0;
    program.snapshot.add_common("common", common);
    for (int commit = 1; commit < 4; ++commit) program.commit();
    auto const right = program.second;
    std::ranges::fill(program.second, 5);
    common = value(comm.self());
    EXPECT_THROW(program.snapshot.commit(), ft::Divergence);
    static_cast<void>(program.snapshot.restore());
    EXPECT_EQ(program.second, right);
    program.second[3] += 1;
    program.commit();
    EXPECT_EQ(program.second[3], right[3] + 1);
}

TEST(Differential, StopsLookingIfMostChanges) {
    ft::Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) GTEST_SKIP() << "one member has nobody to send to";
    Program program(comm, options_of(Differential::automatic));
    std::vector<int> looked;
    for (int commit = 1; commit <= 40; ++commit) {
        for (auto& word : program.second) word = program.random.below(1u << 30);
        if (program.commit().changed_bytes) looked.push_back(commit);
    }
    // Commit 2 finds that it does not pay. Of the 4 that follow none looks, 7 takes digests, and 8 compares.
    EXPECT_EQ(looked, (std::vector<int>{2, 8, 18, 36}));
    looked.clear();
    for (int commit = 1; commit <= 60; ++commit) {
        if (program.commit().changed_bytes) looked.push_back(commit);
    }
    EXPECT_EQ(looked.size(), 61u - static_cast<std::size_t>(looked.front())) << "it goes on as long as it pays";
}

/// The copies here that are undamaged.
std::size_t good_copies(Snapshot const& snapshot) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < snapshot.committed().size(); ++i) count += snapshot.stored(i).empty() ? 0 : 1;
    return count;
}

TEST(Differential, DoesNotBuildOnDamage) {
    ft::Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) GTEST_SKIP() << "no copies";
    Program program(comm, options_of(Differential::always, store::Integrity::checked));
    auto& snapshot = program.snapshot;
    for (int commit = 1; commit < 4; ++commit) program.commit();
    auto const all = good_copies(snapshot);
    // Copies of what has not changed for long are damaged, in the memory that commit 5 will use, and then where it
    // comes from.
    for (int commit = 4; commit < 8; ++commit) {
        for (std::size_t i = 0; i < snapshot.committed().size(); ++i) {
            auto const& entity = snapshot.committed()[i];
            if (entity.home == comm.self() || !entity.name.starts_with("a") || snapshot.stored(i).empty()) continue;
            const_cast<std::byte&>(snapshot.stored(i)[entity.bytes / 2]) ^= std::byte{1};
        }
        EXPECT_LT(good_copies(snapshot), all) << commit;
        program.second[0] += 1;  // of the same part as what is damaged
        ++program.step;
        snapshot.commit();
        EXPECT_EQ(good_copies(snapshot), all) << commit;
    }
}

}  // namespace
}  // namespace regraft::checkpoint
