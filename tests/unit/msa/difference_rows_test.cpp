#include "regraft/msa/difference_rows.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/msa/alignment.hpp"
#include "support/msa/surveillance.hpp"

namespace regraft::msa {
namespace {

/// Reads a text that comes in pieces of a size.
std::optional<DifferenceText> read(std::string_view text, std::size_t piece = ~std::size_t{0}) {
    return read_differences(pieces_of(text, piece));
}

std::string written(DifferenceText const& text) {
    std::string result;
    write_text(text.rows, text.layout, [&](std::string_view piece) { result += piece; });
    return result;
}

TEST(DifferenceRows, HaveTheMostFrequentLettersAsReference) {
    auto const text = read(">a\nACGTACGT\n>b\nACNNAC-T\n>c x y\nTCGTACGR\n");
    ASSERT_TRUE(text);
    auto const& rows = text->rows;
    EXPECT_EQ(rows.names, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(rows.reference_text(), "ACGTACGT");
    EXPECT_TRUE(rows.differences[0].empty() && rows.differences[1].empty());
    ASSERT_EQ(rows.differences[2].size(), 1U);
    EXPECT_EQ(rows.differences[2][0], (SiteLetter{0, 3}));
    EXPECT_TRUE(std::ranges::equal(rows.runs[1], std::vector<CharacterRun>{{2, 2, 'N'}, {6, 1, '-'}}));
    EXPECT_TRUE(std::ranges::equal(rows.runs[2], std::vector<CharacterRun>{{7, 1, 'R'}}));
    EXPECT_EQ(text->layout.descriptions, (std::vector<std::string>{"", "", " x y"}));
}

TEST(DifferenceRows, KnowTheLettersOfRnaAndOfLowerCase) {
    EXPECT_EQ(read(">a\nacgtacgu\n")->rows.reference_text(), "acgtacga");
    EXPECT_EQ(read(">a\nACGUUCGT\n")->rows.reference_text(), "ACGUUCGA");
    EXPECT_EQ(read(">a\nACGTacg\n>b\nAACCacg\n")->rows.reference_text().substr(0, 2), "AA");
}

TEST(DifferenceRows, GiveTheTextAgainInItsLayout) {
    for (std::string const text : {
             ">a\nACGT\n",
             ">a\nACGT",
             ">a\r\nACGT\r\n>b\r\nACGA\r\n",
             ">a\r\nACGT\r\n>b\r\nACGA",
             ">a x\nAC\nGT\n>b\nAC\nGA\n",
             ">a\nACG\nTT\n>b y \nACG\nTA",
             ">a\tx\nA\n",
             ">a\nA\nC\n>b\nA\nC\n",
             ">1|2\nACGTNNNNNNNNNNNNNN--RYacgtx!~\n>2\nACGTACGTACGTACGTACGTACGTACGTA\n",
         }) {
        for (std::size_t const piece : {1, 3, 1000}) {
            auto const found = read(text, piece);
            ASSERT_TRUE(found) << text;
            EXPECT_EQ(written(*found), text);
        }
    }
}

TEST(DifferenceRows, AreTheCellsOfTheAlignment) {
    auto const text = test::surveillance_text({.taxa = 700, .sites = 900, .seed = 3});
    auto const alignment = parse_alignment(text, "f");
    auto const found = read(text, 1000);
    ASSERT_TRUE(found);
    auto const reference = found->rows.reference_text();
    for (std::size_t row = 0; row < alignment.num_taxa(); ++row) {
        auto cells = reference;
        found->rows.write_row(row, cells);
        ASSERT_EQ(cells, alignment.row(row)) << row;
    }
    EXPECT_EQ(written(*found), text);
}

TEST(DifferenceRows, AreNotReadFromOtherTexts) {
    for (std::string const text : {
             "",
             "\n",
             "ACGT\n",
             " 1 4\na ACGT\n",
             "\n>a\nACGT\n",
             ">\nACGT\n",
             "> a\nACGT\n",
             ">a\n",
             ">a\n>b\n",
             ">a\nACGT\n>b\nACG\n",
             ">a\nACGT\n>b\nACGTA\n",
             ">a\nAC\nGT\n>b\nACG\nT\n",
             ">a\nAC\nG\nT\n",
             ">a\nACGT\n\n>b\nACGT\n",
             ">a\nACGT\n>b\nACGT\n\n",
             ">a\nAC GT\n",
             ">a\nACGT\n>a\nACGT\n",
             ">a\nACGT\r\n",
             ">a\r\nACGT\n",
             ">a\nACGT\r",
             ">a\nAC\x01T\n",
             ">a\x01\nACGT\n",
             ">a\nACGT\n>b\nAC\x80T\n",
             ">P1;a\nGATTACA\nACGT*\n>P1;b\nCATTAGA\nACGA*\n",  // PIR
             "\xef\xbb\xbf>a\nACGT\n",
         }) {
        EXPECT_FALSE(read(text)) << testing::PrintToString(text);
    }
}

TEST(DifferenceRows, AreNotReadIfRowsDifferMuch) {
    std::string text;
    for (std::size_t row = 0; row < 1000; ++row) {
        text += ">" + std::to_string(row) + "\n";
        for (std::size_t site = 0; site < 1000; ++site) text += "ACGT"[(row * site * site + row) % 101 % 4];
        text += '\n';
    }
    EXPECT_FALSE(read(text));
}

TEST(DifferenceRows, AreReadLikeOthersAndPutBehindThem) {
    auto text = read(">a x\nACGTACGT\n>b\nACGTNNGT\n").value();
    auto const more = [&](std::string_view added) { return read_differences(pieces_of(added), text.rows); };
    EXPECT_FALSE(more(">c\nACGTACG\n"));
    EXPECT_FALSE(more(">c\nACGTACGT\n>c\nACGTACGT\n"));
    auto const added = more(">c\nAC\nTT\nAC\nGU\n>d y\nTT\nTT\nTT\nTT\n").value();
    EXPECT_EQ(added.rows.reference, text.rows.reference);
    EXPECT_EQ(added.rows.runs[0][0], (CharacterRun{7, 1, 'U'}));
    append(text, added);
    EXPECT_EQ(written(text), ">a x\nACGTACGT\n>b\nACGTNNGT\n>c\nACTTACGU\n>d y\nTTTTTTTT\n");
}

TEST(DifferenceRows, TellTheSizeOfTheirText) {
    for (std::string_view const text :
         {">a\nACGT\n", ">a x\r\nACG\r\nTTT\r\nA\r\n>b\r\nACG\r\nTTT\r\nA", ">a\nAC\nGT\n"}) {
        auto const found = read(text).value();
        EXPECT_EQ(text_size(found.rows, found.layout), text.size());
    }
}

}  // namespace
}  // namespace regraft::msa
