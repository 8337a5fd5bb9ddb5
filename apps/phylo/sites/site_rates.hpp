// Rates of single sites by the empirical Bayesian method (Mayrose et al. 2004).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "input/input.hpp"
#include "regraft/assign/assignment.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/search.hpp"
#include "report/report.hpp"

namespace regraft::phylo {

/// The rates of all patterns, on the leading PE; nothing on the others. likelihood: of this PE's part of the work, on
/// all partitions. Precondition: the work deals each pattern to one member. Collective, uniform.
PatternRates pattern_rates(ft::Communicator& comm, Dataset const& dataset, assign::Assignment const& work,
                           DistributedLikelihood& likelihood);

/// The text of PREFIX.rate in the format of IQ-TREE: a line per site, by partitions. Categories are numbered by their
/// rates, the slowest is 1, and sites that never change are 0. Precondition: the dataset knows the pattern of each
/// site.
std::string rate_table(Dataset const& dataset, SearchState const& state, PatternRates const& rates,
                       std::string_view file);

}  // namespace regraft::phylo
