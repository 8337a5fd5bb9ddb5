// How many threads and how much memory the likelihoods of a PE get. Results do not depend on it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "input.hpp"
#include "options.hpp"

namespace regraft::phylo {

/// For so many patterns under each spec. With --memory as many slots as fit, or the least if not even these do.
/// Threads: as asked for, or as many as OpenMP would take, as long as each has enough to do.
likelihood::PartitionOptions resources(Options const& options, Dataset const& dataset, std::span<ModelSpec const> specs,
                                       std::span<std::uint64_t const> patterns);

/// Of each partition, or of what may be chosen for it the one that takes most memory.
std::vector<ModelSpec> largest_specs(Dataset const& dataset);

/// "at most 34 MiB (--memory: at least 3)": what the likelihoods take, and what --memory could lower that to.
std::string memory_text(likelihood::PartitionOptions const& resources, Dataset const& dataset,
                        std::span<ModelSpec const> specs, std::span<std::uint64_t const> patterns);

/// What is wrong with --memory, empty if nothing.
std::string memory_problem(Options const& options, Dataset const& dataset, std::span<ModelSpec const> specs,
                           std::span<std::uint64_t const> patterns);

/// What a pattern of each partition costs, as far as its model tells: of one that is chosen later, the dearest
/// candidate.
std::vector<std::uint64_t> cost_per_pattern(Dataset const& dataset);

/// How many patterns of each partition some work has.
std::vector<std::uint64_t> patterns_of(std::span<assign::Work const> work, std::size_t num_partitions);

}  // namespace regraft::phylo
