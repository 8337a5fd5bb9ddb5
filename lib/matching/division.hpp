// Rounding up.
#pragma once

#include <cstdint>

namespace regraft::matching {

/// The quotient, rounded up. Precondition: b > 0, a + b < 2^64.
constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
    return (a + b - 1) / b;
}

}  // namespace regraft::matching
