// Hashes so long that bytes with equal ones may be taken for equal.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft {

/// 128 bits. Among 2^32 different texts that were not made for it, two have the same with a probability of 2^-65.
struct Digest {
    std::uint64_t low = 0;   // the 64 bits of lower value
    std::uint64_t high = 0;  // the 64 bits of higher value
    friend auto operator<=>(Digest const&, Digest const&) = default;
};

/// XXH3 of the bytes.
Digest digest(std::span<std::byte const> bytes);

}  // namespace regraft
#pragma GCC visibility pop
