// The weights of the classes of profile mixtures.
#pragma once

#include "regraft/search/distributed_likelihood.hpp"

namespace regraft::search {

/// Optimises the weights of the classes of all partitions whose model says so, by expectation maximisation (Dempster,
/// Laird and Rubin 1977), until a step gains less than `enough`. Everything else stays.
void optimise_class_weights(DistributedLikelihood& likelihood, double enough);

}  // namespace regraft::search
