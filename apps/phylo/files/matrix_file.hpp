// Matrices of amino acids in files of PAML.
#pragma once

#include <string>
#include <string_view>

namespace regraft::phylo {

/// The model without its options: GTR of GTR+G4, MK of MK{...}.
std::string_view name_of(std::string_view model);

/// Whether the model's name is that of a file that begins with a number, as a matrix does.
bool has_matrix_file(std::string_view model);

/// The model with the contents of such a file: my.dat+G4 becomes PROTGTR{...}+FU{...}+G4, without the frequencies if
/// the model has some itself. Other models stay as they are. Throws InputError.
std::string with_matrix(std::string_view model);

}  // namespace regraft::phylo
