// The empirical amino-acid matrices by name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "regraft/likelihood/model.hpp"

namespace regraft::likelihood {

/// The text with ASCII letters in upper case; other characters stay.
std::string upper_case(std::string_view text);

/// The matrix of that name, in upper or lower case; four for LG4M and LG4X. Empty if there is none.
std::span<EmpiricalMatrix const> find_matrices(std::string_view name);

/// All names that find_matrices knows, except for the parts of LG4M and LG4X, separated by spaces.
std::string matrix_names();

}  // namespace regraft::likelihood
