#include "regraft/msa/alphabet.hpp"

#include <array>
#include <cctype>
#include <map>

#include <gtest/gtest.h>

namespace regraft::msa {
namespace {

constexpr std::array both{Alphabet::dna, Alphabet::amino_acid};

char to_char(int byte) {
    return static_cast<char>(byte);
}

TEST(Alphabet, NumbersStatesInTheOrderOfTheLetters) {
    StateMask expected = 1;
    for (char c : std::string_view("ACGT")) {
        EXPECT_EQ(state_mask(Alphabet::dna, c), expected) << c;
        expected *= 2;
    }
    expected = 1;
    for (char c : std::string_view("ARNDCQEGHILKMFPSTWYV")) {
        EXPECT_EQ(state_mask(Alphabet::amino_acid, c), expected) << c;
        expected *= 2;
    }
}

TEST(Alphabet, KnowsIupacAmbiguities) {
    auto const states = [](std::string_view letters) {
        StateMask mask = 0;
        for (char c : letters) mask |= state_mask(Alphabet::dna, c);
        return mask;
    };
    std::map<char, std::string_view> const iupac{{'R', "AG"},  {'Y', "CT"},  {'S', "CG"},  {'W', "AT"},
                                                 {'K', "GT"},  {'M', "AC"},  {'B', "CGT"}, {'D', "AGT"},
                                                 {'H', "ACT"}, {'V', "ACG"}, {'U', "T"},   {'N', "ACGT"}};
    for (auto const& [letter, meaning] : iupac) EXPECT_EQ(state_mask(Alphabet::dna, letter), states(meaning)) << letter;
}

TEST(Alphabet, KnowsAmbiguousAminoAcids) {
    auto const states = [](char a, char b) {
        return state_mask(Alphabet::amino_acid, a) | state_mask(Alphabet::amino_acid, b);
    };
    EXPECT_EQ(state_mask(Alphabet::amino_acid, 'B'), states('N', 'D'));
    EXPECT_EQ(state_mask(Alphabet::amino_acid, 'Z'), states('Q', 'E'));
    EXPECT_EQ(state_mask(Alphabet::amino_acid, 'J'), states('I', 'L'));
    EXPECT_EQ(state_mask(Alphabet::amino_acid, 'U'), undetermined(Alphabet::amino_acid));
}

TEST(Alphabet, TakesGapsAndUnknownsAsUndetermined) {
    for (auto alphabet : both) {
        for (char c : std::string_view("-?.~*!XxOo")) {
            EXPECT_EQ(state_mask(alphabet, c), undetermined(alphabet)) << c;
            EXPECT_EQ(canonical(alphabet, c), '-') << c;
        }
    }
}

TEST(Alphabet, RejectsEverythingElse) {
    for (auto alphabet : both) {
        auto const allowed = allowed_symbols(alphabet);
        for (int byte = -128; byte < 128; ++byte) {
            char const c = to_char(byte);
            char const upper = byte < 0 ? c : to_char(std::toupper(byte));
            auto const is_allowed = byte != 0 && allowed.find(upper) != std::string_view::npos;
            EXPECT_EQ(state_mask(alphabet, c) != 0, is_allowed) << byte;
            EXPECT_EQ(canonical(alphabet, c) != 0, is_allowed) << byte;
        }
    }
}

TEST(Alphabet, CanonicalLetterIsTheSameForTheSameStatesAndKeepsThem) {
    for (auto alphabet : both) {
        std::map<StateMask, char> letter_of;
        for (char c : allowed_symbols(alphabet)) {
            auto const mask = state_mask(alphabet, c);
            auto const letter = canonical(alphabet, c);
            EXPECT_EQ(state_mask(alphabet, letter), mask) << c;
            EXPECT_EQ(letter_of.try_emplace(mask, letter).first->second, letter) << c;
            EXPECT_EQ(canonical(alphabet, to_char(std::tolower(c))), letter) << c;
        }
        EXPECT_EQ(letter_of.size(), alphabet == Alphabet::dna ? 15u : 24u);
    }
}

}  // namespace
}  // namespace regraft::msa
