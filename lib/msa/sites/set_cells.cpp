#include "msa/sites/set_cells.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "msa/text/text.hpp"

namespace regraft::msa {

std::vector<StateMask> sets_in(std::span<char const> cells, SetCharacters const& sets) {
    std::array<bool, 256> occurs{};
    for (char const c : cells) occurs[static_cast<unsigned char>(c)] = true;
    std::vector<StateMask> found;
    for (auto const set : sets.sets()) {
        if (occurs[static_cast<unsigned char>(sets.character(set))]) found.push_back(set);
    }
    return found;
}

void recode_sets(std::span<char> cells, SetCharacters const& from, SetCharacters const& to) {
    std::array<char, 256> recoded{};
    for (auto const set : from.sets()) recoded[static_cast<unsigned char>(from.character(set))] = to.character(set);
    for (char& c : cells) {
        if (is_state_set(c)) c = recoded[static_cast<unsigned char>(c)];
    }
}

std::string shown_symbol(char symbol, SetCharacters const& sets, Alphabet alphabet) {
    auto const states = sets.states(symbol);
    if (states == 0) return in_quotes({&symbol, 1});
    bool const has_letters = alphabet == Alphabet::dna || alphabet == Alphabet::amino_acid;
    if (has_letters) return "a set of states";  // of data that may have other symbols
    std::string text = "{";
    for (std::size_t s = 0; s < max_states; ++s) {
        if ((states >> s & 1) != 0) text += multistate_symbols()[s];
    }
    return in_quotes(text + '}');
}

}  // namespace regraft::msa
