// Matrices of amino acids in files of PAML.
#pragma once

#include <string>
#include <string_view>

namespace regraft::phylo {

/// Whether the model's name is that of a file that begins with a number, as a matrix does.
bool has_matrix_file(std::string_view model);

/// The model with the contents of such a file: my.dat+G4 becomes PROTGTR{...}+FU{...}+G4, without the frequencies if
/// the model has some itself. Other models stay as they are. Throws InputError.
std::string with_matrix(std::string_view model);

}  // namespace regraft::phylo
