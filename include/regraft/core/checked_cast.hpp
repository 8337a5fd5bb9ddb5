// Integer conversion that refuses to change the value.
#pragma once

#include "regraft/core/contracts.hpp"

#include <concepts>
#include <utility>

namespace regraft {

/// x as a To. Aborts if x does not fit.
template <std::integral To, std::integral From>
constexpr To checked_cast(From x) {
    REGRAFT_EXPECTS(std::in_range<To>(x));
    return static_cast<To>(x);
}

}  // namespace regraft
