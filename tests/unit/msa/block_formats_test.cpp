// Stockholm, Clustal and A3M.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/msa/alignment.hpp"
#include "regraft/msa/text_layout.hpp"
#include "support/msa/parsed_rows.hpp"

namespace regraft::msa {
namespace {

using test::error_of;
using test::Rows;
using test::rows;

std::string stockholm(std::string const& lines) {
    return "# STOCKHOLM 1.0\n" + lines;
}

std::string clustal(std::string const& lines) {
    return "CLUSTAL W (1.83) multiple sequence alignment\n\n" + lines;
}

TEST(Stockholm, SkipsAnnotations) {
    EXPECT_EQ(rows(stockholm(
                  "#=GF ID family\n#=GS a/1-4 OS x\na/1-4  AC.T\n#=GR a/1-4 SS HH..\nb\tA-GT\n#=GC RF xx.x\n//\n")),
              (Rows{"a/1-4: AC.T", "b: A-GT"}));
    EXPECT_EQ(rows("\n  #STOCKHOLM 1.0\r\na ACGT\r\n//\r\n\r\n"), (Rows{"a: ACGT"}));
}

TEST(Stockholm, JoinsBlocks) {
    EXPECT_EQ(rows(stockholm("a AC\nb -C\n\na GT\nb G.\n//")), (Rows{"a: ACGT", "b: -CG."}));
}

TEST(Stockholm, SaysWhatIsWrong) {
    EXPECT_EQ(error_of("# STOCKHOLM 2.0\n//\n"), "f:1:13: expected '# STOCKHOLM 1.0', found '# STOCKHOLM 2.0'");
    EXPECT_EQ(error_of(stockholm("a AC\n")), "f:2: the alignment does not end; expected '//' on the last line");
    EXPECT_EQ(error_of(stockholm("//\n")), "f:2:1: the alignment has no rows");
    EXPECT_EQ(error_of(stockholm("a AC\n//\n# STOCKHOLM 1.0\nb AC\n//\n")),
              "f:4:1: a second alignment, or something else, follows '//'; expected one alignment");
    EXPECT_EQ(error_of(stockholm("a ACG\nb AC\n//\n")), "f:3:1: taxon 'b' has 2 sites up to here, but 'a' has 3");
    EXPECT_EQ(error_of(stockholm("a AC\nb AC\n\na G\nc G\n//\n")),
              "f:6:1: expected taxon 'b', as in the block before, found 'c'");
    EXPECT_EQ(error_of(stockholm("a AC\nb AC\n\na G\n//\n")),
              "f:6:1: the alignment ends within a block; expected all 2 taxa of the first block in it");
    EXPECT_EQ(error_of(stockholm("a AC\nb AC\nb AC\n//\n")), "f:4:1: taxon 'b' is already on line 3");
    EXPECT_EQ(error_of(stockholm("a\n//\n")), "f:2:1: taxon 'a' has no sites");
    EXPECT_EQ(error_of(stockholm("a A\x01\n//\n")), "f:2:4: '\\x01' cannot be part of a sequence");
}

TEST(Clustal, SkipsMarksAndCounts) {
    EXPECT_EQ(rows(clustal("a      AC-T 3\nb      ACGT 4\n       ** *\n\na      AA\nb      A-\n       * \n")),
              (Rows{"a: AC-TAA", "b: ACGTA-"}));
    EXPECT_EQ(rows("MUSCLE (3.8) multiple sequence alignment\r\n\r\na AC\r\n"), (Rows{"a: AC"}));
    EXPECT_EQ(rows(clustal("*: ACGT\n.  AC-T\n")), (Rows{"*:: ACGT", ".: AC-T"})) << "marks follow a blank";
}

TEST(Clustal, SkipsDescriptionsThatKalignWrites) {
    std::string const text =
        "Kalign (2.0) alignment in ClustalW format\n\na some kinase 2 (fragment)  AC-T\nb                           "
        "ACGT\n\n\na some kinase 2 (fragment)  AA 5\nb                           A-\n";
    EXPECT_EQ(rows(text), (Rows{"a: AC-TAA", "b: ACGTA-"}));
    auto const alignment = parse_alignment(text, "f");
    EXPECT_EQ(to_text(alignment, layout_of(text, alignment)), text);
    EXPECT_EQ(error_of("Kalign x\n\na\n"), "f:3:2: taxon 'a' has no cells on this line");
}

TEST(Clustal, SaysWhatIsWrong) {
    EXPECT_EQ(error_of(clustal("")), "f:1:1: the alignment has no rows");
    EXPECT_EQ(error_of(clustal("a\n")), "f:3:2: taxon 'a' has no cells on this line");
    EXPECT_EQ(error_of(clustal("a AC x\n")), "f:3:6: expected a number of residues or the end of the line, found 'x'");
    EXPECT_EQ(error_of(clustal("a AC\n  *x\n")),
              "f:4:4: expected a name at the begin of the line, or marks ('*', ':', '.') below a block, found 'x'");
    EXPECT_EQ(error_of(clustal("  **\na AC\n")),
              "f:3:1: expected a name at the begin of the line, or marks ('*', ':', '.') below a block, found '**'");
    EXPECT_EQ(error_of(clustal("a AC\nb AC\n\nb A\na A\n")), "f:6:1: taxon 'b' is already on line 4");
}

TEST(BlockFormats, AreFoundByTheirFirstWord) {
    EXPECT_EQ(find_format("\n# STOCKHOLM 1.0\n"), InputFormat::stockholm);
    EXPECT_EQ(find_format("CLUSTAL O(1.2.4) multiple sequence alignment\n"), InputFormat::clustal);
    EXPECT_EQ(find_format(" \n >a"), InputFormat::fasta);
    EXPECT_EQ(find_format("4 5"), InputFormat::phylip);
    EXPECT_EQ(find_format("#nexus\n"), InputFormat::nexus);
    EXPECT_EQ(find_format("# other\n"), std::nullopt);
    EXPECT_EQ(find_format("\r\n "), std::nullopt);
    EXPECT_EQ(name(InputFormat::stockholm), "Stockholm");
}

TEST(BlockFormats, AreWrittenAgain) {
    for (auto const& text :
         {stockholm("#=GF ID x\na/1-4  AC.T\nb      ACGT\n\na/1-4  AA\nb      A-\n//\n"),
          clustal("a      AC-T 3\nb      ACGT 4\n       ** *\n\na      AA\nb      A-\n       * \n")}) {
        auto const alignment = parse_alignment(text, "f");
        EXPECT_TRUE(alignment.is_verbatim);
        EXPECT_EQ(to_text(alignment, layout_of(text, alignment)), text);
    }
}

TEST(A3m, IsFilledWithDots) {
    EXPECT_EQ(rows(">a\nACGT\n>b\nACttG-\n>c\nAaCGTcc\n"), (Rows{"a: A.C..GT..", "b: A.CttG-..", "c: AaC..GTcc"}));
    EXPECT_EQ(rows(">a\nAC\n>b\nggAC\n>c\n.tA\nC\n"), (Rows{"a: ..AC", "b: ggAC", "c: .tAC"}));
    EXPECT_EQ(rows(">a\nAcG.T\n>b\nA.GtT\n"), (Rows{"a: AcG.T", "b: A.GtT"})) << "A2M is FASTA";
}

TEST(A3m, KnowsWhereItsCellsStand) {
    auto const alignment = parse_alignment(">a\nACGT\n>b x\nACt\ntG-\n>c\naaACGT\n", "f");
    EXPECT_FALSE(alignment.is_verbatim);
    ASSERT_EQ(alignment.num_sites(), 8U);
    auto const place = [&](std::size_t taxon, std::size_t site) {
        auto const [file, line, column] = alignment.position(taxon, site);
        return std::to_string(line) + ":" + std::to_string(column) + alignment.cell(taxon, site);
    };
    EXPECT_EQ(place(0, 0), "2:1.");
    EXPECT_EQ(place(0, 2), "2:1A");
    EXPECT_EQ(place(0, 5), "2:3.");
    EXPECT_EQ(place(0, 7), "2:4T");
    EXPECT_EQ(place(1, 5), "5:1t");
    EXPECT_EQ(place(2, 7), "7:6T");
}

TEST(A3m, NeedsAsManyColumnsInEachRow) {
    EXPECT_EQ(error_of(">a\nACGT\n>b\nACtG\n>c\nACttGT\n"), "f:5:1: taxon 'c' has 6 sites, but 'a' on line 1 has 4");
    EXPECT_EQ(error_of(">a\nACgT\n>b\nACT\n"), "f:3:1: taxon 'b' has 3 sites, but 'a' on line 1 has 4")
        << "the first row has a letter in lower case";
    EXPECT_EQ(error_of(">a\n>b\nacg\n"), "f:1:1: taxon 'a' has no sites");
}

TEST(A3m, MayNotGrowWithoutLimit) {
    constexpr int num_rows = 1000;
    std::string text = ">0\n" + std::string(2 * num_rows, 'A') + "\n";
    for (int row = 1; row < num_rows; ++row) {
        text += ">" + std::to_string(row) + "\n" + std::string(2 * row, 'A') + std::string(1000, 'c') +
                std::string(2 * (num_rows - row), 'A') + "\n";
    }
    EXPECT_EQ(error_of(text),
              "f: is A3M of 1000 rows, and with all residues in lower case they have 1001000 columns; expected fewer: "
              "without lower-case letters it is FASTA of 2000 columns");
}

}  // namespace
}  // namespace regraft::msa
