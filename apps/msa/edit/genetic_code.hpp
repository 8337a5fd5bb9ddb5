// Genetic codes, by the numbers of NCBI's tables (Elzanowski and Ostell, The Genetic Codes).
#pragma once

#include <cstdint>
#include <string>

#include "regraft/msa/alphabet.hpp"

namespace regraft::msa_cli {

/// What the codons of a code mean.
class GeneticCode {
public:
    /// Throws InputError if NCBI has no table of this number.
    explicit GeneticCode(std::uint32_t number);

    /// What a codon means whose bases are sets of A, C, G and T, in this order of bits: the one amino acid that all of
    /// its codons mean, or '*' if all of them are stops; B for D or N, Z for E or Q, J for I or L; otherwise X.
    /// Precondition: no set is empty.
    char meaning(msa::StateMask first, msa::StateMask second, msa::StateMask third) const {
        return meanings_[(first << 8) | (second << 4) | third];
    }

private:
    std::string meanings_;  // by three sets of bases, 4 bits each
};

}  // namespace regraft::msa_cli
