// Sums of doubles without rounding: any order, any grouping, any number of ranks gives the same bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft {

/// A fixed-point accumulator as wide as the whole range of double (Kulisch 1971). It has 32-bit digits in 64-bit limbs,
/// so that carries can wait. value() is the exact sum of all terms, rounded once to nearest even.
///
/// To sum over ranks: call normalize(), add the limbs as integers (MPI_SUM of int64), and assign the result to the
/// limbs. Adding the limbs of up to 2^30 normalized sums cannot overflow. Infinities and NaNs are counted, not summed;
/// value() then follows IEEE rules.
class ExactSum {
public:
    /// Number of digits. Digit i has weight 2^(32 i - 1074), i < 70: every product of a double and a 32-bit weight
    /// fits, 2^60 times over.
    static constexpr std::size_t num_digits = 70;
    /// Number of limbs: the digits, then the numbers of +inf, -inf and NaN that were added.
    static constexpr std::size_t num_limbs = num_digits + 3;

    /// Adds weight * x exactly. O(1). A zero weight adds nothing, whatever x is.
    void add(double x, std::uint32_t weight = 1);
    /// Adds another sum exactly. O(num_digits).
    void add(ExactSum const& other);
    /// The correctly rounded sum; 0.0 if nothing was added.
    double value() const;

    /// Makes the limbs canonical: digits 0 .. num_digits-2 in [0, 2^32), the sign in the last one. The value stays.
    void normalize();
    /// The limbs, from the lowest digit on, to be replaced by a sum over ranks.
    std::span<std::int64_t, num_limbs> limbs() { return limbs_; }
    /// The limbs, to be sent after normalize().
    std::span<std::int64_t const, num_limbs> limbs() const { return limbs_; }

private:
    std::array<std::int64_t, num_limbs> limbs_{};
    std::uint32_t pending_ = 0;  // additions since the carries were last propagated
};

}  // namespace regraft
#pragma GCC visibility pop
