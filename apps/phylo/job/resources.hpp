// Decides how many threads and how much memory the likelihoods of a PE get. Results do not depend on it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "input/input.hpp"
#include "options/options.hpp"

namespace regraft::phylo {

/// The number of subtrees that a search on a group of num_ranks ranks looks ahead (Lookahead), the next one included:
/// the more, the longer a reduction takes compared with the work between two. 1 on a single rank and with --memory.
std::size_t lookahead(Options const& options, Dataset const& dataset, std::size_t num_ranks);

/// The number of escapes that such a group computes at the same time (WaysAhead): as many, unless their likelihoods
/// would take much memory.
std::size_t ways_ahead(Options const& options, Dataset const& dataset, std::size_t num_ranks);

/// The resources for the likelihoods of a PE. patterns: its number of patterns under each spec. lookahead: as the
/// function of this name returns it. With --memory there are as many slots as fit, or the minimum if not even these do.
/// There are as many threads as requested, or as many as OpenMP would use, as long as each has enough to do.
likelihood::PartitionOptions resources(Options const& options, Dataset const& dataset, std::span<ModelSpec const> specs,
                                       std::span<std::uint64_t const> patterns, std::size_t lookahead);

/// The spec of each partition; if its model is to be chosen, the candidate that takes the most memory.
std::vector<ModelSpec> largest_specs(Dataset const& dataset);

/// "at most 34 MiB (--memory: at least 3)": the memory of the likelihoods, of which each escape that is computed at the
/// same time needs its own, and how far --memory could lower it. ways: as ways_ahead returns it.
std::string memory_text(likelihood::PartitionOptions const& resources, Dataset const& dataset,
                        std::span<ModelSpec const> specs, std::span<std::uint64_t const> patterns, std::size_t ways);

/// A message if --memory does not suffice for the likelihoods of a PE; otherwise empty.
std::string memory_problem(Options const& options, Dataset const& dataset, std::span<ModelSpec const> specs,
                           std::span<std::uint64_t const> patterns);

/// The cost of a pattern of each partition, according to its model; for a model that is chosen later, that of the most
/// expensive candidate.
std::vector<std::uint64_t> cost_per_pattern(Dataset const& dataset);

/// The number of patterns of each partition in some work.
std::vector<std::uint64_t> patterns_of(std::span<assign::Work const> work, std::size_t num_partitions);

}  // namespace regraft::phylo
