// Finds out from the characters of an alignment what they stand for.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "regraft/msa/alignment.hpp"
#include "regraft/msa/alphabet.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// What characters stand for. other: each character is a state of its own.
enum class CharacterKind : std::uint8_t { dna, amino_acid, other };

/// The states that each character may stand for. Upper and lower case mean the same.
struct CharacterTable {
    CharacterKind kind = CharacterKind::other;  // what the characters stand for
    std::uint32_t num_states = 0;               // at most 32
    std::array<StateMask, 256> states{};        // by character as unsigned char; 0 for those that do not occur

    /// The mask of a gap or an unknown character.
    StateMask undetermined() const { return all_states(num_states); }
    /// Whether all states are possible: a gap, or an unknown character.
    bool is_undetermined(char symbol) const { return states[static_cast<unsigned char>(symbol)] == undetermined(); }
};

/// DNA if all characters belong to it and at least half of the determined ones are A, C, G, T or U. Otherwise amino
/// acids if all characters belong to them. Otherwise every character except '-', '?' and '.' is a state of its own;
/// upper and lower case are the same, the rarest characters are undetermined if there are more than 32, and sets of
/// states are those of their characters. O(cells).
CharacterTable character_table(Alignment const& alignment);

/// The number of occurrences of each character, indexed by the character as unsigned char.
using Histogram = std::array<std::uint64_t, 256>;

/// The same for cells that have been counted.
CharacterTable character_table(Histogram const& histogram, SetCharacters const& sets = {});

/// "DNA", "amino-acid" or "other", for messages.
std::string_view name(CharacterKind kind);

}  // namespace regraft::msa
#pragma GCC visibility pop
