#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/bytes.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/format_bytes.hpp"
#include "regraft/disk/archive.hpp"
#include "regraft/disk/generation.hpp"
#include "support/full_disk.hpp"
#include "support/store/archives.hpp"

namespace regraft::disk {
namespace {

namespace fs = std::filesystem;
using test::KnownBlocks;

std::vector<std::byte> bytes_of(std::string const& text) {
    auto const bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

std::string error_of(std::function<void()> const& body) {
    try {
        body();
    } catch (InputError const& error) {
        return error.what();
    }
    return "no error";
}

std::vector<std::byte> read_all(Generation& generation) {
    BlockRange const all{BlockId{0}, BlockId{generation.index().sizes.num_blocks()}};
    std::vector<std::byte> out(generation.index().sizes.bytes());
    generation.read(all, out);
    return out;
}

// 0.data: [4, 7) [0, 2)    1.data: [2, 4)    2.data: nothing
Csr<BlockRange> const three_files = test::files_of({{{4, 7}, {0, 2}}, {{2, 4}}, {}});
std::vector<std::uint64_t> const seven_sizes{3, 0, 5, 1, 0, 9, 2};

/// Two generations of the same sizes and other bytes.
class TwoGenerations : public testing::Test {
protected:
    TwoGenerations() {
        test::write_generation(archive, old, three_files, bytes_of("step 1"));
        test::write_generation(archive, recent, three_files, bytes_of("step 2"));
    }
    std::vector<fs::path> files(std::uint64_t generation) const {
        return {index_path(archive, generation), data_path(archive, generation, 0), data_path(archive, generation, 1),
                data_path(archive, generation, 2)};
    }
    /// Whether the newer one is refused with a message that names the file, and the older one is used.
    testing::AssertionResult falls_back(fs::path const& damaged) const {
        auto [generation, refused] = open_newest(archive);
        if (generation.index().generation != 1) return testing::AssertionFailure() << "the damaged one is used";
        if (refused.size() != 1 || refused[0].find(damaged.string() + ": ") != 0)
            return testing::AssertionFailure() << (refused.empty() ? "no message" : refused[0]);
        if (read_all(generation) != old.bytes) return testing::AssertionFailure() << "other bytes";
        return testing::AssertionSuccess();
    }

    test::ScratchFolder folder{"disk"};
    fs::path archive = folder.path() / "some" / "archive";
    KnownBlocks old{seven_sizes, 1};
    KnownBlocks recent{seven_sizes, 2};
};

TEST_F(TwoGenerations, TheNewestIsOpened) {
    EXPECT_EQ(generations(archive), (std::vector<std::uint64_t>{2, 1}));
    auto [generation, refused] = open_newest(archive);
    EXPECT_TRUE(refused.empty());
    EXPECT_EQ(generation.index().attributes, bytes_of("step 2"));
    EXPECT_EQ(read_all(generation), recent.bytes);
    EXPECT_EQ(std::distance(fs::directory_iterator(archive / "2"), {}), 4) << "nothing but these files is left";
}

TEST_F(TwoGenerations, AFileCutAnywhereIsRefusedAndTheOneBeforeUsed) {
    for (auto const& path : files(2)) {
        auto const bytes = test::file_contents(path);
        ASSERT_FALSE(bytes.empty());
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            test::write_contents(path, std::span(bytes).first(size));
            ASSERT_TRUE(falls_back(path)) << path << " cut to " << size;
        }
        test::write_contents(path, bytes);
    }
    EXPECT_EQ(open_newest(archive).generation.index().generation, 2u);
}

TEST_F(TwoGenerations, AFileWithAnyBitFlippedIsRefusedAndTheOneBeforeUsed) {
    for (auto const& path : files(2)) {
        auto bytes = test::file_contents(path);
        for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
            auto const mask = static_cast<std::byte>(1U << bit % 8);
            bytes[bit / 8] ^= mask;
            test::write_contents(path, bytes);
            ASSERT_TRUE(falls_back(path)) << path << " bit " << bit;
            bytes[bit / 8] ^= mask;
        }
        test::write_contents(path, bytes);
    }
    EXPECT_EQ(open_newest(archive).generation.index().generation, 2u);
}

TEST_F(TwoGenerations, AFileThatIsLongerIsRefused) {
    for (auto const& path : files(2)) {
        auto const bytes = test::file_contents(path);
        auto longer = bytes;
        longer.push_back(std::byte{0});
        test::write_contents(path, longer);
        EXPECT_TRUE(falls_back(path));
        test::write_contents(path, bytes);
    }
}

TEST_F(TwoGenerations, AMissingOrForeignOrExchangedDataFileIsRefused) {
    for (std::size_t file = 0; file < 3; ++file) {
        auto const path = data_path(archive, 2, file);
        auto const bytes = test::file_contents(path);
        fs::remove(path);
        EXPECT_TRUE(falls_back(path)) << "missing";
        test::write_contents(path, std::vector<std::byte>(bytes.size(), std::byte{'x'}));
        EXPECT_TRUE(falls_back(path)) << "foreign";
        test::write_contents(path, test::file_contents(data_path(archive, 1, file)));
        EXPECT_TRUE(falls_back(path)) << "of the other generation";
        test::write_contents(path, bytes);
    }
    test::write_contents(index_path(archive, 2), test::file_contents(index_path(archive, 1)));
    EXPECT_TRUE(falls_back(index_path(archive, 2))) << "of the other generation";
}

TEST_F(TwoGenerations, AnIncompleteOneDoesNotCount) {
    fs::remove(index_path(archive, 2));
    EXPECT_EQ(generations(archive), std::vector<std::uint64_t>{1});
    EXPECT_TRUE(open_newest(archive).refused.empty());
    EXPECT_EQ(begin_generation(archive), 3u) << "its number is not used again";
}

TEST_F(TwoGenerations, IfAllAreDamagedTheMessageSaysWhy) {
    for (std::uint64_t const generation : {1, 2}) fs::resize_file(data_path(archive, generation, 1), 30);
    auto const error = error_of([&] { open_newest(archive); });
    for (auto const* part : {"2/1.data: is damaged: it has 30 bytes, expected ", "1/1.data: is damaged: "}) {
        EXPECT_NE(error.find(part), std::string::npos) << error;
    }
}

TEST_F(TwoGenerations, OlderOnesGoAndWhatIsNotOursStays) {
    fs::create_directories(archive / "007");
    fs::create_directories(archive / "notes");
    begin_generation(archive);  // 3, never completed
    test::write_contents(data_path(archive, 3, 0), {});
    EXPECT_EQ(test::write_generation(archive, recent, three_files), 4u);
    test::write_contents(archive / "1" / "readme", bytes_of("kept by the user"));
    remove_older(archive, 4, 2);
    EXPECT_EQ(generations(archive), (std::vector<std::uint64_t>{4, 2}));
    EXPECT_FALSE(fs::exists(archive / "3"));
    EXPECT_FALSE(fs::exists(data_path(archive, 1, 0)));
    for (auto const* name : {"007", "notes", "1/readme"}) EXPECT_TRUE(fs::exists(archive / name)) << name;
    remove_older(archive, 4, 1);
    EXPECT_EQ(generations(archive), std::vector<std::uint64_t>{4});
    remove_generation(archive, 4);
    EXPECT_FALSE(fs::exists(archive / "4"));
}

TEST_F(TwoGenerations, RereadsFromTheLastOneThatIsRight) {
    BlockRange const range{BlockId{5}, BlockId{7}};
    std::vector<std::byte> out(11);
    auto const read = [&](std::vector<Saved> saved) {
        reread(std::move(saved))(range, out);
        return std::ranges::equal(out, recent.of(range)) ? "recent"
               : std::ranges::equal(out, old.of(range))  ? "old"
                                                         : "neither";
    };
    EXPECT_FALSE(reread({}));
    EXPECT_STREQ(read({{archive, 1}, {archive, 2}}), "recent");
    fs::resize_file(data_path(archive, 2, 0), 40);
    EXPECT_STREQ(read({{archive, 1}, {archive, 2}}), "old");
    EXPECT_THROW(read({{archive, 2}}), InputError);
    EXPECT_NE(error_of([&] {
                  reread({{archive, 1}})(range, std::span(out).first(3));
              }).find("does not have blocks [5, 7) in these sizes"),
              std::string::npos);
}

TEST(DiskFormat, IsWhatThePageSays) {
    test::ScratchFolder const folder("disk-format");
    KnownBlocks const blocks({3, 0, 5}, 1);
    auto const generation =
        test::write_generation(folder.path(), blocks, test::files_of({{{1, 3}, {0, 1}}}), bytes_of("abc"));
    ASSERT_EQ(generation, 1u);
    auto const sum = [](std::span<std::byte const> bytes) {
        auto const number = hash(bytes);
        std::vector<std::byte> little;
        for (int i = 0; i < 8; ++i) little.push_back(static_cast<std::byte>(number >> 8 * i & 0xff));
        return little;
    };
    auto const append = [](std::vector<std::byte>& to, std::span<std::byte const> bytes) {
        to.insert(to.end(), bytes.begin(), bytes.end());
    };
    auto const first = sum(std::span(blocks.bytes).subspan(3, 5));
    auto const second = sum(std::span(blocks.bytes).first(3));
    std::vector<std::byte> data = bytes_of(std::string("\x89RGD\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24));
    append(data, std::span(blocks.bytes).subspan(3, 5));
    append(data, first);
    append(data, std::span(blocks.bytes).first(3));
    append(data, second);
    EXPECT_EQ(test::file_contents(folder.path() / "1" / "0.data"), data);

    // generation 1; 3 blocks that differ, of 3, 0, 5; "abc"; 1 file of 2 pieces: from 1 on 2 in 1 part, from 0 on 1 in
    // 1
    auto index = bytes_of(std::string("\x89RGI\1\1\3\0\3\0\5\3abc\1\2\1\2\1", 20));
    append(index, sum(first));
    append(index, bytes_of(std::string("\0\1\1", 3)));
    append(index, sum(second));
    append(index, sum(index));
    EXPECT_EQ(test::file_contents(folder.path() / "1" / "index"), index);
}

TEST(DiskFormat, KeepsNoBlocksAndBlocksOfOneSizeAndEmptyOnes) {
    test::ScratchFolder const folder("disk-sizes");
    for (auto const& [count, each] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
             {0, 0}, {0, 5}, {1, 0}, {1000000000000, 0}, {1000, 1}, {3, 100000}}) {
        KnownBlocks const blocks(BlockSizes(count, each), count);
        auto const files = count == 0 ? test::files_of({{}}) : test::files_of({{{0, count / 2 + 1}}, {}});
        auto all = files;
        if (count > 1) {
            all = test::files_of({{{count / 2, count}}, {{0, count / 2}}});
        }
        test::write_generation(folder.path(), blocks, all);
        auto newest = open_newest(folder.path());
        EXPECT_EQ(newest.generation.index().sizes.num_blocks(), count);
        EXPECT_EQ(read_all(newest.generation), blocks.bytes);
    }
}

TEST(DiskFormat, APartThatIsDamagedDoesNotKeepOthersFromBeingRead) {
    test::ScratchFolder const folder("disk-parts");
    KnownBlocks const blocks({10, 70000, 200000, 5, 5, 65536, 300, 0, 80000}, 7);
    auto const number = test::write_generation(folder.path(), blocks, test::files_of({{{0, 9}}}));
    auto const path = data_path(folder.path(), number, 0);
    auto bytes = test::file_contents(path);
    bytes[24 + 10 + 70000 + 1000] ^= std::byte{1};  // in block 2
    test::write_contents(path, bytes);
    Generation generation(folder.path(), number);
    for (std::uint64_t first = 0; first < 9; ++first) {
        for (auto last = first; last <= 9; ++last) {
            BlockRange const range{BlockId{first}, BlockId{last}};
            std::vector<std::byte> out(blocks.sizes.bytes(range));
            if (first <= 2 && last > 2) {
                EXPECT_NE(
                    error_of([&] { generation.read(range, out); }).find("0.data: is damaged: the checksum of blocks ["),
                    std::string::npos);
            } else {
                generation.read(range, out);
                EXPECT_TRUE(std::ranges::equal(out, blocks.of(range))) << first << " to " << last;
            }
        }
    }
}

// ---- Indices that have the right checksum and make no sense

std::string error_of_index(std::function<void(FormatWriter&)> const& body, std::uint8_t version = 1) {
    FormatWriter out;
    out.append(bytes_of("\x89RGI"));
    out.fixed(version, 1);
    body(out);
    out.fixed(hash(out.bytes()), 8);
    return error_of([&] { decode(out.bytes(), "f", 1); });
}

void put(FormatWriter& out, std::vector<std::uint64_t> const& numbers) {
    for (auto const number : numbers) out.number(number);
}

TEST(DiskIndex, OfAnotherVersionIsRefused) {
    EXPECT_EQ(error_of_index([](FormatWriter& out) { put(out, {1, 0, 1, 0, 0}); }), "no error");
    EXPECT_EQ(error_of_index(
                  [](FormatWriter& out) {
                      put(out, {1, 0, 1, 0, 0});
                  },
                  2),
              "f: has version 2 of the format, expected version 1");
    EXPECT_EQ(error_of([] { decode(bytes_of("#!/bin/sh\necho\n"), "f", 1); }),
              "f: is no index of blocks on disk, or cut");
}

TEST(DiskIndex, ThatContradictsItselfIsRefused) {
    constexpr auto huge = std::uint64_t{1} << 63;
    auto const piece = [](FormatWriter& out, std::uint64_t first, std::uint64_t count, std::uint64_t parts) {
        put(out, {first, count, parts});
        out.fixed(0, 8);
    };
    auto const with = [&](std::vector<std::vector<std::uint64_t>> const& pieces) {
        return error_of_index([&](FormatWriter& out) {
            put(out,
                {1, 4, 1 + 10, 0, 1, pieces.size()});  // generation, 4 blocks of 10 bytes, attributes, files, pieces
            for (auto const& p : pieces) piece(out, p[0], p[1], p[2]);
        });
    };
    EXPECT_EQ(with({{0, 4, 1}}), "no error");
    EXPECT_EQ(with({{2, 2, 1}, {0, 2, 1}}), "no error");
    EXPECT_EQ(with({{0, 2, 1}, {3, 1, 1}}), "f: is damaged: a block is missing, or there twice");
    EXPECT_EQ(with({{0, 3, 1}, {2, 2, 1}}), "f: is damaged: a block is missing, or there twice");
    EXPECT_EQ(with({{0, 3, 1}}), "f: is damaged: a block is missing");
    EXPECT_EQ(with({}), "f: is damaged: a block is missing");
    for (auto const& wrong :
         std::vector<std::vector<std::uint64_t>>{{0, 5, 1}, {4, 1, 1}, {0, 0, 1}, {3, huge, 1}, {huge, huge, 1}}) {
        EXPECT_EQ(with({{0, 4, 1}, wrong}), "f: is damaged: a piece has blocks that do not exist");
    }
    EXPECT_EQ(with({{0, 4, 0}}), "f: is damaged: a piece has a wrong number of parts");
    EXPECT_EQ(with({{0, 4, 3}}), "f: is damaged: a piece has a wrong number of parts");
    EXPECT_EQ(error_of_index([](FormatWriter& out) {
                  put(out, {1, 0, 1, 0, 0, 7});
              }),
              "f: is damaged: a part of the file is longer than expected");
}

TEST(DiskIndex, ThatClaimsMoreThanItHasTakesNoMemory) {
    constexpr auto huge = std::uint64_t{1} << 61;
    auto const shorter = "f: is damaged: a part of the file is shorter than it says";
    EXPECT_EQ(error_of_index([&](FormatWriter& out) { put(out, {1, huge, 0, 5, 5}); }), shorter) << "sizes";
    EXPECT_EQ(error_of_index([&](FormatWriter& out) { put(out, {1, 0, 1, huge}); }), shorter) << "attributes";
    EXPECT_EQ(error_of_index([&](FormatWriter& out) { put(out, {1, 4, 2, 0, huge}); }), shorter) << "files";
    EXPECT_EQ(error_of_index([&](FormatWriter& out) { put(out, {1, 4, 2, 0, 1, huge, 0, 4}); }), shorter) << "pieces";
    auto const too_many = "f: is damaged: there are too many bytes";
    EXPECT_EQ(error_of_index([&](FormatWriter& out) { put(out, {1, huge, huge, 0, 0}); }), too_many);
    EXPECT_EQ(error_of_index([&](FormatWriter& out) { put(out, {1, 3, 0, huge, huge, 1, 0, 0}); }), too_many);
}

TEST(Archive, ThatIsNotThereOrCannotBeMadeIsAnError) {
    test::ScratchFolder const folder("disk-none");
    auto const none = folder.path() / "none";
    EXPECT_EQ(error_of([&] { open_newest(none); }), none.string() + ": cannot be read: No such file or directory");
    EXPECT_NE(error_of([&] { open_newest(folder.path()); }).find("holds no generation"), std::string::npos);
    test::write_contents(folder.path() / "file", {});
    EXPECT_NE(error_of([&] { begin_generation(folder.path() / "file" / "archive"); }).find("cannot be made"),
              std::string::npos);
}

TEST_F(TwoGenerations, WhatCannotBeWrittenIsAnErrorAndWhatIsThereStays) {
    KnownBlocks const large(std::vector<std::uint64_t>(7, 50000), 3);
    {
        test::ShortFiles const limit(100000);  // in the middle of a block
        EXPECT_NE(error_of([&] {
                      test::write_generation(archive, large, three_files);
                  }).find("3/0.data: cannot be written: File too large"),
                  std::string::npos);
    }
    remove_generation(archive, 3);
    EXPECT_FALSE(fs::exists(archive / "3"));
    EXPECT_EQ(open_newest(archive).generation.index().generation, 2u);
}

}  // namespace
}  // namespace regraft::disk
