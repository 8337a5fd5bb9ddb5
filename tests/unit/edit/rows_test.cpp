#include "edit/rows.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "regraft/msa/difference_parts.hpp"

namespace regraft::msa_cli {
namespace {

msa::Alignment of(std::vector<std::string> const& rows) {
    msa::Alignment alignment{.file = "", .names = {}, .cells = {}};
    for (auto const& row : rows) {
        alignment.names.push_back("t" + std::to_string(alignment.names.size()));
        alignment.cells.insert(alignment.cells.end(), row.begin(), row.end());
    }
    return alignment;
}

/// The text of rows that are given as they are.
std::string text_of(std::vector<std::string> const& rows, msa::TextLayout const& layout,
                    bool may_be_unwritable = false) {
    MadeRows made{{}, rows.empty() ? 0 : rows[0].size(), layout, may_be_unwritable, {}};
    for (std::size_t row = 0; row < rows.size(); ++row) made.names.push_back("t" + std::to_string(row));
    made.make = [&](std::size_t row, std::string& cells) { cells += rows[row]; };
    std::string text;
    write_text(made, [&](std::string_view piece) { text += piece; });
    return text;
}

TEST(RowReader, GivesTheSameRowsOfCellsAndOfDifferences) {
    std::vector<std::string> const rows{"ACGTACGT", "ACGTACGA", "AC--ACGT", "NNNNACGT"};
    auto const cells = of(rows);
    Part const parts[] = {cells, msa::to_differences(cells)};
    for (auto const& part : parts) {
        RowReader read(part);
        for (auto const row : {3U, 0U, 1U, 2U, 1U}) EXPECT_EQ(read(row), rows[row]);
    }
}

TEST(MadeRows, HaveTheTextThatAllCellsTogetherHave) {
    for (auto const& rows : {std::vector<std::string>{"ACGTA", "AC-TA", "NNGTA"}, {"A"}, {"", ""}}) {
        for (auto const format : {msa::TextFormat::fasta, msa::TextFormat::phylip}) {
            for (std::uint64_t const width : {0, 1, 2, 5, 9}) {
                msa::TextLayout layout;
                layout.format = format;
                layout.line_width = width;
                layout.name_width = format == msa::TextFormat::phylip ? 4 : 0;
                layout.carriage_returns = width == 2;
                EXPECT_EQ(text_of(rows, layout), msa::to_text(of(rows), layout)) << width;
            }
        }
    }
}

TEST(MadeRows, WriteNothingIfARowHasASetOfStates) {
    EXPECT_THROW(text_of({"AC", "A\x80"}, {}, true), InputError);
}

TEST(HasSets, FindsBytesThatNoTextHas) {
    EXPECT_FALSE(has_sets(of({"AC", "A~"})));
    EXPECT_TRUE(has_sets(of({"AC", "A\x80"})));
}

TEST(CheckFill, RefusesStates) {
    using enum msa::CharacterKind;
    EXPECT_NO_THROW(check_fill(dna, 'N', "--fill", "a.fa"));
    EXPECT_NO_THROW(check_fill(amino_acid, 'X', "--fill", "a.fa"));
    EXPECT_THROW(check_fill(amino_acid, 'N', "--fill", "a.fa"), InputError);
    for (auto const fill : {'N', 'X'}) EXPECT_THROW(check_fill(other, fill, "--fill", "a.fa"), InputError);
    for (auto const fill : {'-', '?'}) EXPECT_NO_THROW(check_fill(other, fill, "--fill", "a.fa"));
}

}  // namespace
}  // namespace regraft::msa_cli
