// Posterior probabilities of the categories of rates, and of the states at a node, given the tips.
#pragma once

#include <cstddef>
#include <vector>

#include "likelihood/kernels/kernels.hpp"
#include "likelihood/partition/root_values.hpp"

namespace regraft::likelihood {

/// What kernels::make_products says of some sites at a node, and the prior probabilities there.
struct JointLikelihoods {
    kernels::Shape shape;
    double const* table;
    RootValues const& root;
    std::size_t first_site;
    std::size_t last_site;  // behind the last one
};

/// [site][category]; first that of invariant sites, if there can be any. A site that is impossible keeps the prior
/// probabilities.
std::vector<double> category_posteriors(JointLikelihoods const& joint);
/// [site][state], likewise.
std::vector<double> state_posteriors(JointLikelihoods const& joint);

}  // namespace regraft::likelihood
