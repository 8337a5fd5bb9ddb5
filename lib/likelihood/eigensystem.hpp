// The spectral decomposition of a reversible rate matrix.
#pragma once

#include <span>

#include "regraft/likelihood/site_model.hpp"

namespace regraft::likelihood {

/// Of Q_ij = exchangeability_ij * frequency_j, scaled to mean rate 1. Exchangeabilities are the upper triangle by rows,
/// frequencies of any scale. O(n^3). Precondition: none is negative, and two states of positive frequency exchange.
Eigensystem eigensystem(std::span<double const> exchangeabilities, std::span<double const> frequencies);

}  // namespace regraft::likelihood
