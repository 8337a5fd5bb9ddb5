#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/bytes.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/digest.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/core/random.hpp"

namespace regraft {
namespace {

BlockRange blocks(std::uint64_t first, std::uint64_t last) {
    return {BlockId{first}, BlockId{last}};
}

TEST(IdRange, IntersectsToTheCommonPartOrToNothing) {
    EXPECT_EQ(intersect(blocks(2, 7), blocks(5, 9)), blocks(5, 7));
    EXPECT_EQ(intersect(blocks(2, 7), blocks(3, 4)), blocks(3, 4));
    EXPECT_TRUE(intersect(blocks(2, 4), blocks(4, 9)).empty());
    EXPECT_TRUE(intersect(blocks(7, 9), blocks(1, 3)).empty());
}

TEST(IdRange, EvenPartsCoverEverythingOnceAndDifferByAtMostOne) {
    for (std::uint64_t n : {0ULL, 1ULL, 5ULL, 17ULL, 1000ULL}) {
        for (std::uint64_t parts : {1ULL, 2ULL, 7ULL, 20ULL}) {
            auto next = BlockId{0};
            for (std::uint64_t i = 0; i < parts; ++i) {
                auto const part = even_part<BlockId>(n, i, parts);
                EXPECT_EQ(part.first, next);
                EXPECT_GE(part.size(), n / parts);
                EXPECT_LE(part.size(), (n + parts - 1) / parts);
                next = part.last;
            }
            EXPECT_EQ(next, BlockId{n});
        }
    }
}

TEST(IdRange, EvenPartsDoNotOverflow) {
    auto const n = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(even_part<BlockId>(n, 9, 10).last, BlockId{n});
}

TEST(Csr, GivesBackItsRows) {
    Csr<int> rows;
    rows.push_row(std::vector{1, 2});
    rows.end_row();
    rows.push_value(3);
    rows.end_row();
    CsrView<int> const view = rows;
    ASSERT_EQ(view.size(), 3u);
    EXPECT_EQ(view[0].size(), 2u);
    EXPECT_TRUE(view[1].empty());
    EXPECT_EQ(view[2][0], 3);
    EXPECT_EQ(CsrView<int>{}.size(), 0u);
}

TEST(Random, SequenceIsFixedForAllTime) {
    Random random(1);
    std::array<std::uint64_t, 3> const first{random.bits(), random.bits(), random.bits()};
    Random again(1);
    for (auto expected : first) EXPECT_EQ(again.bits(), expected);
    EXPECT_EQ(first[0], 12966619160104079557ULL);
}

TEST(Random, BelowStaysBelowAndReachesEverything) {
    Random random(7);
    std::array<int, 5> seen{};
    for (int i = 0; i < 500; ++i) ++seen.at(random.below(5));
    for (int count : seen) EXPECT_GT(count, 50);
    EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, ShufflePermutes) {
    std::vector<int> items{1, 2, 3, 4, 5, 6};
    auto shuffled = items;
    Random random(3);
    shuffle(std::span(shuffled), random);
    EXPECT_TRUE(std::is_permutation(items.begin(), items.end(), shuffled.begin()));
    EXPECT_NE(items, shuffled);
}

TEST(Bytes, ComeBackInOrder) {
    ByteWriter writer;
    writer.put(std::uint32_t{7});
    writer.put_text("tree");
    writer.put_all(std::span<double const>(std::array{1.5, -2.5}));
    auto const bytes = writer.take();
    ByteReader reader(bytes);
    EXPECT_EQ(reader.get<std::uint32_t>(), 7u);
    EXPECT_EQ(reader.get_text(), "tree");
    EXPECT_EQ(reader.get_all<double>(), (std::vector{1.5, -2.5}));
    EXPECT_TRUE(reader.empty());
}

TEST(InputError, NamesFileLineAndColumnAsFarAsKnown) {
    EXPECT_STREQ(InputError({"a.phy", 3, 9}, "no").what(), "a.phy:3:9: no");
    EXPECT_STREQ(InputError({"a.phy", 3, 0}, "no").what(), "a.phy:3: no");
    EXPECT_STREQ(InputError({"a.phy"}, "no").what(), "a.phy: no");
}

enum class Colour : std::uint8_t { red, blue };

void paint(Colour colour, std::size_t strokes, char const* name) {
    REGRAFT_EXPECTS(strokes < 3);
    REGRAFT_EXPECTS(colour != Colour::blue && "blue is sold out");
    REGRAFT_EXPECTS(strokes == 0 || name != nullptr);
    REGRAFT_EXPECTS(name == nullptr || std::string_view(name) <= "m");
}

TEST(ContractsDeathTest, NameTheCallTheConditionAndTheValues) {
    paint(Colour::red, 0, nullptr);
    EXPECT_DEATH(paint(Colour::red, 7, "a"), R"(paint\(.*size_t.*\): precondition broken: strokes < 3, with 7 < 3)");
    EXPECT_DEATH(paint(Colour::blue, 0, "a"), R"(precondition broken: colour != .*, with 1 != 1)");
    EXPECT_DEATH(paint(Colour::red, 1, nullptr), R"(precondition broken: strokes == 0 .* nullptr, with 1 == 0)");
    EXPECT_DEATH(paint(Colour::red, 1, "zebra"), R"(precondition broken: name == .*"m", with)");
}

TEST(CheckedCastDeathTest, RefusesToChangeAValue) {
    EXPECT_EQ(checked_cast<int>(std::uint64_t{5}), 5);
    EXPECT_DEATH(static_cast<void>(checked_cast<int>(std::uint64_t{1} << 31)), "precondition broken");
}

TEST(Bytes, ThatEndTooEarlyAreRefused) {
    EXPECT_THROW(static_cast<void>(ByteReader({}).get<int>()), InputError);
    ByteWriter many;
    many.put(std::uint64_t{1} << 60);
    EXPECT_THROW(static_cast<void>(ByteReader(many.bytes()).get_all<double>()), InputError);
    EXPECT_THROW(static_cast<void>(ByteReader(many.bytes()).get_count(1)), InputError);
    ByteWriter flags;
    for (int const byte : {1, 0, 2}) flags.put(static_cast<std::uint8_t>(byte));
    ByteReader reader(flags.bytes());
    EXPECT_TRUE(reader.get_flag());
    EXPECT_FALSE(reader.get_flag());
    EXPECT_THROW(static_cast<void>(reader.get_flag()), InputError);
}

TEST(Digest, IsThatOfXxh3) {
    EXPECT_EQ(digest({}), (Digest{0x6001c324468d497f, 0x99aa06d3014798d8}));
    std::string_view const text = "ACGT";
    EXPECT_NE(digest(std::as_bytes(std::span(text))), digest(std::as_bytes(std::span(text).first(3))));
}

}  // namespace
}  // namespace regraft
