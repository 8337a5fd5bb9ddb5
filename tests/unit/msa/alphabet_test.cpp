#include "regraft/msa/alphabet.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <map>
#include <vector>

#include <gtest/gtest.h>

namespace regraft::msa {
namespace {

std::vector<Alphabet> all_alphabets() {
    std::vector alphabets{Alphabet::dna, Alphabet::amino_acid, Alphabet::binary};
    for (std::uint32_t n = 2; n <= max_states; ++n) alphabets.push_back(Alphabet::multistate(n));
    return alphabets;
}

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

TEST(Alphabet, HasAsManyOfTheMultistateSymbolsAsStates) {
    constexpr std::string_view symbols = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ!\"#$%&'()*+,/:;<=>@[\\]^_{|}~";
    for (std::uint32_t n = 2; n <= max_states; ++n) {
        for (std::uint32_t s = 0; s < max_states; ++s)
            EXPECT_EQ(state_mask(Alphabet::multistate(n), symbols[s]), s < n ? StateMask{1} << s : 0)
                << n << symbols[s];
    }
    EXPECT_EQ(state_mask(Alphabet::binary, '0'), 1u);
    EXPECT_EQ(state_mask(Alphabet::binary, '1'), 2u);
    EXPECT_EQ(state_mask(Alphabet::binary, '2'), 0u);
}

TEST(Alphabet, TakesGapsAndUnknownsAsUndetermined) {
    auto const expect = [](Alphabet alphabet, std::string_view symbols) {
        for (char c : symbols) {
            EXPECT_EQ(state_mask(alphabet, c), undetermined(alphabet)) << name(alphabet) << ' ' << c;
            EXPECT_EQ(canonical(alphabet, c), '-') << name(alphabet) << ' ' << c;
        }
    };
    expect(Alphabet::dna, "-?.~*!XxOoNn");
    expect(Alphabet::amino_acid, "-?.~*!XxOo");
    expect(Alphabet::binary, "-?.~*!XxNn");
    for (std::uint32_t n = 2; n <= max_states; ++n) expect(Alphabet::multistate(n), "-?.");
}

bool has_sets(Alphabet alphabet) {
    return alphabet != Alphabet::dna;
}

TEST(Alphabet, HasAByteForEachSetOfTheFirstSevenStates) {
    for (auto alphabet : all_alphabets()) {
        if (!has_sets(alphabet)) continue;
        auto const states = std::min(alphabet.num_states, 7U);
        std::map<StateMask, int> count;
        for (int byte = -128; byte < 0; ++byte) {
            auto const mask = state_mask(alphabet, to_char(byte));
            if (mask != 0) ++count[mask];
            EXPECT_EQ(state_masks(alphabet)[static_cast<unsigned char>(byte)], mask);
        }
        for (StateMask set = 1; set < StateMask{1} << states; ++set)
            EXPECT_EQ(count[set], std::has_single_bit(set) ? 0 : 1) << set;
        EXPECT_EQ(count.rbegin()->first, all_states(states));
    }
}

TEST(SetCharacters, AreTheUsualOnesForSetsOfTheFirstSevenStates) {
    SetCharacters const usual;
    EXPECT_EQ(usual.sets().size(), 120u);
    EXPECT_EQ(SetCharacters::of({0x60, 3}), usual);
    EXPECT_EQ(SetCharacters::of({}), usual);
    EXPECT_EQ(usual.character(0x60), to_char(0x80 + 0x60 - 8));  // after 0, seven single states are left out
    EXPECT_EQ(usual.character(0x180), 0);
    EXPECT_EQ(usual.states('A'), 0u);
}

TEST(SetCharacters, OfAnAlignmentAreInTheOrderOfTheirMasks) {
    auto const own = SetCharacters::of({0x180, 3, 0x180, StateMask{1} << 63U | 1U});
    ASSERT_TRUE(own.has_value());
    EXPECT_EQ(own->sets(), (std::vector<StateMask>{3, 0x180, StateMask{1} << 63U | 1U}));
    for (auto const set : own->sets()) {
        auto const c = own->character(set);
        EXPECT_TRUE(is_state_set(c));
        EXPECT_EQ(own->states(c), set);
        EXPECT_EQ(state_mask(Alphabet::multistate(64), c, *own), set);
        EXPECT_EQ(state_mask(Alphabet::dna, c, *own), 0u);
    }
    EXPECT_EQ(state_mask(Alphabet::multistate(8), own->character(0x180), *own), 0u);
    EXPECT_EQ(canonical(Alphabet::multistate(9), own->character(0x180), *own), own->character(0x180));
    EXPECT_EQ(canonical(Alphabet::binary, own->character(3), *own), '-');
    EXPECT_EQ(own->states(to_char(0xff)), 0u);
    EXPECT_FALSE(*own == SetCharacters());
}

TEST(SetCharacters, AreAtMost128) {
    std::vector<StateMask> sets;
    for (StateMask set = 1; sets.size() < SetCharacters::most; ++set) sets.push_back(set << 20U | 1U);
    ASSERT_TRUE(SetCharacters::of(sets).has_value());
    EXPECT_EQ(SetCharacters::of(sets)->states(to_char(0xff)), StateMask{128} << 20U | 1U);
    sets.push_back(3);
    EXPECT_FALSE(SetCharacters::of(sets).has_value());
}

TEST(Alphabet, RejectsEverythingElse) {
    for (auto alphabet : all_alphabets()) {
        auto const allowed = allowed_symbols(alphabet);
        for (int byte = -128; byte < 128; ++byte) {
            char const c = to_char(byte);
            if (byte < 0 && has_sets(alphabet)) continue;
            char const upper = byte < 0 ? c : to_char(std::toupper(byte));
            auto const is_allowed = byte != 0 && allowed.find(upper) != std::string::npos;
            EXPECT_EQ(state_mask(alphabet, c) != 0, is_allowed) << byte;
            EXPECT_EQ(canonical(alphabet, c) != 0, is_allowed) << byte;
        }
    }
}

TEST(Alphabet, CanonicalLetterIsTheSameForTheSameStatesAndKeepsThem) {
    for (auto alphabet : all_alphabets()) {
        std::map<StateMask, char> letter_of;
        for (char c : allowed_symbols(alphabet)) {
            auto const mask = state_mask(alphabet, c);
            auto const letter = canonical(alphabet, c);
            EXPECT_EQ(state_mask(alphabet, letter), mask) << c;
            EXPECT_EQ(letter_of.try_emplace(mask, letter).first->second, letter) << c;
            EXPECT_EQ(canonical(alphabet, to_char(std::tolower(c))), letter) << c;
        }
        EXPECT_EQ(letter_of.size(), alphabet == Alphabet::dna          ? 15u
                                    : alphabet == Alphabet::amino_acid ? 24u
                                                                       : alphabet.num_states + 1);
    }
}

}  // namespace
}  // namespace regraft::msa
