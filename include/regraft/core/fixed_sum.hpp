// Sums of weighted values as integers: any order, any grouping, any number of threads and ranks gives the same bits.
#pragma once

#include <cstdint>
#include <span>

#include "regraft/core/exact_sum.hpp"

#pragma GCC visibility push(default)
namespace regraft {

/// The grid that values are rounded to before they are weighted and added. The high part of a value counts steps of
/// 2^-high_bits; the low part counts what is left in steps of 2^-(high_bits + low_bits). All parts of one sum must use
/// the same grid.
struct FixedScale {
    int high_bits = 0;       // 12 to 50, less log2(bound)
    int low_bits = 0;        // 12 to 50, less for larger total weights
    double high_factor = 1;  // 2^high_bits
    double low_factor = 1;   // 2^low_bits
    double bound = 0;        // values above this, or not finite, are strays

    /// The finest grid that cannot overflow for values up to `bound` (a power of two) whose weights sum up to at most
    /// total_weight. High steps are at most 2^-42 of the bound for total weights below 2^20.
    static FixedScale of(double bound, std::uint64_t total_weight);
    /// Whether it is a power of two.
    static bool is_bound(double bound);
};

/// A sum, or a part of one. To add parts, add high, low and num_strays as integers, and strays as exact sums if there
/// are any.
struct FixedSum {
    std::int64_t high = 0;        // the sum of weighted high parts, in steps of 2^-high_bits
    std::int64_t low = 0;         // the sum of weighted low parts, in steps of 2^-(high_bits + low_bits)
    std::int64_t num_strays = 0;  // number of values that went to strays
    ExactSum strays;              // the sum of values that are above the bound or not finite, times their weights

    /// Adds weight * value, rounded to the grid. Precondition: all weights fit into the scale's total_weight.
    void add(double value, std::uint32_t weight, FixedScale const& scale);
    /// Adds another part of the same sum.
    void add(FixedSum const& other);
    /// The sum, rounded once.
    double value(FixedScale const& scale) const;
};

}  // namespace regraft
#pragma GCC visibility pop
