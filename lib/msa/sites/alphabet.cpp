#include "regraft/msa/alphabet.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "regraft/core/contracts.hpp"

namespace regraft::msa {
namespace {

constexpr std::string_view unknown = "?-.~*!";
constexpr std::string_view dna_by_mask = " ACMGRSVTWYHKDB-";
constexpr std::string_view amino_acids = "ARNDCQEGHILKMFPSTWYV";
constexpr std::string_view states_by_number = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ!\"#$%&'()*+,/:;<=>@[\\]^_{|}~";
static_assert(states_by_number.size() == max_states);
/// The mask of undetermined symbols, for any number of states.
constexpr StateMask anything = ~StateMask{0};

/// The first character of a set.
constexpr std::size_t first_set = 0x80;
static_assert(first_set + SetCharacters::most == 256);

/// The sets of at least two of the states 0 to 6, in the order of their masks.
std::vector<StateMask> make_usual_sets() {
    std::vector<StateMask> sets;
    for (StateMask set = 1; set < StateMask{1} << 7U; ++set) {
        if (!std::has_single_bit(set)) sets.push_back(set);
    }
    return sets;
}

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

std::string_view multistate_symbols() {
    return states_by_number;
}

SetCharacters::SetCharacters(std::vector<StateMask> sets)
    : own_(std::make_shared<std::vector<StateMask> const>(std::move(sets))) {
    REGRAFT_EXPECTS(own_->size() <= most);
    REGRAFT_EXPECTS(std::ranges::all_of(*own_, [](StateMask set) { return std::popcount(set) >= 2; }));
}

std::optional<SetCharacters> SetCharacters::of(std::vector<StateMask> sets) {
    std::ranges::sort(sets);
    sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
    SetCharacters usual;
    if (std::ranges::includes(usual.sets(), sets)) return usual;
    if (sets.size() > most) return std::nullopt;
    return SetCharacters(std::move(sets));
}

std::vector<StateMask> const& SetCharacters::sets() const {
    static std::vector<StateMask> const usual = make_usual_sets();
    return are_usual() ? usual : *own_;
}

StateMask SetCharacters::states(char symbol) const {
    if (!is_state_set(symbol)) return 0;
    auto const number = static_cast<unsigned char>(symbol) - first_set;
    return number < sets().size() ? sets()[number] : 0;
}

char SetCharacters::character(StateMask set) const {
    auto const found = std::ranges::find(sets(), set);
    if (found == sets().end()) return 0;
    return static_cast<char>(static_cast<unsigned char>(first_set + static_cast<std::size_t>(found - sets().begin())));
}

StateMask state_mask(Alphabet alphabet, char symbol, SetCharacters const& sets) {
    if (is_state_set(symbol)) {
        auto const states = sets.states(symbol);
        bool const has_all = (states & ~undetermined(alphabet)) == 0;
        return alphabet != Alphabet::dna && has_all ? states : 0;  // DNA has letters for all sets
    }
    return symbols_of(alphabet).mask[static_cast<unsigned char>(symbol)] & undetermined(alphabet);
}

std::array<StateMask, 256> state_masks(Alphabet alphabet, SetCharacters const& sets) {
    std::array<StateMask, 256> masks{};
    for (std::size_t c = 0; c < masks.size(); ++c)
        masks[c] = state_mask(alphabet, static_cast<char>(static_cast<unsigned char>(c)), sets);
    return masks;
}

char canonical(Alphabet alphabet, char symbol, SetCharacters const& sets) {
    auto const mask = state_mask(alphabet, symbol, sets);
    if (mask == 0) return 0;
    if (is_state_set(symbol)) return mask == undetermined(alphabet) ? '-' : symbol;
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
