// Other maxima of the likelihood in free rates over sites.
#pragma once

#include "regraft/search/distributed_likelihood.hpp"

namespace regraft::search {

/// The likelihood of a mixture of rates has several maxima: categories that serve few sites hardly change it, and a
/// maximiser cannot take them to where they would serve more. This joins two categories of neighbouring rates and
/// divides another one instead, in each partition with free rates, and keeps the best result that gains epsilon in
/// log-likelihood. Branch lengths and other parameters stay. Returns whether a model has changed.
bool move_categories(DistributedLikelihood& likelihood, double epsilon);

}  // namespace regraft::search
