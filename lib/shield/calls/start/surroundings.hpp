// Checks whether the shield can work in its surroundings: the MPI, and other libraries in the program.
#pragma once

#include <string>

namespace regraft::shield {

/// The reason why the shield would not work; empty: there is none. Called after MPI_Init.
std::string what_is_in_the_way();

/// Is called when the program asks MPI about failures itself, by this call: from now on it gets MPI's own results.
void stand_aside(char const* call);

}  // namespace regraft::shield
