// Vector instructions of the likelihood kernels. The results do not depend on them.
#pragma once

#include <string_view>
#include <vector>

namespace regraft::likelihood {

/// "avx512", "avx2", "sse4", "neon", "scalar": what this CPU and this build have, the fastest first.
std::vector<std::string_view> available_instructions();

/// What is used from now on, by all threads; for tests. At first the fastest. Precondition: available.
void use_instructions(std::string_view name);
std::string_view used_instructions();

}  // namespace regraft::likelihood
