// Made by tools/codec/priors.py: what is known of letters before an alignment is. A digit is a code of a frequency, 0 to v.
#pragma once

#include <array>
#include <string_view>

namespace regraft::codec {

struct Prior {
    std::string_view letters;
    std::string_view frequencies;
    std::array<std::string_view, 20> changes;  // per letter
};

/// Nucleotides: the letters, most frequent first; codes of their frequencies; and for each letter those of the letters to which
/// it changes.
inline constexpr Prior nucleotides{
    "ACTG", "vuut",
    {"0ssv", "r0vm", "rv0m", "vmn0"}};

/// Amino acids: the letters, most frequent first; codes of their frequencies; and for each letter those of the letters to which
/// it changes.
inline constexpr Prior amino_acids{
    "LAEVKISGRTDPFNQYMHCW", "vuuuuuutttttttssrrpp",
    {"0vkotkpqpsmijktkdist", "v0unqmgpplusrnormuph", "ju0knvnnlptmrljgmmlg", "nlj0nvsissoljunkgjmg", "spno0olgvpqiopdmnc9p",
     "jluvn0gkunqmtmpplfjf", "phoumi0opvpsmpkribfl", "srplinp0vppnvolkomqj", "pomtvvot0mqgimpndljq", "smqvqpvon0jkvhninngj",
     "ovvrstqprk0rrrrnfmkg", "lvpplquojmt0nqnpsnpl", "krtlpvmujvqk0sqorklh", "jmlvonnmmgomr0kcgdfk", "vrmqgtllsosmrn0q8nsn",
     "nvlpquvnrmqqrhs0slnl", "irsmtrmrirjtvmbt0mhk", "jvomdhblnnllkfmij0kr", "vsprdoismjnpnjtngm0d", "vkikrjnkskhkionkhsc0"}};

}  // namespace regraft::codec
