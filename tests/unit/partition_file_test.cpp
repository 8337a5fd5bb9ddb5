#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "regraft/msa/partition.hpp"
#include "unit/data_path.hpp"

namespace regraft::msa {
namespace {

using Sites = std::vector<std::uint64_t>;

std::vector<PartitionSpec> parse(std::string const& text, std::uint64_t num_sites) {
    return parse_partitions(text, "f", num_sites);
}

std::string error_of(std::string const& text, std::uint64_t num_sites) {
    try {
        parse(text, num_sites);
    } catch (InputError const& e) {
        return e.what();
    }
    return "no error";
}

TEST(PartitionFile, ReadsModelsNamesAndRanges) {
    auto const partitions = parse("GTR+FC+G4m, ndhf1st = 1-5, 8\n\n# comment\n LG ,b=6-7,9-10 # more\r\n", 10);
    ASSERT_EQ(partitions.size(), 2u);
    EXPECT_EQ(partitions[0], (PartitionSpec{"GTR+FC+G4m", "ndhf1st", {{0, 5, 1}, {7, 8, 1}}}));
    EXPECT_EQ(partitions[1], (PartitionSpec{"LG", "b", {{5, 7, 1}, {8, 10, 1}}}));
    EXPECT_EQ(sites_of(partitions[1]), (Sites{5, 6, 8, 9}));
}

TEST(PartitionFile, ReadsStrides) {
    auto const partitions = parse("A, codon12 = 1-8\\3, 2-8 \\ 3\nB, codon3 = 3-8\\3\n", 8);
    EXPECT_EQ(sites_of(partitions[0]), (Sites{0, 1, 3, 4, 6, 7}));
    EXPECT_EQ(sites_of(partitions[1]), (Sites{2, 5}));
    EXPECT_EQ(sites_of(parse("A, a = 1-2\\18446744073709551615, 2\n", 2)[0]), (Sites{0, 1}));
}

TEST(PartitionFile, AllowsCommasWithinAModel) {
    EXPECT_EQ(parse("GTR{1,2}+F{(3,4)}, a = 1\n", 1)[0].model, "GTR{1,2}+F{(3,4)}");
}

TEST(PartitionFile, SkipsBlanksEverywhere) {
    std::vector<PartitionSpec> const expected{{"A", "a", {{0, 9, 2}}}, {"B", "b", {{1, 9, 2}}}};
    EXPECT_EQ(parse("A,a=1-9\\2\nB,b=2-9\\2", 9), expected);
    EXPECT_EQ(parse("\xef\xbb\xbf\tA\t,\ta\t=\t1\t-\t9\t\\\t2\t\r\n \r\n B , b = 2 - 9 \\ 2 \r\n", 9), expected);
    EXPECT_EQ(parse("A, a = 1-9\\2\rB, b = 2-9\\2\r", 9), expected);  // old Mac
}

TEST(PartitionFile, HasPrintableModelsAndNames) {
    EXPECT_EQ(parse("A, \xc3\xa9 = 1\n", 1)[0].name, "\xc3\xa9");
    EXPECT_EQ(error_of("A, \xe9 = 1\n", 1),
              "f:1:4: '\\xe9' cannot be part of a partition's name; expected printable UTF-8");
    EXPECT_EQ(error_of("A, a\tb = 1\n", 1),
              "f:1:5: '\\x09' cannot be part of a partition's name; expected printable UTF-8");
    EXPECT_EQ(error_of(std::string("A\0, a = 1\n", 10), 1),
              "f:1:2: '\\x00' cannot be part of a model; expected printable UTF-8");
}

TEST(PartitionFile, SaysWhereTheSyntaxIsWrong) {
    EXPECT_EQ(error_of("GTR a = 1-9\n", 9), "f:1:1: expected a model, found no ',' on this line");
    EXPECT_EQ(error_of(", a = 1-9\n", 9), "f:1:1: expected a model before ','");
    EXPECT_EQ(error_of("\nGTR, a 1-9\n", 9), "f:2:6: expected a partition's name, found no '=' on this line");
    EXPECT_EQ(error_of("GTR, = 1-9\n", 9), "f:1:6: expected a partition's name before '='");
    EXPECT_EQ(error_of("GTR, a =\n", 9),
              "f:1:9: expected a site or a range of sites, such as 1-898, found the end of the line");
    EXPECT_EQ(error_of("GTR, a = 1-\n", 9), "f:1:12: expected the last site of the range, found the end of the line");
    EXPECT_EQ(error_of("GTR, a = 1-9\\\n", 9), "f:1:14: expected a stride, such as \\3, found the end of the line");
    EXPECT_EQ(error_of("GTR, a = 1-9\\0\n", 9), "f:1:14: the stride must be at least 1");
    EXPECT_EQ(error_of("GTR, a = 1-9 3\n", 9), "f:1:14: expected ',' or the end of the line, found '3'");
    EXPECT_EQ(error_of("GTR, a = 99999999999999999999\n", 9), "f:1:10: the number is too large");
    EXPECT_EQ(error_of("GTR, a = 1-99999999999999999999\n", 9), "f:1:12: the number is too large");
    EXPECT_EQ(error_of("GTR, a = 1-9\\99999999999999999999\n", 9), "f:1:14: the number is too large");
    EXPECT_EQ(error_of("GTR, a = 1--9\n", 9), "f:1:12: expected the last site of the range, found '-9'");
    EXPECT_EQ(error_of("GTR, a = +1\n", 9), "f:1:10: expected a site or a range of sites, such as 1-898, found '+1'");
    EXPECT_EQ(error_of("# nothing\n", 9), "f: expected partitions, such as 'GTR+G4, gene1 = 1-898'");
}

TEST(PartitionFile, ChecksThatEverySiteBelongsToOnePartition) {
    EXPECT_EQ(error_of("A, a = 1-10\n", 9), "f:1:10: site 10 does not exist: the alignment has the sites 1-9");
    EXPECT_EQ(error_of("A, a = 0-9\n", 9), "f:1:8: site 0 does not exist: the alignment has the sites 1-9");
    EXPECT_EQ(error_of("A, a = 5-4\n", 9), "f:1:8: the range ends before it begins");
    EXPECT_EQ(error_of("A, a = 1-5\nB, b = 9, 5-8\n", 9), "f:2:11: site 5 already belongs to partition 'a'");
    EXPECT_EQ(error_of("A, a = 1-5, 5\n", 9), "f:1:13: site 5 already belongs to partition 'a'");
    EXPECT_EQ(error_of("A, a = 1-5\nB, a = 6-9\n", 9), "f:2:4: there already is a partition 'a'");
    EXPECT_EQ(error_of("A, a = 1-9\\2\n", 9), "f: site 2 belongs to no partition (4 of 9 sites do not)");
}

TEST(PartitionFile, ReadsTheSampleFile) {
    auto const partitions = read_partitions(std::string(REGRAFT_DATA) + "/vertebrates.part", 1998);
    ASSERT_EQ(partitions.size(), 3u);
    EXPECT_EQ(partitions[1].name, "codon3");
    EXPECT_EQ(sites_of(partitions[0]).size(), 666u);
    EXPECT_EQ(sites_of(partitions[1]).size(), 333u);
    EXPECT_EQ(sites_of(partitions[2]).size(), 999u);
}

TEST(PartitionFile, HasAPartitionForAlignmentsWithoutFile) {
    auto const all = whole_alignment("GTR", 3);
    EXPECT_EQ(all, (PartitionSpec{"GTR", "all", {{0, 3, 1}}}));
    EXPECT_EQ(sites_of(all), (Sites{0, 1, 2}));
}

}  // namespace
}  // namespace regraft::msa
