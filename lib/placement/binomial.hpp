// The binomial distribution, exact even for millions of trials (Loader 2000, "Fast and accurate computation of binomial
// probabilities").
#pragma once

#include <cstdint>

#include "regraft/core/random.hpp"

namespace regraft::placement {

/// A probability and its complement, both with full relative precision.
struct Chance {
    double yes = 0;  // in (0, 1)
    double no = 0;   // 1 - yes
};

/// The chance with these odds: yes / no = exp(log_odds).
Chance chance_of_log_odds(double log_odds);

/// A probability as exp(log) * factor, so that it may be smaller than any double.
struct Scaled {
    double log = 0;
    double factor = 1;
    double get() const;
};

/// The probability that k of n trials succeed. Precondition: k <= n.
Scaled binomial_probability(std::uint64_t n, std::uint64_t k, Chance chance);

/// Draws the number of n trials that succeed. O(sqrt(n)).
std::uint64_t sample_binomial(std::uint64_t n, Chance chance, Random& random);

}  // namespace regraft::placement
