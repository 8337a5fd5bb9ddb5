// Other maxima of the likelihood in rates over sites.
#pragma once

#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/optimise.hpp"

namespace regraft::search {

/// The likelihood of a mixture of rates has several maxima: categories that serve few sites hardly change it, and a
/// maximiser cannot take them to where they would serve more. This joins two categories of neighbouring rates and
/// divides another one instead, in each partition with free rates, and keeps the best result that gains epsilon in
/// log-likelihood. Branch lengths and other parameters stay. Returns whether a model has changed.
bool move_categories(DistributedLikelihood& likelihood, double epsilon);

/// Where some sites never change, gamma rates may have two maxima: a small alpha, under which the slow categories serve
/// these sites, and a larger one. This goes to the other one in each partition, where scalers are free by its scaler
/// first, and optimises the model there, unless that begins far below. It keeps what ends there and gains epsilon in
/// log-likelihood. Branch lengths stay. lengths: whether scalers are free, as in optimise_models; partitions with fixed
/// scalers among free ones stay. Returns whether a model has changed.
bool move_shapes(DistributedLikelihood& likelihood, double epsilon, Lengths lengths);

}  // namespace regraft::search
