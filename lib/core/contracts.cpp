#include "regraft/core/contracts.hpp"

#include <cstdio>
#include <cstdlib>

namespace regraft::detail {

void end_process(std::string const& why) {
    static_cast<void>(std::fprintf(stderr, "regraft: %s\n", why.c_str()));
    std::abort();
}

void contract_broken(char const* kind, char const* expression, char const* file, int line) {
    static_cast<void>(std::fprintf(stderr, "%s:%d: regraft %s broken: %s\n", file, line, kind, expression));
    std::abort();
}

}  // namespace regraft::detail
