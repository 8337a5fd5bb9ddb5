// The posterior mean frequencies of the states at each site (PMSF; Wang et al. 2018).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "input/input.hpp"
#include "regraft/assign/assignment.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/search/distributed_likelihood.hpp"

namespace regraft::phylo {

/// [pattern][state] on the leading PE; empty on the others: the mean over the classes of the model's profile mixture,
/// each by its posterior probability. likelihood: of this PE's part of the work. Preconditions: the only partition has
/// a profile mixture; the work deals each pattern to one member. Collective, uniform.
std::vector<double> posterior_frequencies(ft::Communicator& comm, Dataset const& dataset,
                                          assign::Assignment const& work, DistributedLikelihood& likelihood);

/// The text of PREFIX.sitefreq in the format of IQ-TREE: a line per site, with its number and the frequencies, which
/// come back bit for bit. Precondition: the dataset knows the pattern of each site.
std::string site_frequency_table(Dataset const& dataset, std::span<double const> frequencies);

}  // namespace regraft::phylo
