// MAPLE: rows as differences to a reference that is no row.
#include "regraft/msa/maple.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "regraft/msa/difference_parts.hpp"

namespace regraft::msa {
namespace {

DifferenceText read(std::string_view text) {
    return read_maple(
        [text](std::span<char> buffer) mutable {
            auto const size = std::min({text.size(), buffer.size(), std::size_t{5}});
            std::copy_n(text.begin(), size, buffer.begin());
            text.remove_prefix(size);
            return size;
        },
        "f");
}

std::string written(DifferenceText const& text) {
    std::string result;
    write_maple(text.rows, text.layout, [&](std::string_view piece) { result += piece; });
    return result;
}

std::vector<std::string> rows(std::string_view text) {
    auto const alignment = to_alignment(read(text).rows);
    std::vector<std::string> result;
    for (std::size_t row = 0; row < alignment.num_taxa(); ++row)
        result.push_back(alignment.names[row] + ": " + std::string(alignment.row(row)));
    return result;
}

std::string error_of(std::string_view text) {
    try {
        read(text);
    } catch (InputError const& error) {
        return error.what();
    }
    return "no error";
}

constexpr std::string_view small = ">ref\nacgtac\n>a\nn\t1\t2\ng\t4\n-\t6\t1\n>b\n>c\ny\t2\ny\t3\nt\t6\n";

TEST(Maple, HasRowsButNotItsReference) {
    EXPECT_EQ(rows(small), (std::vector<std::string>{"a: nngga-", "b: acgtac", "c: ayytat"}));
    EXPECT_EQ(read(small).layout.descriptions, std::vector<std::string>{"ref"});
}

TEST(Maple, IsWrittenAgainIfItIsRegular) {
    EXPECT_EQ(written(read(small)), small);
    for (std::string_view const text :
         {">r x\r\nACG\r\nTA\r\n>a\r\nN\t1\t5\r\n", ">r\nacgu\n>a\nu\t1", ">r\nacg\nta\n>a\n>b\n"})
        EXPECT_EQ(written(read(text)), text);
}

TEST(Maple, IsTheSameAlignmentIfItIsNot) {
    EXPECT_EQ(written(read(">r\nacgtac\n>a words\nN 1\nn\t2\t1\n\ng\t3\nG\t4\nT\t5\t2\n")),
              ">r\nacgtac\n>a\nn\t1\t2\ng\t4\nt\t5\nt\t6\n");
    EXPECT_EQ(written(read(">r\nACGTAC\n>a\nt\t1\nu\t2\ny\t3\n")), ">r\nACGTAC\n>a\nT\t1\nT\t2\nY\t3\n");
}

TEST(Maple, SaysWhatIsWrong) {
    EXPECT_EQ(error_of("acgt\n"), "f:1:1: expected '>' and the name of the reference");
    EXPECT_EQ(error_of(">r\nacnt\n>a\nt\t1\n"),
              "f:2:3: 'n' is no base of the reference; expected A, C, G and T, or U, alone");
    EXPECT_EQ(error_of(">r\n>a\nt\t1\n"), "f:2:1: the reference has no bases");
    EXPECT_EQ(error_of(">r\nacgt\n"), "f:2:1: expected rows behind the reference");
    EXPECT_EQ(error_of(">r\nacgt\n>a\nt\t5\n"), "f:4:1: goes beyond the reference, which has 4 sites");
    EXPECT_EQ(error_of(">r\nacgt\n>a\nn\t4\t2\n"), "f:4:1: goes beyond the reference, which has 4 sites");
    EXPECT_EQ(error_of(">r\nacgt\n>a\nn\t4\t18446744073709551615\n"),
              "f:4:1: goes beyond the reference, which has 4 sites");
    EXPECT_EQ(error_of(">r\nacgt\n>a\nn\t1\t3\nt\t3\n"),
              "f:5:1: site 3 comes behind site 3; expected that sites ascend");
    EXPECT_EQ(error_of(">r\nacgt\n>a\nt\t0\n"), "f:4:3: expected a site, counted from 1, found '0'");
    EXPECT_EQ(error_of(">r\nacgt\n>a\nt\n"),
              "f:4:1: expected a character, a tab and a site, or '>' and a name, found 't'");
    EXPECT_EQ(error_of(">r\nacgt\n>a\nt\t1\tx\n"), "f:4:5: expected a number of sites, found 'x'");
    EXPECT_EQ(error_of(">r\nacgt\n>a\nt\t1\t1\t1\n"), "f:4:7: expected the end of the line, found '1'");
    EXPECT_EQ(error_of(">r\nacgt\n>a\n5\t1\n"), "f:4:1: '5' is no DNA symbol");
    EXPECT_EQ(error_of(">r\nacgt\n>a\n\n>a\nt\t1\n"), "f:5:2: taxon 'a' is already on line 3");
    EXPECT_EQ(error_of(">r\nacgt\n>\n"), "f:3:2: a taxon's name is missing");
}

TEST(Maple, IsFoundByItsFirstDifference) {
    EXPECT_EQ(is_maple(small), true);
    EXPECT_EQ(is_maple(">r\nac\ngt\n\n>a\n>b\nt\t1"), true);
    EXPECT_EQ(is_maple(">r\nacgt\n>a\n>b\nt"), std::nullopt) << "more is needed";
    EXPECT_EQ(is_maple(">r\nac"), std::nullopt);
    EXPECT_EQ(is_maple(">a\nACGT\n>b\nACGA\n"), false);
    EXPECT_EQ(is_maple(">a\n0\t1\n>b\n1\t1\n"), false) << "a reference consists of letters";
    EXPECT_EQ(is_maple(">a\n>b\nt\t1\n"), false);
    EXPECT_EQ(is_maple("4 5\n"), false);
    EXPECT_EQ(find_format(small), InputFormat::maple);
    EXPECT_EQ(find_format(">a\nACGT\n"), InputFormat::fasta);
}

TEST(Maple, IsExpandedWhereCellsAreNeeded) {
    auto const alignment = parse_alignment(small, "f");
    EXPECT_EQ(alignment.cells, to_alignment(read(small).rows).cells);
    EXPECT_FALSE(alignment.is_verbatim);
    std::string text = ">r\n" + std::string(200'000, 'a') + "\n>0\nc\t1\n";
    for (int row = 1; row < 3000; ++row) text += ">" + std::to_string(row) + "\n";
    EXPECT_THROW(parse_alignment(text, "f"), InputError) << "600 MB";
}

TEST(Maple, LowersItsLetters) {
    auto const rows = to_differences(parse_alignment(">a\nACGTA?\n>b\nACRTX-\n>c\nACGTAC\n", "f"));
    EXPECT_EQ(written({in_lower_case(rows), {.format = TextFormat::maple, .descriptions = {"r"}}}),
              ">r\nacgtac\n>a\nn\t6\t1\n>b\nr\t3\nn\t5\t1\n-\t6\t1\n>c\n");
    EXPECT_THROW(in_lower_case(to_differences(parse_alignment(">a\nACE\n>b\nACG\n", "f"))), InputError);
}

}  // namespace
}  // namespace regraft::msa
