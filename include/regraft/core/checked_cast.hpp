// Integer conversion that refuses to change the value.
#pragma once

#include <concepts>
#include <utility>

#include "regraft/core/contracts.hpp"

#pragma GCC visibility push(default)
namespace regraft {

/// Converts x to To. Aborts if x does not fit.
template <std::integral To, std::integral From>
constexpr To checked_cast(From x) {
    REGRAFT_EXPECTS(std::in_range<To>(x));
    return static_cast<To>(x);
}

}  // namespace regraft
#pragma GCC visibility pop
