#include "regraft/msa/characters.hpp"

#include <bit>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace regraft::msa {
namespace {

CharacterTable table_of(std::string const& row) {
    return character_table({.file = "", .names = {"a"}, .cells = {row.begin(), row.end()}});
}

StateMask states(CharacterTable const& table, char symbol) {
    return table.states[static_cast<unsigned char>(symbol)];
}

/// Different characters, this many, without those for missing data and without lower-case letters.
std::string distinct_characters(std::size_t count) {
    std::string characters;
    for (char c = '!'; characters.size() < count; ++c) {
        if (std::string_view("-?.").find(c) == std::string_view::npos && (c < 'a' || 'z' < c)) characters += c;
    }
    return characters;
}

TEST(CharacterTable, TakesBasesForDna) {
    auto const table = table_of("ACGTacgtuURyNn-?.");
    EXPECT_EQ(table.kind, CharacterKind::dna);
    EXPECT_EQ(table.num_states, 4u);
    for (char c : std::string_view("ACGTacgtuURyNn-?.")) EXPECT_EQ(states(table, c), state_mask(Alphabet::dna, c)) << c;
    EXPECT_EQ(states(table, 'U'), states(table, 't'));
    EXPECT_EQ(states(table, 'K'), 0u) << "it does not occur";
    EXPECT_TRUE(table.is_undetermined('N'));
    EXPECT_FALSE(table.is_undetermined('R'));
}

TEST(CharacterTable, TakesNothingButGapsForDna) {
    EXPECT_EQ(table_of("").kind, CharacterKind::dna);
    EXPECT_EQ(table_of("--NN??").kind, CharacterKind::dna);
}

TEST(CharacterTable, TakesHalfOfBasesForDnaAndFewerForAminoAcids) {
    EXPECT_EQ(table_of("ACRY---").kind, CharacterKind::dna);
    EXPECT_EQ(table_of("ACRYS--").kind, CharacterKind::amino_acid);
}

TEST(CharacterTable, TakesLettersOfAminoAcidsForThose) {
    auto const table = table_of("ARNDCqeghilkmfpstwyvBzX-");
    EXPECT_EQ(table.kind, CharacterKind::amino_acid);
    EXPECT_EQ(table.num_states, 20u);
    EXPECT_EQ(states(table, 'v'), StateMask{1} << 19);
    EXPECT_EQ(states(table, 'B'), state_mask(Alphabet::amino_acid, 'B'));
    EXPECT_TRUE(table.is_undetermined('X'));
}

TEST(CharacterTable, GivesSetsTheStatesOfTheirCharacters) {
    auto const sets = SetCharacters::of({3, 0x204}).value();
    std::string const row{'0', '1', '9', sets.character(3), sets.character(0x204), '-'};
    auto const table = character_table({.file = "", .names = {"a"}, .cells = {row.begin(), row.end()}, .sets = sets});
    EXPECT_EQ(table.num_states, 4u) << "0, 1, 2, which occurs in a set only, and 9";
    EXPECT_EQ(states(table, row[3]), states(table, '0') | states(table, '1'));
    EXPECT_EQ(std::popcount(states(table, row[4])), 2);
    EXPECT_EQ(states(table, row[4]) & states(table, '9'), states(table, '9'));
}

TEST(CharacterTable, GivesEveryOtherCharacterAStateWhateverItsCase) {
    auto const table = table_of("01aAbZ-?.\xff");
    EXPECT_EQ(table.kind, CharacterKind::other);
    EXPECT_EQ(table.num_states, 6u);
    EXPECT_EQ(states(table, '0'), 1u);
    EXPECT_EQ(states(table, '1'), 2u);
    EXPECT_EQ(states(table, 'A'), 4u);
    EXPECT_EQ(states(table, 'a'), 4u);
    EXPECT_EQ(states(table, 'b'), 8u);
    EXPECT_EQ(states(table, 'B'), 0u) << "it does not occur";
    EXPECT_EQ(states(table, 'Z'), 16u);
    EXPECT_EQ(states(table, '\xff'), 32u);
    for (char c : std::string_view("-?.")) EXPECT_EQ(states(table, c), 63u) << c;
}

TEST(CharacterTable, HoldsThirtyTwoStates) {
    auto const characters = distinct_characters(32);
    auto const table = table_of(characters + "-");
    EXPECT_EQ(table.num_states, 32u);
    EXPECT_EQ(table.undetermined(), all_states(32));
    std::set<StateMask> seen;
    for (char c : characters) {
        EXPECT_TRUE(std::has_single_bit(states(table, c))) << c;
        seen.insert(states(table, c));
    }
    EXPECT_EQ(seen.size(), 32u);
    EXPECT_TRUE(table.is_undetermined('-'));
}

TEST(CharacterTable, LeavesTheRarestOfTooManyCharactersUndetermined) {
    auto const characters = distinct_characters(34);
    auto const rare = characters.substr(3, 2);
    auto frequent = characters;
    frequent.erase(3, 2);
    auto const table = table_of(characters + frequent);
    EXPECT_EQ(table.num_states, 32u);
    for (char c : frequent) EXPECT_TRUE(std::has_single_bit(states(table, c))) << c;
    for (char c : rare) EXPECT_TRUE(table.is_undetermined(c)) << c;
}

TEST(CharacterTable, NamesTheKinds) {
    EXPECT_EQ(name(CharacterKind::dna), "DNA");
    EXPECT_EQ(name(CharacterKind::amino_acid), "amino-acid");
    EXPECT_EQ(name(CharacterKind::other), "other");
}

}  // namespace
}  // namespace regraft::msa
