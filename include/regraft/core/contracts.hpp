// Contracts: conditions the caller must meet. Breaking one is a bug, so the program stops and names the expression.
#pragma once

#include <string>

namespace regraft::detail {
/// Says why on standard error, and aborts.
[[noreturn]] void end_process(std::string const& why);
[[noreturn]] void contract_broken(char const* kind, char const* expression, char const* file, int line);
}  // namespace regraft::detail

/// Precondition: cheap, always checked. Aborts with the expression and its place. No side effects in x.
#define REGRAFT_EXPECTS(x) \
    (static_cast<bool>(x) ? void(0) : ::regraft::detail::contract_broken("precondition", #x, __FILE__, __LINE__))

/// Internal invariant that may cost O(n): checked in debug builds only. No side effects in x.
#ifdef NDEBUG
#define REGRAFT_ASSERT(x) void(0)
#else
#define REGRAFT_ASSERT(x) \
    (static_cast<bool>(x) ? void(0) : ::regraft::detail::contract_broken("assertion", #x, __FILE__, __LINE__))
#endif
