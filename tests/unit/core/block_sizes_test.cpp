#include "regraft/core/block_sizes.hpp"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"

namespace regraft {
namespace {

BlockRange blocks(std::uint64_t first, std::uint64_t last) {
    return {BlockId{first}, BlockId{last}};
}

TEST(BlockSizes, KnowsWhereBlocksOfOneSizeBegin) {
    BlockSizes const sizes(5, 8);
    EXPECT_TRUE(sizes.equal());
    EXPECT_EQ(sizes.num_blocks(), 5u);
    EXPECT_EQ(sizes.begin(BlockId{3}), 24u);
    EXPECT_EQ(sizes.begin(BlockId{5}), 40u);
    EXPECT_EQ(sizes.bytes(BlockId{4}), 8u);
    EXPECT_EQ(sizes.bytes(blocks(1, 4)), 24u);
    EXPECT_EQ(sizes.bytes(), 40u);
}

TEST(BlockSizes, KnowsWhereBlocksOfDifferentSizesBegin) {
    BlockSizes const sizes({0, 3, 3, 10});
    EXPECT_FALSE(sizes.equal());
    EXPECT_EQ(sizes.num_blocks(), 3u);
    EXPECT_EQ(sizes.bytes(BlockId{0}), 3u);
    EXPECT_EQ(sizes.bytes(BlockId{1}), 0u);
    EXPECT_EQ(sizes.bytes(BlockId{2}), 7u);
    EXPECT_EQ(sizes.bytes(blocks(1, 3)), 7u);
    EXPECT_EQ(sizes.bytes(), 10u);
}

TEST(BlockSizes, MayHaveNoBlocks) {
    for (auto const& sizes : {BlockSizes{}, BlockSizes{0, 7}, BlockSizes{{0}}}) {
        EXPECT_EQ(sizes.num_blocks(), 0u);
        EXPECT_EQ(sizes.bytes(), 0u);
        EXPECT_EQ(sizes.cut(blocks(0, 0), 3), BlockId{0});
    }
}

TEST(BlockSizes, CutsAtTheNearestBoundary) {
    BlockSizes const equal(5, 8);
    EXPECT_EQ(equal.cut(blocks(1, 5), 11), BlockId{2});
    EXPECT_EQ(equal.cut(blocks(1, 5), 12), BlockId{2});  // as near as 3
    EXPECT_EQ(equal.cut(blocks(1, 5), 13), BlockId{3});
    EXPECT_EQ(equal.cut(blocks(1, 5), 0), BlockId{1});
    EXPECT_EQ(equal.cut(blocks(1, 5), 1000), BlockId{5});
    BlockSizes const different({0, 4, 4, 4, 10, 10});
    EXPECT_EQ(different.cut(blocks(0, 5), 2), BlockId{0});
    EXPECT_EQ(different.cut(blocks(0, 5), 3), BlockId{1});
    EXPECT_EQ(different.cut(blocks(0, 5), 7), BlockId{1});
    EXPECT_EQ(different.cut(blocks(0, 5), 8), BlockId{4});
    EXPECT_EQ(different.cut(blocks(0, 5), 10), BlockId{5});
    EXPECT_EQ(different.cut(blocks(2, 5), 0), BlockId{2});
}

TEST(BlockSizes, CutsBlocksOfSizeZeroBehind) {
    EXPECT_EQ(BlockSizes(4, 0).cut(blocks(1, 3), 0), BlockId{3});
    EXPECT_EQ(BlockSizes({0, 0, 0}).cut(blocks(0, 2), 5), BlockId{2});
}

TEST(BlockSizes, DoesNotOverflow) {
    auto const most = std::numeric_limits<std::uint64_t>::max();
    BlockSizes const one(1, most);
    EXPECT_EQ(one.bytes(), most);
    EXPECT_EQ(one.cut(blocks(0, 1), most / 2), BlockId{0});
    EXPECT_EQ(one.cut(blocks(0, 1), most / 2 + 1), BlockId{1});
    EXPECT_EQ(BlockSizes(most, 1).begin(BlockId{most}), most);
}

/// Equal sizes are the same as listed ones, and no other boundary is nearer.
TEST(BlockSizes, CutsLikeASearch) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const num_blocks = 1 + random.below(8);
        auto const each = 1 + random.below(6);
        std::vector<std::uint64_t> begins{0};
        for (std::uint64_t b = 0; b < num_blocks; ++b) {
            begins.push_back(begins.back() + (seed % 2 == 0 ? each : random.below(6)));
        }
        BlockSizes const sizes(begins);
        for (std::uint64_t first = 0; first <= num_blocks; ++first) {
            for (std::uint64_t last = first; last <= num_blocks; ++last) {
                auto const all = begins[last] - begins[first];
                for (std::uint64_t bytes = 0; bytes <= all + 1; ++bytes) {
                    auto best = first;
                    auto const distance = [&](std::uint64_t b) {
                        auto const at = begins[b] - begins[first];
                        return at < bytes ? bytes - at : at - bytes;
                    };
                    for (auto b = first; b <= last; ++b) {
                        if (distance(b) < distance(best)) best = b;
                    }
                    if (bytes >= all) best = last;
                    ASSERT_EQ(sizes.cut(blocks(first, last), bytes), BlockId{best});
                    if (seed % 2 == 0) {
                        ASSERT_EQ(BlockSizes(num_blocks, each).cut(blocks(first, last), bytes), BlockId{best});
                    }
                }
            }
        }
    }
}

TEST(BlockSizes, RemembersAnySizes) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        std::vector<std::uint64_t> const counts{0, 1, 63, 64, 65, 127, 128, 500};
        auto const widest = std::uint64_t{1} << random.below(54);
        std::vector<std::uint64_t> begins{0};
        for (auto left = counts[seed % counts.size()]; left > 0; --left) {
            begins.push_back(begins.back() + (random.below(4) == 0 ? 0 : widest + random.below(widest)));
        }
        BlockSizes const sizes(begins);
        ASSERT_EQ(sizes.num_blocks(), begins.size() - 1);
        for (std::size_t i = 0; i < begins.size(); ++i) ASSERT_EQ(sizes.begin(BlockId{i}), begins[i]) << "block " << i;
        EXPECT_EQ(sizes, BlockSizes(begins));
    }
}

TEST(BlockSizes, FindsTheFirstBlockFromAPlaceOn) {
    BlockSizes const equal(5, 8);
    BlockSizes const different({0, 4, 4, 4, 10, 10});
    EXPECT_EQ(equal.first_from(0), BlockId{0});
    EXPECT_EQ(equal.first_from(8), BlockId{1});
    EXPECT_EQ(equal.first_from(9), BlockId{2});
    EXPECT_EQ(equal.first_from(1000), BlockId{5});
    EXPECT_EQ(different.first_from(0), BlockId{0});
    EXPECT_EQ(different.first_from(1), BlockId{1});
    EXPECT_EQ(different.first_from(5), BlockId{4});
    EXPECT_EQ(different.first_from(11), BlockId{5});
}

TEST(BlockSizes, TakesTwoOrThreeBytesForABlock) {
    auto const bytes_each = [](auto size_of) {
        constexpr std::uint64_t num_blocks = 100'000;
        std::vector<std::uint64_t> begins{0};
        for (std::uint64_t i = 0; i < num_blocks; ++i) begins.push_back(begins.back() + size_of(i));
        return static_cast<double>(BlockSizes(begins).memory()) / num_blocks;
    };
    Random random(1);
    EXPECT_LE(bytes_each([](std::uint64_t i) { return i == 99'999 ? 7 : 4096; }), 0.4) << "all but the last one";
    EXPECT_LE(bytes_each([&](std::uint64_t) { return 20 + random.below(128); }), 2);
    EXPECT_LE(bytes_each([&](std::uint64_t) { return random.below(32 << 10); }), 3);
}

TEST(BlockSizesDeathTest, RefusesWhatIsNoList) {
    EXPECT_DEATH(BlockSizes(std::vector<std::uint64_t>{}), "precondition");
    EXPECT_DEATH(BlockSizes(std::vector<std::uint64_t>{1, 2}), "precondition");
    EXPECT_DEATH(BlockSizes(std::uint64_t{1} << 32, std::uint64_t{1} << 32), "precondition");
}

}  // namespace
}  // namespace regraft
