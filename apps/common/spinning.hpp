// How threads wait for each other.
#pragma once

namespace regraft::common {

/// Makes waiting threads cost less than what they wait for: they spin on their cores for some microseconds, then sleep.
/// By default OpenMP spins for milliseconds, in vain if others have the core. GCC's runtime reads this setting once,
/// before main(), so the program is started again with it in the environment, unless the user has set how to wait.
void limit_spinning(char** argv);

}  // namespace regraft::common
