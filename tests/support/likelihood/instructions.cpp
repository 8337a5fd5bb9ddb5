// With REGRAFT_INSTRUCTIONS=avx2 in the environment a test program uses those vector instructions.
#include "regraft/likelihood/instructions.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

[[maybe_unused]] bool const are_chosen = [] {
    namespace likelihood = regraft::likelihood;
    char const* const name = std::getenv("REGRAFT_INSTRUCTIONS");
    if (name == nullptr || *name == '\0') return false;
    auto const names = likelihood::available_instructions();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        std::fprintf(stderr, "REGRAFT_INSTRUCTIONS=%s: expected one of", name);
        for (auto const known : names) std::fprintf(stderr, " %.*s", static_cast<int>(known.size()), known.data());
        std::fprintf(stderr, "\n");
        std::exit(2);
    }
    likelihood::use_instructions(name);
    return true;
}();

}  // namespace
