// Corrections for sites that never change and were left out (Leache et al. 2015).
#pragma once

#include <array>
#include <span>

#include "regraft/likelihood/model.hpp"

namespace regraft::likelihood {

/// The probability that a site never changes, and its derivatives by a length, all divided by exp(log_scale).
struct Unchanging {
    double probability = 0;
    double first = 0;
    double second = 0;
    double log_scale = 0;
};

/// Sums up the probabilities from the log-likelihoods of the patterns that show no change.
Unchanging unchanging(std::span<double const> loglh);

/// The terms that are added to the log-likelihood and its derivatives. lewis: per site of the data; felsenstein: per
/// site that was left out.
std::array<double, 3> correction(Ascertainment ascertainment, Unchanging const& sites);

}  // namespace regraft::likelihood
