#include "regraft/msa/text_layout.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"
#include "regraft/core/zstd.hpp"

namespace regraft::msa {
namespace {

TextLayout layout(std::string const& text) {
    auto const alignment = parse_alignment(text, "f");
    auto const result = layout_of(text, alignment);
    EXPECT_EQ(to_text(alignment, result), text);
    return result;
}

TEST(TextLayout, DescribesRegularFasta) {
    EXPECT_EQ(layout(">a\nACGT\n>b\nAC-T\n"), TextLayout{});
    EXPECT_EQ(layout(">a\nACG\nT\n>b\nAC-\nT\n"), TextLayout{.line_width = 3});
    EXPECT_EQ(layout(">a\r\nAC\r\n>b\r\nAC\r\n"), TextLayout{.carriage_returns = true});
    EXPECT_EQ(layout(">a\nAC\n>b\nAC"), TextLayout{.ends_with_newline = false});
    EXPECT_EQ(layout(">a\n>b\n"), TextLayout{});
    EXPECT_EQ(layout(">a"), TextLayout{.ends_with_newline = false});
}

TEST(TextLayout, KeepsWhatFollowsNames) {
    EXPECT_EQ(layout(">a one\nA\n>b\nC\n>c\tthree \n-\n"), (TextLayout{.descriptions = {" one", "", "\tthree "}}));
    EXPECT_EQ(layout(">a \r\nA\r\n"), (TextLayout{.carriage_returns = true, .descriptions = {" "}}));
}

TEST(TextLayout, DescribesRegularPhylip) {
    EXPECT_EQ(layout("2 4\na ACGT\nbcd AC-T\n"), TextLayout{.format = TextFormat::phylip});
    EXPECT_EQ(layout("2 4\na   ACGT\nbcd AC-T\n"), (TextLayout{.format = TextFormat::phylip, .name_width = 4}));
    EXPECT_EQ(layout("2 4\na  ACGT\nbcd AC-T\n"), (TextLayout{.format = TextFormat::phylip, .name_width = 3}));
    EXPECT_EQ(layout("2 4\na  AC\nGT\nbcd AC\n-T"),
              (TextLayout{.format = TextFormat::phylip, .line_width = 2, .name_width = 3, .ends_with_newline = false}));
    EXPECT_EQ(layout("2 0\na\nb\n"), TextLayout{.format = TextFormat::phylip});
    EXPECT_EQ(layout("1 1\na" + std::string(max_name_width - 1, ' ') + "A\n").name_width, max_name_width);
}

TEST(TextLayout, KeepsAnyOtherTextAsItIs) {
    for (std::string const text :
         {"> a\nAC\n", ">a\n\nAC\n", ">a\nAC\n\n", ">a\nA C\n", ">a\nAC\r\n", ">a\rAC\r", "\xef\xbb\xbf>a\nAC\n",
          ">a\nA\nC\n>b\nAC\n", ">a\n\n>b\n\n", ">a\nAC \n", "\n>a\nAC\n", " 1 2\na AC\n", "1 2\na\tAC\n",
          "1 2\na\nAC\n", "2 4\na AC\nb GT\n\nAC\nGT\n", "2 4\na AC\nb GT\nAC\nGT", "01 2\na AC\n"}) {
        EXPECT_FALSE(layout(text).skeleton.empty()) << text;
    }
    EXPECT_FALSE(layout("1 1\na" + std::string(max_name_width, ' ') + "A\n").skeleton.empty());
}

TEST(TextLayout, TakesLittleForARepeatedPattern) {
    std::string text = " 20 60\n";
    for (int block = 0; block < 2; ++block) {
        for (int row = 0; row < 20; ++row) {
            if (block == 0) text += std::string(9, 't') + static_cast<char>('a' + row) + " ";
            text += "ACGTACGTAC ACGTACGTAC ACGTACGTAC\n";
        }
        text += "\n";
    }
    EXPECT_LT(layout(text).skeleton.size(), 100u);
}

std::vector<std::byte> bytes_of(std::vector<int> const& numbers, std::string const& literals) {
    std::vector<std::byte> bytes;
    for (auto const number : numbers) bytes.push_back(static_cast<std::byte>(number));
    for (char const c : literals) bytes.push_back(static_cast<std::byte>(c));
    return bytes;
}

std::string outcome(std::vector<std::byte> const& skeleton) {
    auto const alignment = parse_alignment(">a\nAC\n>b\nGT\n", "f");
    try {
        return to_text(alignment, {.skeleton = zstd_compress(skeleton, 3)});
    } catch (InputError const&) {
        return "refused";
    }
}

TEST(TextLayout, RefusesSkeletonsOfOtherAlignments) {
    EXPECT_EQ(outcome(bytes_of({2, 1, 0, 2, 1, 1, 2}, "xyz")), "xACyGTz");
    EXPECT_EQ(outcome(bytes_of({4, 0, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1}, "")), "AGCT");
    EXPECT_EQ(outcome(bytes_of({2, 1, 0, 2, 1, 1, 1}, "xyz")), "refused") << "a cell is left";
    EXPECT_EQ(outcome(bytes_of({2, 1, 0, 2, 1, 1, 3}, "xyz")), "refused") << "a row is too long";
    EXPECT_EQ(outcome(bytes_of({2, 1, 0, 2, 1, 2, 2}, "xyz")), "refused") << "no such row";
    EXPECT_EQ(outcome(bytes_of({2, 1, 0, 2, 3, 1, 2}, "xyz")), "refused") << "not so many bytes";
    EXPECT_EQ(outcome(bytes_of({3, 1, 0, 2, 1, 1, 2}, "")), "refused") << "not so many runs";
    EXPECT_EQ(outcome(bytes_of({255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, "")), "refused");
    EXPECT_EQ(outcome({}), "refused");
}

TEST(TextLayout, RefusesBytesThatAreNoFrame) {
    auto const alignment = parse_alignment(">a\nAC\n", "f");
    auto const good = zstd_compress(bytes_of({1, 3, 0, 2}, ">a\n\n"), 3);
    EXPECT_EQ(to_text(alignment, {.skeleton = good}), ">a\nAC\n");
    for (std::size_t size = 1; size < good.size(); ++size) {
        EXPECT_THROW(to_text(alignment, {.skeleton = {good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}}),
                     InputError);
    }
    auto longer = good;
    longer.push_back({});
    EXPECT_THROW(to_text(alignment, {.skeleton = longer}), InputError);
}

TEST(Zstd, StopsAtTheLimit) {
    std::vector<std::byte> const zeros(1 << 20);
    auto const frame = zstd_compress(zeros, 3);
    EXPECT_LE(zeros.size(), zstd_max_content(frame.size()));
    EXPECT_EQ(zstd_decompress(frame, zeros.size()), zeros);
    EXPECT_THROW(zstd_decompress(frame, zeros.size() - 1), InputError);
    EXPECT_TRUE(zstd_decompress(zstd_compress({}, 3), 0).empty());
}

TEST(Zstd, CompressesPiecesToOneFrame) {
    std::vector<std::byte> bytes(700'000);
    Random random(1);
    for (auto& byte : bytes) byte = std::byte(random.below(5));
    auto const all = std::span<std::byte const>(bytes);
    for (std::size_t const cut : {0UL, 1UL, 26UL, 131'072UL, 699'999UL, 700'000UL}) {
        SCOPED_TRACE(cut);
        auto const frame = zstd_compress_pieces(std::array{all.first(cut), all.subspan(cut)}, 3);
        EXPECT_LT(frame.size(), bytes.size() / 2);
        EXPECT_EQ(zstd_decompress(frame, bytes.size()), bytes);
    }
    EXPECT_TRUE(zstd_decompress(zstd_compress_pieces(std::array<std::span<std::byte const>, 0>{}, 1), 0).empty());
}

}  // namespace
}  // namespace regraft::msa
