// Cells that stand for sets of states.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "regraft/msa/alphabet.hpp"

namespace regraft::msa {

/// The sets that occur in cells, each once. O(cells).
std::vector<StateMask> sets_in(std::span<char const> cells, SetCharacters const& sets);

/// Gives cells the characters of `to` for their sets. Precondition: `to` has all of them.
void recode_sets(std::span<char> cells, SetCharacters const& from, SetCharacters const& to);

/// A symbol in quotes, or a set as NEXUS writes it, such as '{01}', for messages about data of an alphabet.
std::string shown_symbol(char symbol, SetCharacters const& sets, Alphabet alphabet);

}  // namespace regraft::msa
