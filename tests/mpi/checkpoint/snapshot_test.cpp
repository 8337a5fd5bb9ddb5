// Snapshots without deaths: what is committed comes back, whatever has happened to it since.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/checkpoint/snapshot.hpp"
#include "regraft/core/random.hpp"

namespace {

int gathers = 0;  // calls of this process
int exchanges = 0;

}  // namespace

extern "C" int MPI_Allgather(void const* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                             MPI_Datatype recvtype, MPI_Comm comm) {
    ++gathers;
    return PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}
extern "C" int MPI_Alltoallv(void const* sendbuf, int const sendcounts[], int const sdispls[], MPI_Datatype sendtype,
                             void* recvbuf, int const recvcounts[], int const rdispls[], MPI_Datatype recvtype,
                             MPI_Comm comm) {
    ++exchanges;
    return PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
}

namespace regraft::checkpoint {
namespace {

std::string named(std::string const& name, PeId pe) {
    return name + "/" + std::to_string(value(pe));
}

/// A snapshot of every kind, one after the other.
std::vector<SnapshotOptions> all_kinds() {
    std::vector<SnapshotOptions> kinds;
    for (Redundancy const& redundancy : {Redundancy(pairwise()), Redundancy(pairwise(3)), Redundancy(pairwise(1)),
                                         Redundancy(erasure::Code(3, 1)), Redundancy(erasure::Code(2, 2))}) {
        for (auto const form : {SnapshotOptions::Form::plain, SnapshotOptions::Form::compressed}) {
            for (auto const integrity : {store::Integrity::unchecked, store::Integrity::checked}) {
                kinds.push_back({.redundancy = redundancy, .form = form, .integrity = integrity});
                kinds.back().differential = SnapshotOptions::Differential::always;
                kinds.push_back({.redundancy = redundancy, .form = form, .integrity = integrity});
            }
        }
    }
    return kinds;
}

TEST(Snapshot, BringsBackWhatWasCommitted) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (auto const& options : all_kinds()) {
        Snapshot snapshot(comm, options);
        std::vector<double> field(1000 + 100 * value(comm.self()));
        std::iota(field.begin(), field.end(), 0.5 * value(comm.self()));
        std::array<std::uint32_t, 3> fixed{1, 2, value(comm.self())};
        std::map<std::string, int> words{{"one", 1}, {named("mine", comm.self()), 7}};
        std::uint64_t step = 5;
        snapshot.add(named("field", comm.self()), field);
        snapshot.add(named("fixed", comm.self()), std::span(fixed));
        snapshot.add(named("words", comm.self()), {.save =
                                                       [&](ByteWriter& out) {
                                                           out.put(words.size());
                                                           for (auto const& [word, number] : words) {
                                                               out.put_text(word);
                                                               out.put(number);
                                                           }
                                                       },
                                                   .restore =
                                                       [&](ByteReader& in) {
                                                           words.clear();
                                                           auto const count = in.get<std::size_t>();
                                                           for (std::size_t i = 0; i < count; ++i) {
                                                               auto const word = in.get_text();
                                                               words[word] = in.get<int>();
                                                           }
                                                       }});
        snapshot.add_common("step", step);
        auto const right = std::tuple(field, fixed, words, step);
        auto const commit = snapshot.commit();
        EXPECT_EQ(snapshot.generation(), 1u);
        EXPECT_GE(commit.bytes, field.size() * sizeof(double) + sizeof fixed);
        EXPECT_EQ(snapshot.committed().size(), 3 * comm.size());

        for (std::size_t i = 0; i < snapshot.committed().size(); ++i) {
            auto const& entity = snapshot.committed()[i];
            if (entity.name != named("fixed", comm.self())) continue;
            EXPECT_EQ(entity.home, comm.self());
            EXPECT_TRUE(std::ranges::equal(snapshot.stored(i), std::as_bytes(std::span(fixed))));
        }

        field.resize(3);
        fixed = {};
        words["two"] = 2;
        step = 6;
        auto const report = snapshot.restore();
        EXPECT_EQ(std::tuple(field, fixed, words, step), right);
        EXPECT_EQ(report.generation, 1u);
        EXPECT_EQ(report.bytes_received, 0u);
        EXPECT_EQ(report.bytes_local, commit.stored_bytes);
        EXPECT_TRUE(report.adopted.empty() && report.removed.empty() && report.lost.empty());
    }
}

TEST(Snapshot, ReplacesDamageFromOthersIfItHasChecksums) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (auto const& options : all_kinds()) {
        bool const one_copy = options.redundancy.index() == 0 &&
                              std::get<Partners>(options.redundancy)(comm.members()).shape().replicas == 1;
        if (options.integrity == store::Integrity::unchecked || comm.size() < 2 || one_copy) continue;
        Snapshot snapshot(comm, options);
        std::vector<std::uint32_t> state(5000);
        std::iota(state.begin(), state.end(), value(comm.self()));
        snapshot.add(named("state", comm.self()), state);
        auto const right = state;
        snapshot.commit();
        auto const first = std::ranges::find(snapshot.committed(), comm.members()[1], &CommittedEntity::home);
        auto const stored = snapshot.stored(static_cast<std::size_t>(first - snapshot.committed().begin()));
        if (comm.self() == comm.members()[1]) const_cast<std::byte&>(stored[stored.size() / 2]) ^= std::byte{4};
        state.clear();
        auto const report = snapshot.restore();
        EXPECT_EQ(state, right);
        EXPECT_TRUE(report.lost.empty());
        if (comm.self() == comm.members()[1]) {
            EXPECT_GT(report.bytes_received, 0u) << "its own copy was damaged";
        }
    }
}

TEST(Snapshot, GoesBackToTheSecondCommitAfterTheSecond) {
    ft::Communicator comm(MPI_COMM_WORLD);
    Snapshot snapshot(comm);
    std::vector<std::uint64_t> state(50, value(comm.self()));
    snapshot.add(named("state", comm.self()), state);
    for (std::uint64_t generation = 1; generation < 6; ++generation) {
        state.assign(50 + 7 * (generation / 2), 100 * generation + value(comm.self()));
        auto const right = state;
        snapshot.commit();
        state.assign(3, 0);
        static_cast<void>(snapshot.restore());
        EXPECT_EQ(state, right);
        EXPECT_EQ(snapshot.generation(), generation);
    }
}

TEST(Snapshot, GivesBackEntitiesThatMovedWereRemovedOrAdded) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (auto const& options : all_kinds()) {
        Snapshot snapshot(comm, options);
        std::map<std::string, std::vector<std::uint32_t>> blocks;
        auto const add = [&](std::string const& name) { snapshot.add(name, blocks[name]); };
        auto const mine = named("block", comm.self());
        add(mine);
        blocks[mine] = {1, 2, 3, value(comm.self())};
        snapshot.commit();

        // Every block goes to the next PE, and each PE gets one that is new.
        auto const size = static_cast<std::uint32_t>(comm.size());
        auto const neighbour = named("block", PeId{(value(comm.self()) + 1) % size});
        snapshot.remove(mine);
        blocks.clear();
        add(neighbour);
        add(named("new", comm.self()));
        std::vector<std::string> asked;
        auto const report = snapshot.restore({.adopt = [&](std::string const& name) {
            asked.push_back(name);
            add(name);
        }});
        EXPECT_EQ(blocks[mine], (std::vector<std::uint32_t>{1, 2, 3, value(comm.self())}));
        EXPECT_FALSE(snapshot.has(named("new", comm.self())));
        EXPECT_EQ(asked, size == 1 ? std::vector<std::string>{} : std::vector{mine});
        auto const removed =
            size == 1 ? std::vector{named("new", comm.self())} : std::vector{neighbour, named("new", comm.self())};
        EXPECT_EQ(report.removed, removed);

        // A commit after the move makes it stay.
        if (size > 1) {
            snapshot.remove(mine);
            blocks.erase(mine);
            add(neighbour);
            blocks[neighbour] = {9, 9};
            snapshot.commit();
            blocks[neighbour].clear();
            static_cast<void>(snapshot.restore());
            EXPECT_EQ(blocks[neighbour], (std::vector<std::uint32_t>{9, 9}));
        }
    }
}

TEST(Snapshot, RefusesTwoEntitiesOfOneNameOnAllMembersAlike) {
    ft::Communicator comm(MPI_COMM_WORLD);
    Snapshot snapshot(comm);
    std::uint64_t number = 1;
    snapshot.add(named("x", comm.self()), std::span(&number, 1));
    snapshot.commit();
    std::vector<char> other;
    bool const twin = comm.leads() || comm.self() == comm.members().back();
    snapshot.add(twin ? "twin" : named("single", comm.self()), other);
    if (comm.size() == 1) {
        snapshot.commit();  // it is one entity
        return;
    }
    EXPECT_THROW(snapshot.commit(), DuplicateEntity);
    EXPECT_EQ(snapshot.generation(), 1u);
    static_cast<void>(snapshot.restore());
    EXPECT_FALSE(snapshot.has("twin"));
}

/// What differs, as the exception says that body throws.
template <class Body>
std::string divergence_in(Body const& body) {
    try {
        body();
    } catch (ft::Divergence const& error) {
        std::string const text = error.what(), before = "such as ";
        auto const begin = text.find(before) + before.size();
        return text.substr(begin, text.find(';') - begin);
    }
    return "nothing";
}

TEST(Snapshot, DoesNotMixWithAnotherOfItsCommunicator) {
    ft::Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) return;
    Snapshot first(comm), second(comm);
    std::uint64_t number = 1;
    for (auto* const each : {&first, &second}) each->add(named("number", comm.self()), std::span(&number, 1));
    auto& mistaken = comm.leads() ? first : second;
    EXPECT_THROW(mistaken.commit(), ft::Divergence);
    for (int commits = 1; commits < 5; ++commits) {  // names and sizes are gathered by the first of them only
        first.commit();
        second.commit();
        EXPECT_THROW(mistaken.commit(), ft::Divergence);
        EXPECT_THROW(static_cast<void>(mistaken.restore()), ft::Divergence);
        EXPECT_THROW(static_cast<void>(mistaken.save("not-written")), ft::Divergence);
    }
    EXPECT_EQ(first.generation(), 4u);
    EXPECT_EQ(second.generation(), 4u);
}

TEST(Snapshot, HasVectorsAndSpansInCommon) {
    static_assert(OwnValue<double[3]> && OwnValue<std::byte>);
    static_assert(InPlace<std::vector<int>&> && InPlace<std::span<int>> && InPlace<int&> && !InPlace<int>);
    static_assert(!OwnValue<std::span<double>> && !OwnValue<double*> && !OwnValue<std::string_view>);
    ft::Communicator comm(MPI_COMM_WORLD);
    Snapshot snapshot(comm);
    std::vector<double> centres{1, 2, 3};
    std::array<int, 2> numbers{4, 5};
    std::span const fixed(numbers);
    snapshot.add_common("centres", centres);
    snapshot.add_common("numbers", fixed);
    snapshot.commit();
    centres = {7};
    numbers = {};
    static_cast<void>(snapshot.restore());
    EXPECT_EQ(centres, (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(numbers, (std::array{4, 5}));
    if (comm.size() == 1) return;
    centres.push_back(comm.leads() ? 1 : 0);
    EXPECT_EQ(divergence_in([&] { snapshot.commit(); }), "'centres', which differs between rank 0 and rank 1");
}

TEST(Snapshot, NoticesCommonEntitiesThatAreNotAlike) {
    ft::Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) return;
    for (std::uint64_t commits = 1; commits < 5; ++commits) {
        Snapshot snapshot(comm);
        std::uint64_t step = 0;
        snapshot.add_common("step", step);
        while (step < commits) {
            ++step;
            snapshot.commit();
        }
        step += comm.leads() ? 1 : 0;
        EXPECT_EQ(divergence_in([&] { snapshot.commit(); }), "'step', which differs between rank 0 and rank 1");
        static_cast<void>(snapshot.restore());
        EXPECT_EQ(step, commits);
        snapshot.commit();
    }
}

TEST(Snapshot, NoticesWhoeverHasOtherSizesOrNamesThanBefore) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (auto const& options : all_kinds()) {
        Snapshot snapshot(comm, options);
        std::vector<std::uint32_t> state(100, 1), other;
        snapshot.add(named("state", comm.self()), state);
        for (std::uint32_t i = 0; i < 24; ++i) {
            // One member, none, or all have something else than before, in turn; longer and shorter.
            bool const mine = i % 4 == 3 ? true : i % 4 == 1 && value(comm.self()) == i % comm.size();
            if (mine) state.resize(50 + 13 * (i * 7 % 5));
            state[0] = i;
            if (i == 20 && comm.leads()) snapshot.add("other", other);
            auto const right = state;
            snapshot.commit();
            state.assign(7, 99);
            static_cast<void>(snapshot.restore());
            ASSERT_EQ(state, right) << "commit " << i;
            ASSERT_EQ(snapshot.generation(), i + 1);
        }
        EXPECT_EQ(snapshot.committed().size(), comm.size() + 1);
    }
}

TEST(Snapshot, AsksNothingWhileNamesAndSizesStay) {
    ft::Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) return;
    Snapshot snapshot(comm);
    std::vector<std::uint32_t> state(1000 + value(comm.self()));
    std::uint64_t step = 0;
    snapshot.add(named("state", comm.self()), state);
    snapshot.add_common("step", step);
    auto const commit = [&] {
        gathers = exchanges = 0;
        ++state[3];
        ++step;
        snapshot.commit();
    };
    commit();
    EXPECT_EQ(gathers, 2);  // hashes, then names and sizes
    EXPECT_EQ(exchanges, 1);
    commit();
    EXPECT_EQ(gathers, 1);
    for (int i = 0; i < 3; ++i) {
        commit();
        EXPECT_EQ(gathers, 0);
        EXPECT_EQ(exchanges, 1);
    }
    gathers = 0;
    static_cast<void>(snapshot.restore());
    EXPECT_EQ(gathers, 0);
    EXPECT_EQ(state[3], 5u);
}

TEST(Snapshot, RefusesACommonEntityWithTheNameOfAnotherMembersEntity) {
    ft::Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) return;
    for (int commits = 0; commits < 4; ++commits) {
        Snapshot snapshot(comm);
        std::vector<int> state;
        std::uint64_t step = 0;
        if (comm.leads()) snapshot.add("both", state);
        for (int i = 0; i < commits; ++i) snapshot.commit();
        if (!comm.leads()) snapshot.add_common("both", step);
        // The leader cannot add it, so it differs there, which is noticed first.
        EXPECT_EQ(divergence_in([&] { snapshot.commit(); }), "'both', which rank 1 has and rank 0 has not");
    }
}

TEST(Snapshot, TakesTheMemoryOfTheFormula) {
    ft::Communicator comm(MPI_COMM_WORLD);
    constexpr std::uint64_t size = 1 << 20;
    for (std::uint32_t copies = 1; copies <= 3; ++copies) {
        Snapshot snapshot(comm, {.redundancy = pairwise(copies)});
        std::vector<std::byte> state(size);
        snapshot.add(named("state", comm.self()), state);
        auto const held = std::min<std::uint64_t>(copies, comm.size());
        snapshot.commit();
        EXPECT_EQ(snapshot.bytes_held(), held * size);
        for (int i = 0; i < 3; ++i) snapshot.commit();
        EXPECT_EQ(snapshot.bytes_held(), 2 * held * size);
        snapshot.trim();
        EXPECT_EQ(snapshot.bytes_held(), held * size);
        static_cast<void>(snapshot.restore());
        snapshot.commit();
        EXPECT_EQ(snapshot.bytes_held(), 2 * held * size);
    }
}

TEST(Snapshot, StoresWhatDoesNotGetSmallerAsItIs) {
    ft::Communicator comm(MPI_COMM_WORLD);
    Snapshot snapshot(comm, {.form = SnapshotOptions::Form::compressed});
    Random random(value(comm.self()));
    std::vector<std::uint64_t> noise(1000), zeros(1000);
    for (auto& word : noise) word = random.bits();
    snapshot.add(named("noise", comm.self()), noise);
    snapshot.add(named("zeros", comm.self()), zeros);
    snapshot.commit();
    for (auto const& entity : snapshot.committed()) {
        EXPECT_EQ(entity.bytes, 8000u);
        if (entity.name.starts_with("noise")) {
            EXPECT_EQ(entity.stored_bytes, 8000u);
        } else {
            EXPECT_LT(entity.stored_bytes, 100u);
        }
    }
}

TEST(Snapshot, CompressesLargeEntitiesIfSamplesOfThemShrink) {
    ft::Communicator comm(MPI_COMM_WORLD);
    Snapshot snapshot(comm, {.form = SnapshotOptions::Form::compressed});
    Random random(value(comm.self()));
    std::vector<std::uint64_t> noise(1 << 16), half(1 << 16);
    for (auto& word : noise) word = random.bits();
    std::ranges::copy(std::span(noise).first(1 << 15), half.begin());
    auto const right = std::pair(noise, half);
    snapshot.add(named("noise", comm.self()), noise);
    snapshot.add(named("half", comm.self()), half);
    snapshot.commit();
    for (auto const& entity : snapshot.committed()) {
        auto const length = entity.name.starts_with("noise") ? 1U << 19 : 1U << 18;
        EXPECT_NEAR(static_cast<double>(entity.stored_bytes), length, 1000) << entity.name;
        EXPECT_EQ(entity.bytes, 1u << 19);
    }
    std::ranges::fill(noise, 7);
    std::ranges::fill(half, 7);
    static_cast<void>(snapshot.restore());
    EXPECT_EQ(std::pair(noise, half), right);
}

TEST(Snapshot, StoresAHeadInFrontOfAnEntityWithoutMoreMemory) {
    ft::Communicator comm(MPI_COMM_WORLD);
    constexpr std::size_t parts = 3, length = 10'000;
    for (auto const form : {SnapshotOptions::Form::plain, SnapshotOptions::Form::compressed}) {
        Snapshot snapshot(comm, {.redundancy = pairwise(1), .form = form});
        std::array<std::vector<std::byte>, parts> states;
        std::string const head = "three words long";
        for (std::size_t i = 0; i < parts; ++i) {
            states[i].assign(length, std::byte(i + 1));
            snapshot.add(named("part " + std::to_string(i), comm.self()),
                         {.save = [](ByteWriter&) { ADD_FAILURE() << "the state lies in one piece"; },
                          .restore =
                              [&, i](ByteReader& in) {
                                  std::string found(head.size(), ' ');
                                  in.get_plain(std::span(found));
                                  EXPECT_EQ(found, head);
                                  in.get_plain(std::span(states[i]));
                              },
                          .bytes = [&, i] { return std::span<std::byte const>(states[i]); },
                          .head = [&] { return std::as_bytes(std::span(head)); }});
        }
        snapshot.commit();
        for (auto const& entity : snapshot.committed()) EXPECT_EQ(entity.bytes, head.size() + length);
        if (form == SnapshotOptions::Form::plain) {
            EXPECT_EQ(snapshot.bytes_held(), parts * (head.size() + length));
        } else {
            EXPECT_LT(snapshot.bytes_held(), length);
        }
        for (auto& state : states) state.assign(length, std::byte{77});
        static_cast<void>(snapshot.restore());
        for (std::size_t i = 0; i < parts; ++i) EXPECT_EQ(states[i], std::vector(length, std::byte(i + 1)));
    }
}

TEST(Snapshot, AgreesOnWhenTheNextCommitIsDue) {
    ft::Communicator comm(MPI_COMM_WORLD);
    Snapshot snapshot(comm, {.pace = {.mtbf_hours = 1e-6}});
    std::vector<std::byte> state(10'000 * (1 + value(comm.self())));
    snapshot.add(named("state", comm.self()), state);
    std::uint64_t commits = 0;
    for (int step = 0; step < 200; ++step) {
        bool const due = snapshot.due();
        ASSERT_TRUE(comm.agree_equal(due ? 1 : 0));
        if (!due) continue;
        snapshot.commit();
        ++commits;
    }
    EXPECT_GE(commits, 7u);  // after 1, 2, 4, ..., 64 steps at the latest
    EXPECT_EQ(snapshot.generation(), commits);
}

TEST(Snapshot, KeepsNothingOfNothing) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (auto const& options : all_kinds()) {
        Snapshot snapshot(comm, options);
        snapshot.commit();
        EXPECT_TRUE(snapshot.committed().empty());
        static_cast<void>(snapshot.restore());
        std::vector<int> empty;
        snapshot.add(named("empty", comm.self()), empty);
        snapshot.commit();
        empty.push_back(1);
        static_cast<void>(snapshot.restore());
        EXPECT_TRUE(empty.empty());
    }
}

}  // namespace
}  // namespace regraft::checkpoint
