// The vector instructions that the likelihood kernels use. The results do not depend on them.
#pragma once

#include <string_view>
#include <vector>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft::likelihood {

/// The instructions that this CPU and this build have, the fastest first: "avx512", "avx2", "sse4", "neon", "scalar".
std::vector<std::string_view> available_instructions();

/// Selects the instructions for all threads from now on; for tests. The default is the fastest. Precondition:
/// available.
void use_instructions(std::string_view name);
/// The name of the selected instructions.
std::string_view used_instructions();

}  // namespace regraft::likelihood
#pragma GCC visibility pop
