#include "regraft/msa/alphabet.hpp"

#include <array>
#include <cstddef>

namespace regraft::msa {
namespace {

constexpr std::string_view unknown = "XO?-.~*!";
constexpr std::string_view dna_by_mask = " ACMGRSVTWYHKDB-";
constexpr std::string_view amino_acids = "ARNDCQEGHILKMFPSTWYV";

struct Symbols {
    std::array<StateMask, 256> mask{};
    std::array<char, 256> canonical{};

    constexpr void add(char symbol, StateMask states, char letter) {
        auto const set = [&](char c) {
            mask[static_cast<unsigned char>(c)] = states;
            canonical[static_cast<unsigned char>(c)] = letter;
        };
        set(symbol);
        if ('A' <= symbol && symbol <= 'Z') set(static_cast<char>(symbol - 'A' + 'a'));
    }
};

constexpr Symbols make_dna() {
    Symbols symbols;
    for (StateMask mask = 1; mask < 16; ++mask) symbols.add(dna_by_mask[mask], mask, dna_by_mask[mask]);
    symbols.add('U', 8, 'T');
    symbols.add('N', 15, '-');
    for (char c : unknown) symbols.add(c, 15, '-');
    return symbols;
}

constexpr StateMask amino_acid(char letter) {
    return StateMask{1} << amino_acids.find(letter);
}

constexpr Symbols make_amino_acids() {
    Symbols symbols;
    for (char c : amino_acids) symbols.add(c, amino_acid(c), c);
    symbols.add('B', amino_acid('N') | amino_acid('D'), 'B');
    symbols.add('Z', amino_acid('Q') | amino_acid('E'), 'Z');
    symbols.add('J', amino_acid('I') | amino_acid('L'), 'J');
    // Selenocysteine is no state of any 20-state model.
    symbols.add('U', undetermined(Alphabet::amino_acid), '-');
    for (char c : unknown) symbols.add(c, undetermined(Alphabet::amino_acid), '-');
    return symbols;
}

constexpr Symbols dna = make_dna();
constexpr Symbols amino_acid_symbols = make_amino_acids();

constexpr Symbols const& symbols_of(Alphabet alphabet) {
    return alphabet == Alphabet::dna ? dna : amino_acid_symbols;
}

}  // namespace

StateMask state_mask(Alphabet alphabet, char symbol) {
    return symbols_of(alphabet).mask[static_cast<unsigned char>(symbol)];
}

char canonical(Alphabet alphabet, char symbol) {
    return symbols_of(alphabet).canonical[static_cast<unsigned char>(symbol)];
}

std::string_view name(Alphabet alphabet) {
    return alphabet == Alphabet::dna ? "DNA" : "amino-acid";
}

std::string_view allowed_symbols(Alphabet alphabet) {
    return alphabet == Alphabet::dna ? "ACGTURYSWKMBDHVNXO?-.~*!" : "ARNDCQEGHILKMFPSTWYVBZJXUO?-.~*!";
}

}  // namespace regraft::msa
