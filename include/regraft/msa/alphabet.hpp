// Molecular alphabets: a character of an alignment stands for a set of states.
#pragma once

#include <cstdint>
#include <string_view>

namespace regraft::msa {

/// State numbers follow the order of the letters: DNA is ACGT, amino acids are ARNDCQEGHILKMFPSTWYV.
enum class Alphabet : std::uint8_t { dna, amino_acid };

/// Bit s is set if state s is possible.
using StateMask = std::uint32_t;

/// 4 for DNA, 20 for amino acids.
constexpr std::uint32_t num_states(Alphabet alphabet) {
    return alphabet == Alphabet::dna ? 4 : 20;
}

/// All states possible: what a gap or an unknown character stands for.
constexpr StateMask undetermined(Alphabet alphabet) {
    return (StateMask{1} << num_states(alphabet)) - 1;
}

/// The states that `symbol` may stand for; 0 if it does not belong to the alphabet. Upper and lower case are the same.
///
/// DNA: the IUPAC letters; U is T; N X O ? - . ~ * ! are undetermined.
/// Amino acids: the 20 letters; B = N or D, Z = Q or E, J = I or L; X U O ? - . ~ * ! are undetermined.
StateMask state_mask(Alphabet alphabet, char symbol);

/// The one upper-case letter for all symbols with the same states ('-' if undetermined); 0 if not in the alphabet.
char canonical(Alphabet alphabet, char symbol);

/// "DNA" or "amino-acid", for messages.
std::string_view name(Alphabet alphabet);

/// The symbols that state_mask accepts, in upper case, for messages.
std::string_view allowed_symbols(Alphabet alphabet);

}  // namespace regraft::msa
