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

Joinable standard_data(std::string const& row, std::string const& file) {
    auto alignment = parse_alignment(
        "#NEXUS\nbegin data;\ndimensions ntax=1 nchar=2;\nformat datatype=standard;\nmatrix\na " + row + "\n;\nend;\n",
        file);
    return {std::move(alignment), {0, 1}};
}

TEST(Join, KeepsTheStatesOfSets) {
    std::vector<Joinable> parts;
    parts.push_back(standard_data("{01}{89}", "x.nex"));
    parts.push_back(standard_data("{01}{56}", "y.nex"));
    parts.push_back(standard_data("{79}0", "z.nex"));
    auto const joined = join(std::move(parts), "f");
    std::vector<StateMask> masks;
    for (char const c : joined.row(0)) masks.push_back(state_mask(Alphabet::multistate(10), c, joined.sets));
    EXPECT_EQ(masks, (std::vector<StateMask>{3, 0x300, 3, 0x60, 0x280, 1}));
    EXPECT_EQ(joined.sets.sets(), (std::vector<StateMask>{3, 0x60, 0x280, 0x300}));
}

TEST(Join, RefusesMoreSetsThanThereAreCharacters) {
    std::vector<Joinable> parts;
    for (std::size_t a = 8; a < 29; ++a) {
        auto const symbols = multistate_symbols();
        auto const first = std::string(1, symbols[a]);
        for (std::size_t b = 0; b < 7; b += 2)
            parts.push_back(standard_data("{" + first + symbols[b] + "}{" + first + symbols[b + 1] + "}", "x.nex"));
    }
    auto const together = [&](std::size_t count) {
        return join({parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(count)}, "f");
    };
    EXPECT_EQ(together(64).sets.sets().size(), 128u);
    try {
        together(65);
        FAIL();
    } catch (InputError const& error) {
        EXPECT_STREQ(error.what(),
                     "f: the alignments have too many different sets of states; expected at most 128 together");
    }
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
