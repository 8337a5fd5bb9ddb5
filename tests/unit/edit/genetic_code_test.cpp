#include "edit/genetic_code.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"

namespace regraft::msa_cli {
namespace {

constexpr std::array<std::uint32_t, 27> numbers{1,  2,  3,  4,  5,  6,  9,  10, 11, 12, 13, 14, 15, 16,
                                                21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33};

char meaning(std::uint32_t code, std::string_view codon) {
    auto const mask = [](char base) { return msa::state_mask(msa::Alphabet::dna, base); };
    return GeneticCode(code).meaning(mask(codon[0]), mask(codon[1]), mask(codon[2]));
}

TEST(GeneticCode, HasMethionineForTheUsualStartInAllCodes) {
    for (auto const number : numbers) EXPECT_EQ(meaning(number, "ATG"), 'M') << number;
}

TEST(GeneticCode, HasTheStopsOfTheStandardCode) {
    for (auto const* const codon : {"TAA", "TAG", "TGA", "TAR", "TRA"}) EXPECT_EQ(meaning(1, codon), '*') << codon;
    EXPECT_EQ(meaning(1, "TGG"), 'W');
}

TEST(GeneticCode, DiffersInMitochondria) {
    EXPECT_EQ(meaning(2, "AGR"), '*');
    EXPECT_EQ(meaning(2, "ATR"), 'M');
    EXPECT_EQ(meaning(2, "TGR"), 'W');
    EXPECT_EQ(meaning(5, "AGN"), 'S');
}

TEST(GeneticCode, ResolvesCodonsThatMeanOneAminoAcid) {
    EXPECT_EQ(meaning(1, "GCN"), 'A');
    EXPECT_EQ(meaning(1, "YTR"), 'L');
    EXPECT_EQ(meaning(1, "MGR"), 'R');
}

TEST(GeneticCode, HasLettersForTwoAminoAcids) {
    EXPECT_EQ(meaning(1, "RAY"), 'B');
    EXPECT_EQ(meaning(1, "SAR"), 'Z');
    EXPECT_EQ(meaning(1, "MTT"), 'J');
    EXPECT_EQ(meaning(1, "HTA"), 'J');
}

TEST(GeneticCode, SaysXForAnyOtherSet) {
    EXPECT_EQ(meaning(1, "NNN"), 'X');
    EXPECT_EQ(meaning(1, "TRG"), 'X');  // a stop, or tryptophan
    EXPECT_EQ(meaning(1, "NAY"), 'X');  // B, or two others
}

/// What more bases may mean includes what fewer of them may mean.
TEST(GeneticCode, IsLessCertainOfLargerSets) {
    for (auto const number : numbers) {
        GeneticCode const code(number);
        for (msa::StateMask first = 1; first < 16; ++first) {
            for (msa::StateMask second = 1; second < 16; ++second) {
                auto const wide = code.meaning(first, second, 15);
                if (std::string_view("BZJX").find(wide) != std::string_view::npos) continue;
                for (msa::StateMask third = 1; third < 16; ++third)
                    EXPECT_EQ(code.meaning(first, second, third), wide) << number;
            }
        }
    }
}

TEST(GeneticCode, RefusesNumbersWithoutATable) {
    for (auto const number : {0U, 7U, 8U, 17U, 20U, 34U}) EXPECT_THROW(GeneticCode{number}, InputError) << number;
}

}  // namespace
}  // namespace regraft::msa_cli
