// The cost of the likelihoods of a pattern relative to other models, so that patterns can be dealt evenly by time.
#pragma once

#include <cstdint>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft::likelihood {

/// Approximately the nanoseconds that a pattern takes in a work package of a search, as measured on one machine by
/// tools/bench/costs.py. The value is the same on every machine. Precondition: 2 to 64 states, num_categories > 0.
std::uint64_t cost_per_pattern(std::uint32_t num_states, std::uint32_t num_categories);

}  // namespace regraft::likelihood
#pragma GCC visibility pop
