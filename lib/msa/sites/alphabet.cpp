#include "regraft/msa/alphabet.hpp"

#include <array>
#include <cstddef>

namespace regraft::msa {
namespace {

constexpr std::string_view unknown = "?-.~*!";
constexpr std::string_view dna_by_mask = " ACMGRSVTWYHKDB-";
constexpr std::string_view amino_acids = "ARNDCQEGHILKMFPSTWYV";
constexpr std::string_view states_by_number = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ!\"#$%&'()*+,/:;<=>@[\\]^_{|}~";
static_assert(states_by_number.size() == max_states);
/// The mask of undetermined symbols, for any number of states.
constexpr StateMask anything = ~StateMask{0};

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
    /// Adds a state for each symbol, in this order.
    constexpr void add_states(std::string_view symbols) {
        for (std::size_t s = 0; s < symbols.size(); ++s) add(symbols[s], StateMask{1} << s, symbols[s]);
    }
    constexpr void add_undetermined(std::string_view symbols) {
        for (char c : symbols) add(c, anything, '-');
    }
};

constexpr Symbols make_dna() {
    Symbols symbols;
    for (StateMask mask = 1; mask < 15; ++mask) symbols.add(dna_by_mask[mask], mask, dna_by_mask[mask]);
    symbols.add('U', 8, 'T');
    symbols.add_undetermined("NXO");
    symbols.add_undetermined(unknown);
    return symbols;
}

constexpr StateMask amino_acid(char letter) {
    return StateMask{1} << amino_acids.find(letter);
}

constexpr Symbols make_amino_acids() {
    Symbols symbols;
    symbols.add_states(amino_acids);
    symbols.add('B', amino_acid('N') | amino_acid('D'), 'B');
    symbols.add('Z', amino_acid('Q') | amino_acid('E'), 'Z');
    symbols.add('J', amino_acid('I') | amino_acid('L'), 'J');
    // Selenocysteine is not a state of any 20-state model.
    symbols.add_undetermined("UXO");
    symbols.add_undetermined(unknown);
    return symbols;
}

constexpr Symbols make_binary() {
    Symbols symbols;
    symbols.add_states(states_by_number.substr(0, 2));
    symbols.add_undetermined("NX");
    symbols.add_undetermined(unknown);
    return symbols;
}

constexpr Symbols make_multistate() {
    Symbols symbols;
    symbols.add_states(states_by_number);
    symbols.add_undetermined("?-.");
    return symbols;
}

constexpr Symbols dna = make_dna();
constexpr Symbols amino_acid_symbols = make_amino_acids();
constexpr Symbols binary = make_binary();
constexpr Symbols multistate = make_multistate();

/// The symbols of the alphabet's kind, including those of states that the alphabet does not have.
constexpr Symbols const& symbols_of(Alphabet alphabet) {
    switch (alphabet.kind) {
        case Alphabet::Kind::dna:
            return dna;
        case Alphabet::Kind::amino_acid:
            return amino_acid_symbols;
        case Alphabet::Kind::binary:
            return binary;
        case Alphabet::Kind::multistate:
            break;
    }
    return multistate;
}

}  // namespace

StateMask state_mask(Alphabet alphabet, char symbol) {
    return symbols_of(alphabet).mask[static_cast<unsigned char>(symbol)] & undetermined(alphabet);
}

std::array<StateMask, 256> state_masks(Alphabet alphabet) {
    auto masks = symbols_of(alphabet).mask;
    for (auto& mask : masks) mask &= undetermined(alphabet);
    return masks;
}

char canonical(Alphabet alphabet, char symbol) {
    if (state_mask(alphabet, symbol) == 0) return 0;
    return symbols_of(alphabet).canonical[static_cast<unsigned char>(symbol)];
}

std::string_view name(Alphabet alphabet) {
    switch (alphabet.kind) {
        case Alphabet::Kind::dna:
            return "DNA";
        case Alphabet::Kind::amino_acid:
            return "amino-acid";
        case Alphabet::Kind::binary:
            return "binary";
        case Alphabet::Kind::multistate:
            break;
    }
    return "multistate";
}

std::string allowed_symbols(Alphabet alphabet) {
    switch (alphabet.kind) {
        case Alphabet::Kind::dna:
            return "ACGTURYSWKMBDHVNXO?-.~*!";
        case Alphabet::Kind::amino_acid:
            return "ARNDCQEGHILKMFPSTWYVBZJXUO?-.~*!";
        case Alphabet::Kind::binary:
            return "01NX?-.~*!";
        case Alphabet::Kind::multistate:
            break;
    }
    return std::string(states_by_number.substr(0, alphabet.num_states)) + "?-.";
}

}  // namespace regraft::msa
