// Whether the shield can work where it finds itself: the MPI, and what else is in the program.
#pragma once

#include <string>

namespace regraft::shield {

/// After MPI_Init. Empty: nothing is in the way; else why the shield would not work.
std::string what_is_in_the_way();

/// The program asks MPI about failures itself, by this call: from now on it gets what MPI gives.
void stand_aside(char const* call);

}  // namespace regraft::shield
