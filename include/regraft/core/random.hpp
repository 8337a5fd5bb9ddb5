// Seeded random numbers whose sequence is part of the API: the same seed gives the same numbers on every platform.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "regraft/core/contracts.hpp"

#pragma GCC visibility push(default)
namespace regraft {

/// Mixes one 64-bit number into a well-distributed one; a bijection (SplitMix64, Steele et al. 2014).
std::uint64_t mix(std::uint64_t x);

/// xoshiro256** (Blackman and Vigna 2018), seeded by SplitMix64. Not for cryptography.
class Random {
public:
    /// Starts the sequence that belongs to the seed; any seed is good.
    explicit Random(std::uint64_t seed);
    /// 64 uniform bits.
    std::uint64_t bits();
    /// A uniform number in [0, n), without bias. Precondition: n > 0.
    std::uint64_t below(std::uint64_t n);
    /// A uniform number in [0, 1) with 53 random bits.
    double unit();

private:
    std::array<std::uint64_t, 4> state_{};
};

/// Puts items in a uniformly random order (Fisher-Yates).
template <class T>
void shuffle(std::span<T> items, Random& random) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

}  // namespace regraft
#pragma GCC visibility pop
