// The gamma distribution of rates among sites, cut into categories of equal weight (Yang 1994).
#pragma once

#include <cstdint>
#include <vector>

#include "regraft/likelihood/model.hpp"

namespace regraft::likelihood {

/// The rates of `categories` parts of equal probability, ascending, with mean 1: the mean of each part or its median,
/// scaled. Precondition: heterogeneity is one of gamma, alpha is within min_alpha and max_given_alpha, categories is
/// not 0.
std::vector<double> gamma_rates(Heterogeneity heterogeneity, double alpha, std::uint32_t categories);

}  // namespace regraft::likelihood
