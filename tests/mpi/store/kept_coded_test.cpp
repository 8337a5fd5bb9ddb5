// What an erasure-coded store keeps in files comes back from any k pieces of each stripe, on any number of members.
#include <mpi.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "regraft/erasure/layout.hpp"
#include "support/store/first_members.hpp"
#include "support/store/stores_on_disk.hpp"

namespace regraft::store {
namespace {

namespace fs = std::filesystem;
using erasure::Code;
using test::Content;

/// Every rank has a folder, as if it were alone on its node.
ErasureOptions coded(ft::Communicator const& comm, std::string const& name, Integrity integrity) {
    auto const folder = test::job_folder("coded-" + name) / std::to_string(comm.position(comm.self()));
    fs::create_directories(folder);
    return {.integrity = integrity, .keep = Keep{folder, "job", name}};
}

void submit(ErasureStore& store, ft::Communicator const& comm, Code const& code, Content const& content) {
    auto const part = test::part_of(content.num_blocks(), comm.position(comm.self()), comm.size());
    auto const rows = content.rows(part);
    store.submit(code, part, CsrView<std::byte>(rows));
}

fs::path files_of(Keep const& keep) {
    return keep.folder / ("regraft-" + keep.job) / keep.name;
}

std::vector<fs::path> files_with(Keep const& keep, std::string const& extension) {
    std::vector<fs::path> files;
    for (auto const& entry : fs::directory_iterator(files_of(keep))) {
        if (entry.path().extension() == extension) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

TEST(KeptCodedStore, ComesBackAsItWasSubmittedLast) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (auto const integrity : {Integrity::unchecked, Integrity::checked}) {
        auto const options = coded(comm, "again-" + std::to_string(static_cast<int>(integrity)), integrity);
        std::uint64_t version = 0;
        for (std::uint64_t job = 0; job < 6; ++job) {
            SCOPED_TRACE(job);
            Code const code(1 + job % 4, job % 3);
            Content const content(job, job == 3 ? 0 : 20 + 11 * job,
                                  job % 2 == 0 ? Content::Sizes::fixed : Content::Sizes::variable,
                                  job == 4 ? 0 : 100'000 >> (3 * job));
            {
                ErasureStore store(comm, options);
                auto const before = store.reopen(code);
                ASSERT_EQ(before.has_value(), job > 0);
                store.set_attributes(test::as_bytes(job));
                submit(store, comm, code, content.with_other_bytes());
                submit(store, comm, code, content);
                version += 2;
                EXPECT_EQ(test::wrong_in(store, content), "");
            }
            comm.agree();
            ErasureStore store(comm, options);
            auto const report = store.reopen({2, 1});
            ASSERT_TRUE(report.has_value());
            EXPECT_EQ(report->version, version);
            EXPECT_EQ(store.version(), version);
            EXPECT_EQ(test::as_number(report->attributes), job);
            EXPECT_TRUE(report->refused.empty());
            EXPECT_TRUE(report->lost.empty());
            EXPECT_EQ(store.code(), Code(2, 1).fitted(static_cast<std::uint32_t>(comm.size())));
            EXPECT_EQ(report->repaired.code, store.code());
            EXPECT_EQ(report->repaired.bytes_restored, 0u) << "nothing is missing";
            EXPECT_EQ(test::wrong_in(store, content), "");
        }
        comm.agree();
    }
}

TEST(KeptCodedStore, ComesBackOnFewerMembersAndOnMore) {
    ft::Communicator comm(MPI_COMM_WORLD);
    fs::path const folder = test::job_folder("coded-members");
    fs::create_directories(folder);
    ErasureOptions const options{.integrity = Integrity::checked, .keep = Keep{folder, "job", "members"}};
    std::uint64_t job = 0;
    std::vector<std::size_t> sizes;
    for (auto size = comm.size(); size > 0; --size) sizes.push_back(size);
    for (std::size_t size = 2; size <= comm.size(); ++size) sizes.push_back(size);
    for (auto const size : sizes) {
        SCOPED_TRACE(size);
        test::with_first(comm, size, [&](ft::Communicator& members) {
            auto const content_of = [](std::uint64_t of) { return Content(of, 40, Content::Sizes::variable, 9000); };
            ErasureStore store(members, options);
            auto const report = store.reopen({3, 2});
            ASSERT_EQ(report.has_value(), job > 0);
            if (report) {
                EXPECT_EQ(test::wrong_in(store, content_of(job - 1)), "");
                EXPECT_EQ(store.code(), Code(3, 2).fitted(static_cast<std::uint32_t>(size)));
                EXPECT_EQ(report->repaired.deaths_survived, store.code().parity());
            }
            if (size % 2 == 0) {
                submit(store, members, {3, 2}, content_of(job));
            } else {  // what was encoded anew is kept, too
                submit(store, members, {2, 1}, content_of(job));
            }
        });
        ++job;
    }
}

/// The blocks that cannot be rebuilt without the pieces of these slots.
std::vector<BlockRange> lost_without(std::vector<bool> const& gone, Code const& code, Content const& content) {
    std::vector<std::uint64_t> begins{0};
    for (std::uint64_t id = 0; id < content.num_blocks(); ++id) {
        begins.push_back(content.bytes({BlockId{0}, BlockId{id + 1}}));
    }
    Csr<BlockRange> own;
    for (std::size_t slot = 0; slot < gone.size(); ++slot) {
        auto const part = test::part_of(content.num_blocks(), slot, gone.size());
        if (!part.empty()) own.push_value(part);
        own.end_row();
    }
    erasure::Layout const layout(code, BlockSizes(begins), own);
    std::vector<bool> lost(content.num_blocks());
    for (std::uint32_t stripe = 0; stripe < layout.num_slots(); ++stripe) {
        std::uint32_t there = 0;
        auto const is_there = [&](erasure::Piece piece) {
            return layout.bytes(piece) == 0 || !gone[layout.slot(piece)];
        };
        for (std::uint32_t i = 0; i < code.pieces(); ++i) there += is_there({stripe, i}) ? 1 : 0;
        for (std::uint32_t i = 0; i < code.data() && there < code.data(); ++i) {
            if (is_there({stripe, i})) continue;
            for (auto const& range : layout.blocks({stripe, i})) {
                for (auto id = value(range.first); id < value(range.last); ++id) lost[id] = true;
            }
        }
    }
    return test::as_ranges(lost);
}

TEST(KeptCodedStore, IsRebuiltFromAsManyPiecesAsTheCodeHasDataAndSaysWhatLacks) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const size = static_cast<std::uint32_t>(comm.size());
    std::size_t times_rebuilt = 0, times_lost = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const code =
            Code(1 + static_cast<std::uint32_t>(random.below(4)), 1 + static_cast<std::uint32_t>(random.below(2)))
                .fitted(size);
        auto const options = coded(comm, "lost-" + std::to_string(seed), Integrity::unchecked);
        auto const sizes = random.below(2) == 0 ? Content::Sizes::fixed : Content::Sizes::variable;
        Content const content(seed, random.below(40), sizes, random.below(5) == 0 ? 0 : 700);
        {
            ErasureStore store(comm, options);
            submit(store, comm, code, content);
        }
        comm.agree();
        std::vector<bool> gone(size);
        auto const num_gone = random.below(std::min(size, code.parity() + 2));
        for (std::uint64_t i = 0; i < num_gone; ++i) gone[random.below(size)] = true;
        if (gone[comm.position(comm.self())]) fs::remove_all(options.keep->folder / "regraft-job");
        comm.agree();
        auto const lost = lost_without(gone, code, content);
        (lost.empty() ? times_rebuilt : times_lost) += std::ranges::count(gone, true) > 0 ? 1 : 0;
        if (!lost.empty()) {
            ErasureStore store(comm, options);
            try {
                static_cast<void>(store.reopen(code));
                ADD_FAILURE() << "opened without blocks" << test::to_string(lost);
            } catch (DataLost const& error) {
                EXPECT_EQ(error.ranges(), lost);
                std::string const text = error.what();
                EXPECT_NE(text.find("of version 1 cannot be rebuilt, the first is block " +
                                    std::to_string(value(lost.front().first))),
                          std::string::npos)
                    << text;
                EXPECT_NE(text.find("and the code needs " + std::to_string(code.data()) + ";"), std::string::npos)
                    << text;
            }
        }
        comm.agree();
        ErasureStore store(comm, options);
        auto const report = store.reopen(code, {.lost = ReopenOptions::Lost::left});
        ASSERT_TRUE(report.has_value());
        EXPECT_EQ(report->lost, lost);
        test::expect_all_but(lost, store, content);
    }
    if (size > 2) {
        EXPECT_GT(times_rebuilt, 5u);
        EXPECT_GT(times_lost, 5u);
    }
}

enum class Damage { flipped, cut, of_another_job, manifest_flipped };

void flip(fs::path const& path, std::uint64_t at) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    auto const byte = file.get();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte ^ 4));
}

void damage(Keep const& keep, Keep const& other, Damage how) {
    auto const largest = [&](Keep const& of) {
        return std::ranges::max(files_with(of, ".blocks"), {},
                                [](fs::path const& path) { return fs::file_size(path); });
    };
    auto const manifest = files_with(keep, ".manifest").front();
    if (how == Damage::flipped) {
        constexpr std::uint64_t flips = 12;  // more than a file has pieces
        for (auto const& file : files_with(keep, ".blocks")) {
            for (std::uint64_t i = 0; i < flips; ++i) flip(file, i * fs::file_size(file) / flips);
        }
        return;
    }
    if (how == Damage::cut) return fs::resize_file(largest(keep), fs::file_size(largest(keep)) / 2);
    if (how == Damage::manifest_flipped) return flip(manifest, fs::file_size(manifest) / 2);
    fs::copy_file(largest(other), largest(keep), fs::copy_options::overwrite_existing);
}

TEST(KeptCodedStore, CountsDamagedFilesAsLost) {
    ft::Communicator comm(MPI_COMM_WORLD);
    Code const code = Code(3, 1).fitted(static_cast<std::uint32_t>(comm.size()));
    Content const content(7, 60, Content::Sizes::variable, 20'000);
    std::map<Damage, std::string> const texts{{Damage::flipped, " pieces are damaged, the first is piece "},
                                              {Damage::cut, " bytes, expected "},
                                              {Damage::of_another_job, ": has other blocks than its manifest says"},
                                              {Damage::manifest_flipped, ": is damaged: its checksum is wrong"}};
    for (auto const& [how, text] : texts) {
        for (std::size_t num_damaged = 1; num_damaged <= std::min<std::size_t>(comm.size(), 2); ++num_damaged) {
            auto const name = "damaged-" + std::to_string(static_cast<int>(how)) + std::to_string(num_damaged);
            SCOPED_TRACE(name);
            auto const options = coded(comm, name, Integrity::checked);
            auto const other = coded(comm, name + "-other", Integrity::checked);
            {
                ErasureStore store(comm, options), another(comm, other);
                submit(store, comm, code, content);
                submit(another, comm, code, content);
            }
            comm.agree();
            // Neighbours on the ring have pieces of the same stripes.
            if (comm.position(comm.self()) < num_damaged) damage(*options.keep, *other.keep, how);
            comm.agree();
            ErasureStore store(comm, options);
            if (num_damaged > code.parity()) {
                if (how != Damage::flipped && num_damaged == comm.size()) {  // no manifest can be used
                    EXPECT_FALSE(store.reopen(code).has_value());
                } else {
                    EXPECT_THROW(static_cast<void>(store.reopen(code)), DataLost);
                }
                continue;
            }
            auto const report = store.reopen(code);
            ASSERT_TRUE(report.has_value());
            ASSERT_EQ(report->refused.size(), num_damaged);
            for (auto const& refused : report->refused) EXPECT_NE(refused.find(text), std::string::npos) << refused;
            EXPECT_GT(report->repaired.bytes_restored, 0u);
            EXPECT_EQ(test::wrong_in(store, content), "");
            comm.agree();
        }
    }
}

TEST(KeptCodedStore, IsOnlyReadUntilItIsRepaired) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const options = coded(comm, "read", Integrity::checked);
    Content const content(1, 50, Content::Sizes::variable, 3000);
    {
        ErasureStore store(comm, options);
        submit(store, comm, {2, 1}, content);
    }
    comm.agree();
    for (bool const repairs : {false, true, false}) {
        auto const before = files_with(*options.keep, ".manifest");
        {
            ErasureStore store(comm, options);
            ASSERT_TRUE(store.reopen({2, 1}, {.repair = std::nullopt}).has_value());
            EXPECT_EQ(test::wrong_in(store, content), "");
            comm.agree();
            EXPECT_EQ(files_with(*options.keep, ".manifest"), before);
            if (repairs) {
                EXPECT_TRUE(store.repair().lost.empty());
                EXPECT_EQ(test::wrong_in(store, content), "");
                comm.agree();
                EXPECT_EQ(files_with(*options.keep, ".manifest").size(), 1u);
                EXPECT_NE(files_with(*options.keep, ".manifest"), before);
            }
        }
        comm.agree();
    }
}

TEST(KeptCodedStore, IsGoneWhenItWasDiscarded) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const options = coded(comm, "discarded", Integrity::unchecked);
    Content const content(1, 50, Content::Sizes::fixed, 100);
    {
        ErasureStore store(comm, options);
        submit(store, comm, {2, 1}, content);
        store.discard();
    }
    comm.agree();
    EXPECT_TRUE(fs::is_empty(options.keep->folder));
    comm.agree();
    ErasureStore store(comm, options);
    EXPECT_FALSE(store.reopen({2, 1}).has_value());
}

TEST(KeptCodedStore, IsNoStoreOfCopies) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const options = coded(comm, "kind", Integrity::unchecked);
    Content const content(1, 50, Content::Sizes::fixed, 100);
    auto const expect_refused = [&](auto reopen, std::string const& text) {
        try {
            reopen();
            ADD_FAILURE() << "it is of the other kind";
        } catch (DiskError const& error) {
            EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
        }
    };
    {
        ErasureStore store(comm, options);
        submit(store, comm, {2, 1}, content);
    }
    comm.agree();
    {
        ReplicatedStore store(comm, {.keep = options.keep});
        expect_refused([&] { static_cast<void>(store.reopen()); }, "has pieces of an erasure code, expected copies");
    }
    comm.agree();
    {
        test::Replicated store(comm, {.keep = options.keep});
        store.submit({content, test::part_of(content.num_blocks(), comm.position(comm.self()), comm.size())}, content);
    }
    comm.agree();
    ErasureStore store(comm, options);
    expect_refused([&] { static_cast<void>(store.reopen({2, 1})); }, "has copies, expected pieces of an erasure code");
    comm.agree();
}

TEST(KeptCodedStore, TellsWhenThereIsNoRoom) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto options = coded(comm, "room", Integrity::unchecked);
    if (comm.leads()) options.keep->room = 3000;
    Content const small(1, 20, Content::Sizes::fixed, 10), large(2, 500, Content::Sizes::fixed, 500);
    {
        ErasureStore store(comm, options);
        submit(store, comm, {2, 1}, small);
        EXPECT_THROW(submit(store, comm, {2, 1}, large), DiskError);
        EXPECT_EQ(store.version(), 1u);
        EXPECT_EQ(test::wrong_in(store, small), "");
    }
    comm.agree();
    ErasureStore store(comm, options);
    ASSERT_TRUE(store.reopen({2, 1}).has_value());
    EXPECT_EQ(test::wrong_in(store, small), "");
    comm.agree();
}

}  // namespace
}  // namespace regraft::store
