// Snapshots on disk while all members live: whichever of them reads what any saved has the state of that commit, or an
// error. commit, or
#include <mpi.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "checkpoint/saved.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/disk/archive.hpp"
#include "support/full_disk.hpp"
#include "support/store/archives.hpp"
#include "support/store/first_members.hpp"
#include "support/store/saved_program.hpp"
#include "support/store/stores_on_disk.hpp"

namespace regraft::checkpoint {
namespace {

namespace fs = std::filesystem;
using test::job_folder;
using test::SavedProgram;

constexpr std::uint64_t num_entities = 14;

std::vector<SnapshotOptions> all_kinds() {
    using Form = SnapshotOptions::Form;
    return {{.redundancy = pairwise()},
            {.redundancy = pairwise(), .form = Form::compressed},
            {.redundancy = pairwise(3), .form = Form::compressed, .integrity = store::Integrity::checked},
            {.redundancy = erasure::Code(3, 1)},
            {.redundancy = erasure::Code(2, 2), .form = Form::compressed, .integrity = store::Integrity::checked}};
}

/// Commits a moment and saves it.
store::SaveReport save(ft::Communicator& comm, fs::path const& archive, std::uint64_t moment,
                       SnapshotOptions const& kind = {}, store::SaveOptions const& options = {}) {
    SavedProgram program(comm, num_entities, kind);
    program.begin();
    program.go_to(moment);
    program.snapshot.commit();
    program.scramble();  // what is saved is what was committed
    return program.snapshot.save(archive, options);
}

TEST(SavedSnapshot, ComesBackFromEveryKindToEveryKind) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = job_folder("kinds");
    std::uint64_t moment = 0;
    for (auto const& writer : all_kinds()) {
        ++moment;
        auto const files = static_cast<std::uint32_t>(moment % 4);
        auto const saved = save(comm, archive, moment, writer, {.files = files, .attributes = test::as_bytes(moment)});
        EXPECT_EQ(saved.generation, moment);
        for (auto const& reader : all_kinds()) {
            SavedProgram program(comm, num_entities, reader);
            auto const report = program.open(archive);
            EXPECT_EQ(program.moment, moment);
            EXPECT_EQ(program.wrong(), "");
            EXPECT_EQ(report.generation, moment);
            EXPECT_EQ(report.saved_commit, 1u);
            EXPECT_EQ(test::as_number(report.attributes), moment);
            EXPECT_TRUE(report.refused.empty() && report.removed.empty());
            EXPECT_TRUE(report.adopted.empty()) << "as many as wrote it: everything is at home";
            // The state is committed: there are copies, and it can be gone back to.
            EXPECT_EQ(program.snapshot.generation(), 1u);
            program.scramble();
            static_cast<void>(program.restore());
            EXPECT_EQ(program.wrong(), "");
        }
    }
}

TEST(SavedSnapshot, IsWrittenWhileTheProgramGoesOn) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const kinds = all_kinds();
    for (auto const& kind : kinds) {
        auto const archive = job_folder("going_on_" + std::to_string(&kind - kinds.data()));
        SavedProgram program(comm, num_entities, kind);
        program.begin();
        for (std::uint64_t moment = 1; moment < 12; moment += 4) {
            program.go_to(moment);
            program.snapshot.commit();
            auto saving = program.snapshot.start_save(archive, {.attributes = test::as_bytes(moment)});
            for (auto later = moment + 1; later < moment + 4; ++later) {
                program.go_to(later);
                program.snapshot.commit();
            }
            EXPECT_TRUE(saving.is_written()) << "its memory is used again";
            auto const report = saving.wait();
            EXPECT_EQ(report.generation, moment / 4 + 1);
            SavedProgram reader(comm, num_entities, kind);
            EXPECT_EQ(test::as_number(reader.open(archive).attributes), moment);
            EXPECT_EQ(reader.moment, moment);
            EXPECT_EQ(reader.wrong(), "");
        }
        // A save that nobody waits for leaves what was there.
        program.go_to(13);
        program.snapshot.commit();
        static_cast<void>(program.snapshot.start_save(archive));
        SavedProgram reader(comm, num_entities, kind);
        static_cast<void>(reader.open(archive));
        EXPECT_EQ(reader.moment, 9u);
        EXPECT_EQ(program.snapshot.save(archive).generation, 5u) << "its number is used up";
    }
}

/// The files of a generation, with another byte in the first frame.
struct BrokenFrame {
    BrokenFrame(fs::path const& archive, std::uint64_t number) {
        disk::Generation generation(archive, number);
        index = generation.index();
        bytes.resize(index.sizes.bytes(all()));
        generation.read(all(), bytes);
        auto const state = decode(index.attributes, index.sizes, "");
        std::uint64_t i = 0;
        while (state.entities[i].stored_bytes == state.entities[i].bytes) ++i;
        bytes[index.sizes.begin(BlockId{i})] ^= std::byte{1};
    }
    BlockRange all() const { return {BlockId{0}, BlockId{index.sizes.num_blocks()}}; }
    /// Writes it with right checksums. Returns the generation.
    std::uint64_t save(ft::Communicator& comm, fs::path const& archive) const {
        store::OwnBlocks const mine{all(), bytes};
        auto const only_leader = std::span(&mine, comm.leads() ? 1 : 0);
        return store::save(comm, archive, index.sizes, only_leader, {.kept = 3, .attributes = index.attributes})
            .generation;
    }

    disk::Index index;
    std::vector<std::byte> bytes;
};

TEST(SavedSnapshot, GoesOnToTheOneBeforeIfAFrameIsBroken) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = job_folder("frames");
    auto const kind = all_kinds()[1];
    auto const good = save(comm, archive, 1, kind).generation;
    auto const broken = BrokenFrame(archive, good).save(comm, archive);
    SavedProgram program(comm, num_entities, kind);
    auto const report = program.open(archive);
    EXPECT_EQ(report.generation, good);
    EXPECT_EQ(program.moment, 1u);
    EXPECT_EQ(program.wrong(), "");
    ASSERT_EQ(report.refused.size(), 1u);
    auto const file = disk::index_path(archive, broken).string();
    EXPECT_EQ(report.refused[0].find(file + ": has entity '"), 0u) << report.refused[0];
    EXPECT_NE(report.refused[0].find("cannot be unpacked"), std::string::npos) << report.refused[0];
}

TEST(SavedSnapshot, IsReadAgainFromTheOneBeforeIfAFrameIsBroken) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = job_folder("frames-again");
    SavedProgram program(comm, num_entities, all_kinds()[1]);
    program.begin();
    program.snapshot.commit();
    static_cast<void>(program.snapshot.save(archive));
    auto const last = program.snapshot.save(archive).generation;
    BrokenFrame const broken(archive, last);
    comm.agree();  // all have read it
    if (comm.leads()) disk::remove_generation(archive, last);
    ASSERT_EQ(broken.save(comm, archive), last) << "in its place";
    auto const all = program.snapshot.committed();
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<std::byte> read(all[i].stored_bytes);
        program.snapshot.reread()(all[i], read);
        auto const held = program.snapshot.stored(i);
        EXPECT_TRUE(held.empty() || std::ranges::equal(read, held)) << all[i].name;
    }
}

TEST(SavedSnapshot, IsReadByAnyNumberOfPes) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (std::size_t const writers : {1, 3, 5, 8}) {
        if (writers > comm.size()) continue;
        auto const archive = job_folder("by-" + std::to_string(writers));
        test::with_first(comm, writers, [&](ft::Communicator& some) {
            static_cast<void>(save(some, archive, writers, all_kinds()[writers % 5], {.files = 3}));
        });
        for (std::size_t readers = 1; readers <= comm.size(); ++readers) {
            test::with_first(comm, readers, [&](ft::Communicator& some) {
                SCOPED_TRACE(std::to_string(writers) + " wrote, " + std::to_string(readers) + " read");
                SavedProgram program(some, num_entities, all_kinds()[readers % 5]);
                auto const report = program.open(archive);
                EXPECT_EQ(program.moment, writers);
                EXPECT_EQ(program.wrong(), "");
                if (readers > writers) return;
                for (auto const& adoption : report.adopted) EXPECT_GE(value(adoption.from), readers);
            });
        }
    }
}

TEST(SavedSnapshot, IsBalancedWhereThereAreMoreMembers) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = job_folder("balanced");
    test::with_first(comm, 1, [&](ft::Communicator& one) { static_cast<void>(save(one, archive, 1)); });
    std::uint64_t sum = 0, largest = 0;
    for (std::uint64_t k = 0; k < num_entities; ++k) {
        auto const bytes = SavedProgram::content(k, 1).size();
        sum += bytes;
        largest = std::max<std::uint64_t>(largest, bytes);
    }
    SavedProgram program(comm, num_entities);
    static_cast<void>(program.open(archive));
    std::uint64_t mine = 0;
    for (auto const& [k, state] : program.states) mine += state.size();
    EXPECT_LE(mine, sum / comm.size() + largest);  // Graham 1969
}

TEST(SavedSnapshot, GoesWhereTheRuleSays) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = job_folder("rule");
    static_cast<void>(save(comm, archive, 1));
    SavedProgram program(comm, num_entities);
    auto const report = program.open(archive, [](std::span<Orphan const> orphans, std::span<Survivor const> survivors) {
        EXPECT_EQ(orphans.size(), num_entities);
        for (auto const& survivor : survivors) EXPECT_EQ(survivor.bytes, 0u);
        return std::vector<PeId>(orphans.size(), survivors.back().pe);
    });
    auto const last = comm.members().back();
    EXPECT_EQ(program.states.size(), comm.self() == last ? num_entities : 0);
    EXPECT_EQ(program.wrong(), "");
    for (auto const& adoption : report.adopted) EXPECT_EQ(adoption.to, last);
}

TEST(SavedSnapshot, ReplacesWhateverStateThereIs) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = job_folder("replaces");
    static_cast<void>(save(comm, archive, 3));
    SavedProgram program(comm, num_entities + 1);
    program.begin();
    program.go_to(8);
    program.snapshot.commit();
    std::uint64_t extra = 5;
    program.snapshot.add_common("extra", extra);
    if (comm.leads()) program.adopt(999);
    bool const had_last = program.states.contains(num_entities);  // which was not saved
    auto const report = program.open(archive);
    std::set<std::string> right{"extra"};
    if (comm.leads()) right.insert("entity 999");
    if (had_last) right.insert(SavedProgram::name_of(num_entities));
    EXPECT_EQ((std::set<std::string>(report.removed.begin(), report.removed.end())), right);
    EXPECT_FALSE(program.snapshot.has("extra"));
    EXPECT_EQ(program.moment, 3u);
    EXPECT_EQ(program.snapshot.generation(), 2u);
    EXPECT_EQ(program.wrong(), "not all entities") << "there is one less";
}

TEST(SavedSnapshot, OfNothingIsNothing) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = job_folder("nothing");
    for (auto const& kind : all_kinds()) {
        {
            Snapshot snapshot(comm, kind);
            snapshot.commit();
            static_cast<void>(snapshot.save(archive));
        }
        Snapshot snapshot(comm, kind);
        EXPECT_TRUE(snapshot.open(archive).refused.empty());
        EXPECT_TRUE(snapshot.committed().empty());
    }
}

bool has(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

template <class Body>
void leader_does(ft::Communicator& comm, Body body) {
    comm.agree();
    if (comm.leads()) body();
    comm.agree();
}

/// Opens it and expects this moment; returns what is wrong with newer ones.
std::string refused_before(ft::Communicator& comm, SavedProgram& program, fs::path const& archive,
                           std::uint64_t moment) {
    auto const report = program.open(archive);
    EXPECT_EQ(program.moment, moment);
    EXPECT_EQ(program.wrong(), "");
    std::string text;
    for (auto const& reason : report.refused) text += reason;
    EXPECT_TRUE(comm.agree_equal(hash(std::as_bytes(std::span(text)))));
    return text;
}

TEST(SavedSnapshot, CutOrFlippedAnywhereIsRefusedAndTheOneBeforeIsUsed) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = job_folder("damaged");
    for (std::uint64_t const moment : {1, 2}) {
        static_cast<void>(save(comm, archive, moment, all_kinds()[1], {.files = 2}));
    }
    SavedProgram program(comm, num_entities);
    std::vector<fs::path> files{disk::index_path(archive, 2)};
    for (std::size_t i = 0; i < std::min<std::size_t>(2, comm.size()); ++i)
        files.push_back(disk::data_path(archive, 2, i));
    std::size_t const stride = comm.size() == 1 ? 1 : 173;  // everywhere, by one reader
    for (auto const& path : files) {
        comm.agree();
        auto const bytes = test::file_contents(path);
        for (std::size_t at = 0; at < bytes.size(); at += stride) {
            SCOPED_TRACE(path.string() + ": " + std::to_string(at));
            auto damaged = bytes;
            damaged[at] ^= static_cast<std::byte>(1 << at % 8);
            leader_does(comm, [&] { test::write_contents(path, damaged); });
            EXPECT_TRUE(has(refused_before(comm, program, archive, 1), path.string()));
            leader_does(comm, [&] { test::write_contents(path, std::span(bytes).first(at)); });
            EXPECT_TRUE(has(refused_before(comm, program, archive, 1), path.string()));
            if (HasFailure()) return;
        }
        leader_does(comm, [&] { test::write_contents(path, bytes); });
    }
    EXPECT_EQ(refused_before(comm, program, archive, 2), "");
}

TEST(SavedSnapshot, ThatCannotBeWrittenOrReadLeavesEverythingAsItIs) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = job_folder("errors");
    SavedProgram program(comm, num_entities);
    program.begin();
    program.go_to(1);
    program.snapshot.commit();
    {
        std::optional<test::ShortFiles> limit;
        if (comm.leads()) limit.emplace(60);
        EXPECT_THROW(static_cast<void>(program.snapshot.save(archive)), store::DiskError);
    }
    EXPECT_THROW(program.open(archive), store::DiskError);
    EXPECT_THROW(program.open(archive / "none"), store::DiskError);
    EXPECT_EQ(program.snapshot.generation(), 1u);
    EXPECT_EQ(program.wrong(), "");
}

TEST(SavedSnapshot, IsNotWhatAStoreSaved) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = job_folder("store");
    static_cast<void>(save(comm, archive, 1));
    std::vector<std::byte> const bytes(10);
    std::vector<store::OwnBlocks> mine;
    if (comm.leads()) mine.push_back({{BlockId{0}, BlockId{1}}, bytes});
    static_cast<void>(store::save(comm, archive, BlockSizes(1, 10), mine));
    SavedProgram program(comm, num_entities);
    auto const refused = refused_before(comm, program, archive, 1);
    EXPECT_TRUE(has(refused, "2/index: has blocks that no snapshot has saved")) << refused;
}

TEST(SavedSnapshot, OfBytesThatWereNotCompressedAsItSaysIsRefusedBeforeAnythingChanges) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = job_folder("forged");
    SavedState const state{1, {comm.members().front()}, {{"entity 0", comm.members().front(), 500, 10}}, {}, {}};
    std::vector<std::byte> const bytes(10, std::byte{1});
    std::vector<store::OwnBlocks> mine;
    if (comm.leads()) mine.push_back({{BlockId{0}, BlockId{1}}, bytes});
    static_cast<void>(store::save(comm, archive, BlockSizes(1, 10), mine, {.attributes = encode(state)}));
    SavedProgram program(comm, num_entities);
    program.begin();
    program.snapshot.commit();
    EXPECT_THROW(program.open(archive), store::DiskError);
    EXPECT_EQ(program.wrong(), "");
}

/// The committed entities of this PE that are not read as they are stored, and whether one cannot be read.
std::string wrong_on_disk(SavedProgram const& program, PeId self,
                          std::function<void(CommittedEntity const&, std::span<std::byte>)> const& reread) {
    std::string text;
    for (std::size_t i = 0; i < num_entities; ++i) {
        auto const& entity = program.snapshot.committed()[i];
        if (entity.home != self) continue;
        std::vector<std::byte> out(entity.stored_bytes);
        try {
            reread(entity, out);
        } catch (InputError const&) {
            return "cannot be read";
        }
        if (!std::ranges::equal(out, program.snapshot.stored(i))) text += entity.name;
    }
    return text;
}

TEST(SavedSnapshot, IsASourceForItsOwnCommitAlone) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const archive = job_folder("source");
    for (auto const& kind : all_kinds()) {
        SavedProgram program(comm, num_entities, kind);
        program.begin();
        program.go_to(1);
        program.snapshot.commit();
        auto const reread = program.snapshot.reread();
        bool const mine = !program.states.empty();
        auto const wrong = [&] { return wrong_on_disk(program, comm.self(), reread); };
        std::string const unreadable = mine ? "cannot be read" : "";
        EXPECT_EQ(wrong(), unreadable) << "it is not saved";
        auto const first = program.snapshot.save(archive).generation;
        EXPECT_EQ(wrong(), "");
        auto const second = program.snapshot.save(archive).generation;
        leader_does(comm, [&] { fs::remove(disk::data_path(archive, second, 0)); });
        EXPECT_EQ(wrong(), "") << "the other is there";
        auto const third = program.snapshot.save(archive).generation;
        for (auto const generation : {first, second, third}) {
            leader_does(comm, [&] { fs::remove_all(disk::index_path(archive, generation).parent_path()); });
        }
        static_cast<void>(program.snapshot.save(archive));
        EXPECT_EQ(wrong(), "");
        program.go_to(2);
        program.snapshot.commit();
        EXPECT_EQ(wrong(), unreadable) << "what is on disk is of the commit before";
    }
}

TEST(SavedSnapshot, IsASourceOfWhatWasOpenedInAnyForm) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (std::size_t writer = 0; writer < 2; ++writer) {
        auto const archive = job_folder("form-" + std::to_string(writer));
        static_cast<void>(save(comm, archive, 5, all_kinds()[writer]));
        SavedProgram program(comm, num_entities, all_kinds()[1 - writer]);
        static_cast<void>(program.open(archive));
        EXPECT_EQ(wrong_on_disk(program, comm.self(), program.snapshot.reread()), "");
    }
}

// ---- What is beside the blocks

SavedState some_state(BlockSizes& sizes) {
    SavedState state{7, {PeId{1}, PeId{200}, PeId{4'000'000'000}}, {}, {}, test::as_bytes(3)};
    state.common = {{{"step", 3, 3}, {"none", 0, 0}}, std::vector<std::byte>(3, std::byte{5}), {}};
    state.entities = {{"a", PeId{200}, 0, 0}, {"", PeId{1}, 300, 300}, {"packed", PeId{200}, 9000, 40}};
    BlockSizes::Builder builder;
    for (auto const& entity : state.entities) builder.add(entity.stored_bytes);
    sizes = std::move(builder).take();
    return state;
}

TEST(SavedState, IsReadAsItWasWrittenOrRefused) {
    BlockSizes sizes;
    auto const state = some_state(sizes);
    auto const bytes = encode(state);
    auto const again = decode(bytes, sizes, "F");
    EXPECT_EQ(again.entities, state.entities);
    EXPECT_EQ(again.members, state.members);
    EXPECT_EQ(again.common.bytes, state.common.bytes);
    EXPECT_EQ(again.attributes, state.attributes);
    EXPECT_EQ(again.commit, 7u);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_THROW(static_cast<void>(decode(std::span(bytes).first(size), sizes, "F")), InputError) << size;
    }
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (int bit = 0; bit < 8; ++bit) {
            auto changed = bytes;
            changed[at] ^= static_cast<std::byte>(1 << bit);
            try {
                EXPECT_EQ(encode(decode(changed, sizes, "F")), changed) << "it means something else, but what it says";
            } catch (InputError const& error) {
                EXPECT_TRUE(has(error.what(), "F: ")) << error.what();
            }
        }
    }
}

std::string refusal(std::function<void(SavedState&)> const& change) {
    BlockSizes sizes;
    auto state = some_state(sizes);
    change(state);
    try {
        static_cast<void>(decode(encode(state), sizes, "F"));
    } catch (InputError const& error) {
        return error.what();
    }
    return "none";
}

TEST(SavedState, SaysWhatIsWrongWithIt) {
    EXPECT_EQ(refusal([](SavedState&) {}), "none");
    auto const says = [](std::string const& text, std::function<void(SavedState&)> const& change) {
        EXPECT_EQ(refusal(change), "F: is no snapshot that can be read: " + text);
    };
    says("two entities are called 'a'", [](SavedState& state) { state.entities[1].name = "a"; });
    says("two entities are called 'step'", [](SavedState& state) { state.entities[1].name = "step"; });
    says("an entity is at home with no member", [](SavedState& state) { state.entities[0].home = PeId{2}; });
    says("an entity cannot have 299 bytes", [](SavedState& state) { state.entities[1].bytes = 299; });
    says("an entity cannot have 2000000 bytes", [](SavedState& state) { state.entities[2].bytes = 2'000'000; });
    says("an entity cannot have 1 bytes", [](SavedState& state) { state.entities[0].bytes = 1; });
    says("it has not as many entities as blocks", [](SavedState& state) { state.entities.pop_back(); });
    says("its members are not ascending", [](SavedState& state) { std::swap(state.members[0], state.members[1]); });
}

}  // namespace
}  // namespace regraft::checkpoint
