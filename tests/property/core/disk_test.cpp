// Blocks that were cut and dealt to files in any way are read again by any number of readers.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/bytes.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/format_bytes.hpp"
#include "regraft/core/random.hpp"
#include "regraft/core/united.hpp"
#include "regraft/disk/archive.hpp"
#include "regraft/disk/generation.hpp"
#include "support/store/archives.hpp"

namespace regraft::disk {
namespace {

test::KnownBlocks random_blocks(Random& random, std::uint64_t seed) {
    auto const count = random.below(seed < 4 ? seed + 1 : 60);
    constexpr std::uint64_t most[]{1, 40, 3000, 90000};
    auto const largest = most[random.below(4)];
    if (random.below(3) == 0) return {BlockSizes(count, random.below(largest + 1)), seed};
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t i = 0; i < count; ++i) sizes.push_back(random.below(4) == 0 ? 0 : random.below(largest + 1));
    return {sizes, seed};
}

/// Deals the blocks to files, in pieces of random lengths and in random order.
Csr<BlockRange> random_files(Random& random, std::uint64_t count) {
    std::vector<BlockRange> pieces;
    for (std::uint64_t first = 0; first < count;) {
        auto const last = std::min(count, first + 1 + random.below(10));
        pieces.push_back({BlockId{first}, BlockId{last}});
        first = last;
    }
    for (auto i = pieces.size(); i > 1; --i) std::swap(pieces[i - 1], pieces[random.below(i)]);
    Csr<BlockRange> files;
    for (auto const& piece : pieces) {
        while (random.below(4) == 0) files.end_row();
        files.push_value(piece);
    }
    files.end_row();
    return files;
}

TEST(Generation, GivesTheBytesOfAnyRangeHoweverTheyWereWritten) {
    test::ScratchFolder const folder("disk-property");
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const blocks = random_blocks(random, seed);
        auto const count = blocks.sizes.num_blocks();
        auto const number = test::write_generation(folder.path(), blocks, random_files(random, count));
        Generation generation(folder.path(), number);
        auto const readers = 1 + random.below(9);
        std::vector<std::byte> all;
        for (std::uint64_t reader = 0; reader < readers; ++reader) {
            auto const share = even_part<BlockId>(count, reader, readers);
            all.resize(all.size() + blocks.sizes.bytes(share));
            generation.read(share, std::span(all).last(blocks.sizes.bytes(share)));
        }
        EXPECT_EQ(all, blocks.bytes);
        for (int i = 0; i < 10; ++i) {
            auto const first = random.below(count + 1);
            BlockRange const range{BlockId{first}, BlockId{first + random.below(count - first + 1)}};
            std::vector<std::byte> out(blocks.sizes.bytes(range));
            generation.read(range, out);
            ASSERT_TRUE(std::ranges::equal(out, blocks.of(range)));
        }
        remove_older(folder.path(), number, 1);
    }
}

TEST(Generation, WithAnyByteOfItsDataChangedIsNeverTakenForRight) {
    test::ScratchFolder const folder("disk-damage");
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const blocks = random_blocks(random, seed);
        auto const files = random_files(random, blocks.sizes.num_blocks());
        auto const number = test::write_generation(folder.path(), blocks, files);
        auto const chosen = random.below(files.size() + 1);
        auto const path =
            chosen == files.size() ? index_path(folder.path(), number) : data_path(folder.path(), number, chosen);
        auto bytes = test::file_contents(path);
        bytes[random.below(bytes.size())] ^= static_cast<std::byte>(1 + random.below(255));
        test::write_contents(path, bytes);
        EXPECT_THROW(open_newest(folder.path()), InputError);
        remove_generation(folder.path(), number);
    }
}

TEST(Index, WithOtherBytesAndTheirChecksumIsRefusedOrTellsOfEveryBlockOnce) {
    int refused = 0, taken = 0;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const blocks = random_blocks(random, seed % 50);
        auto index = test::index_of(blocks, random_files(random, blocks.sizes.num_blocks()));
        index.generation = 1;
        auto bytes = encode(index);
        bytes.resize(bytes.size() - 8);
        for (auto changes = 1 + random.below(3); changes > 0; --changes) {
            bytes[5 + random.below(bytes.size() - 5)] = static_cast<std::byte>(random.below(256));
        }
        FormatWriter out;
        out.append(bytes);
        out.fixed(hash(bytes), 8);
        try {
            auto const decoded = decode(out.bytes(), "f", 1);
            std::vector<BlockRange> ranges;
            for (auto const& piece : decoded.files.values) ranges.push_back(piece.blocks);
            auto const all = united(ranges);
            auto const count = decoded.sizes.num_blocks();
            std::uint64_t sum = 0;
            for (auto const& range : ranges) sum += range.size();
            EXPECT_EQ(sum, count);
            EXPECT_TRUE(count == 0 ? all.empty() : all == std::vector({BlockRange{BlockId{0}, BlockId{count}}}));
            for (std::size_t file = 0; file < decoded.files.size(); ++file) {
                EXPECT_LT(file_bytes(decoded, file), std::uint64_t{1} << 63);
            }
            ++taken;
        } catch (InputError const&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 300);
    EXPECT_GT(taken, 300) << "of changed seals and attributes, say";
}

}  // namespace
}  // namespace regraft::disk
