// All branch lengths of a tree together.
#pragma once

#include <vector>

#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/optimise.hpp"

namespace regraft::search {

/// Whether the length is at a bound and the likelihood rises only beyond it.
inline bool is_at_limit(double length, BranchValue const& f) {
    return (f.first <= 0 && length <= min_branch_length) || (f.first >= 0 && length >= max_branch_length);
}

/// The log-likelihood of each length set. Collective.
inline std::vector<double> loglh_of_sets(DistributedLikelihood& likelihood) {
    return likelihood.tree().num_length_sets() > 1 ? likelihood.partition_loglh() : std::vector{likelihood.loglh()};
}

/// Climbs by the gradient of all branch lengths, every length set separately, until a step gains less than `tolerance`
/// in log-likelihood (L-BFGS within bounds, by NLopt). No set's log-likelihood falls. Lengths close to 0 may stay
/// there, although they would gain by growing: the curvature there hides it. after_each: is reached after each
/// evaluation. Returns the gain. Collective.
double ascend(DistributedLikelihood& likelihood, double tolerance, ft::FailPoint& after_each);

}  // namespace regraft::search
