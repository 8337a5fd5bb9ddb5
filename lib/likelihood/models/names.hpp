// Names of models that other programs use, and the name that somebody may have meant.
#pragma once

#include <string>
#include <string_view>

namespace regraft::likelihood {

/// The name by which parse_model knows this one, in upper case; the name itself if it is no other program's.
std::string known_name(std::string_view upper);

/// MODEL as other programs write it, in our words: GTRGAMMAI of RAxML 8 is GTR+G+I, and PROTGAMMALGF is LG+G+F. Other
/// models stay as they are.
std::string in_our_words(std::string_view model);

/// For a matrix that other programs have, and these models lack: which one is near. Empty for other names.
std::string_view nearest_matrix(std::string_view upper);

/// Whether the name is that of a model of codons in other programs, which these models lack.
bool is_codon_name(std::string_view upper);

/// The known name with the fewest letters that differ from this one; empty if more than two
/// and more than a third of them do.
std::string nearest_name(std::string_view upper, std::string_view names);

}  // namespace regraft::likelihood
