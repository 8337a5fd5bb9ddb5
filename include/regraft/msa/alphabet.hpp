// Alphabets: a character of an alignment stands for a set of states.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// The number of bits of a StateMask.
inline constexpr std::uint32_t max_states = 64;

/// Bit s is set if state s is possible.
using StateMask = std::uint64_t;

/// The mask of all states. Precondition: num_states <= max_states.
constexpr StateMask all_states(std::uint32_t num_states) {
    return num_states == 0 ? 0 : ~StateMask{0} >> (max_states - num_states);
}

/// States are numbered in the order of their symbols: DNA is ACGT, amino acids are ARNDCQEGHILKMFPSTWYV, binary data
/// 01. Multistate data have 0-9, A-Z, and then the other printable characters of ASCII by their codes, except for
/// minus, full stop, question mark and grave accent, up to the number of states.
struct Alphabet {
    /// Which symbols there are, and what ambiguous ones mean. Only multistate data leaves the number of states open.
    enum class Kind : std::uint8_t { dna, amino_acid, binary, multistate };
    static Alphabet const dna;         // 4 states
    static Alphabet const amino_acid;  // 20 states
    static Alphabet const binary;      // 2 states
    /// Precondition: 2 <= num_states <= max_states.
    static constexpr Alphabet multistate(std::uint32_t num_states) { return {Kind::multistate, num_states}; }

    Kind kind;                 // what symbols mean
    std::uint32_t num_states;  // at most max_states
    friend bool operator==(Alphabet const&, Alphabet const&) = default;
};

inline constexpr Alphabet Alphabet::dna{Alphabet::Kind::dna, 4};
inline constexpr Alphabet Alphabet::amino_acid{Alphabet::Kind::amino_acid, 20};
inline constexpr Alphabet Alphabet::binary{Alphabet::Kind::binary, 2};

/// The mask of a gap or an unknown character: all states are possible.
constexpr StateMask undetermined(Alphabet alphabet) {
    return all_states(alphabet.num_states);
}

/// Whether a character stands for a set of states for which there is no letter. No text has such a character.
constexpr bool is_state_set(char symbol) {
    return static_cast<unsigned char>(symbol) >= 0x80;
}

/// What the characters with is_state_set stand for in an alignment. Usually these are the sets of two or more of the
/// first seven states, in the order of their masks; an alignment with other sets has characters of its own.
class SetCharacters {
public:
    /// The number of sets for which there are characters.
    static constexpr std::size_t most = 128;

    /// The usual ones.
    SetCharacters() = default;
    /// Characters for these sets, in their order. Precondition: at most `most`, distinct, of two states or more each.
    explicit SetCharacters(std::vector<StateMask> sets);
    /// The usual characters if these sets have some, otherwise characters for these sets in the order of their masks.
    /// Sets may be repeated. None if there are too many.
    static std::optional<SetCharacters> of(std::vector<StateMask> sets);

    bool are_usual() const { return own_ == nullptr; }
    /// The sets, by their characters.
    std::vector<StateMask> const& sets() const;
    /// The states that a character stands for; 0 if it stands for no set. O(1).
    StateMask states(char symbol) const;
    /// The character of a set; 0 if it has none. O(sets).
    char character(StateMask set) const;
    friend bool operator==(SetCharacters const& a, SetCharacters const& b) { return a.sets() == b.sets(); }

private:
    std::shared_ptr<std::vector<StateMask> const> own_;  // null: the usual ones
};

/// The characters of the states 0, 1, ... of multistate data.
std::string_view multistate_symbols();

/// The states that `symbol` may stand for; 0 if it does not belong to the alphabet. Upper and lower case mean the same.
///
/// DNA: the IUPAC letters; U is T; N X O ? - . ~ * ! are undetermined. Amino acids: the 20 letters; B = N or D, Z = Q
/// or E, J = I or L; X U O ? - . ~ * ! are undetermined. Binary data: N X ? - . ~ * ! are undetermined. Multistate
/// data: ? - . are undetermined. Characters of `sets` belong to alphabets, except for DNA, that have all states of the
/// set.
StateMask state_mask(Alphabet alphabet, char symbol, SetCharacters const& sets = {});
/// The same for all characters, by their value as unsigned char.
std::array<StateMask, 256> state_masks(Alphabet alphabet, SetCharacters const& sets = {});

/// The one upper-case letter for all symbols with the same states ('-' if undetermined); 0 if the symbol is not in the
/// alphabet.
char canonical(Alphabet alphabet, char symbol, SetCharacters const& sets = {});

/// "DNA", "amino-acid", "binary" or "multistate", for messages.
std::string_view name(Alphabet alphabet);

/// The symbols that state_mask accepts, in upper case, for messages.
std::string allowed_symbols(Alphabet alphabet);

}  // namespace regraft::msa
#pragma GCC visibility pop
