#include "regraft/msa/join.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace regraft::msa {
namespace {

std::vector<std::string> rows_of(Alignment const& alignment) {
    std::vector<std::string> rows;
    for (std::size_t taxon = 0; taxon < alignment.num_taxa(); ++taxon)
        rows.push_back(alignment.names[taxon] + ": " + std::string(alignment.row(taxon)));
    return rows;
}

Alignment two_files() {
    std::vector<Joinable> parts;
    parts.push_back({parse_alignment(">b\nACGT\n>a\nTGCA\n", "x.fa"), {0, 2, 3}});
    parts.push_back({parse_alignment("2 2\na GG\nc CT\n", "y.phy"), {1}});
    return join(std::move(parts), "sets.nex");
}

TEST(Join, MakesOneRowOfRowsOfTheSameName) {
    EXPECT_EQ(rows_of(two_files()), (std::vector<std::string>{"b: AGT-", "a: TCAG", "c: ---T"}));
}

TEST(Join, KnowsThePlaceOfACellInItsOwnFile) {
    auto const joined = two_files();
    auto const place = joined.position(1, 1);
    EXPECT_EQ(place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column), "x.fa:4:3");
    auto const other = joined.position(2, 3);
    EXPECT_EQ(other.file + ":" + std::to_string(other.line) + ":" + std::to_string(other.column), "y.phy:3:4");
    EXPECT_EQ(joined.position(0, 3).file, "y.phy");  // which lacks the taxon
    EXPECT_EQ(joined.position(0, 3).line, 0U);
}

TEST(Join, OfOneAlignmentIsTheAlignment) {
    std::vector<Joinable> parts;
    parts.push_back({parse_alignment(">b\nACGT\n>a\nTGCA\n", "x.fa"), {0, 1, 2, 3}});
    EXPECT_EQ(rows_of(join(std::move(parts), "f")), (std::vector<std::string>{"b: ACGT", "a: TGCA"}));
    EXPECT_EQ(join({}, "f").num_taxa(), 0U);
}

TEST(JoinedTaxa, AreInTheOrderInWhichNamesFirstAppear) {
    JoinedTaxa taxa;
    taxa.add(std::vector<std::string>{"b", "a"});
    taxa.add(std::vector<std::string>{"c", "b"});
    EXPECT_EQ(taxa.names(), (std::vector<std::string>{"b", "a", "c"}));
    ASSERT_EQ(taxa.rows(0).size(), 2U);
    EXPECT_EQ(taxa.rows(0)[1].alignment, 1U);
    EXPECT_EQ(taxa.rows(0)[1].row, 1U);
    EXPECT_EQ(taxa.rows(1).size(), 1U);
}

}  // namespace
}  // namespace regraft::msa
