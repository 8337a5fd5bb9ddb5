// The spectral decomposition of a reversible rate matrix.
#pragma once

#include <span>

#include "regraft/likelihood/site_model.hpp"

namespace regraft::likelihood {

/// The eigensystem of Q_ij = exchangeability_ij * frequency_j, scaled to mean rate 1. Exchangeabilities are the upper
/// triangle by rows; frequencies may have any scale. O(n^3). Precondition: no value is negative, and two states of
/// positive frequency have a positive exchangeability.
Eigensystem eigensystem(std::span<double const> exchangeabilities, std::span<double const> frequencies);

}  // namespace regraft::likelihood
