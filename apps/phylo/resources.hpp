// How many threads and how much memory the likelihoods of a PE get. Results do not depend on it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "input.hpp"
#include "options.hpp"

namespace regraft::phylo {

/// For so many patterns of each partition. With --memory as many slots as fit, or the least if not even these do.
/// Threads: as asked for, or as many as OpenMP would take, as long as each has enough to do.
likelihood::PartitionOptions resources(Options const& options, Dataset const& dataset,
                                       std::span<std::uint64_t const> patterns);

/// "at most 34 MiB (--memory: at least 3)": what the likelihoods take, and what --memory could lower that to.
std::string memory_text(likelihood::PartitionOptions const& resources, Dataset const& dataset,
                        std::span<std::uint64_t const> patterns);

/// What is wrong with --memory, empty if nothing.
std::string memory_problem(Options const& options, Dataset const& dataset, std::span<std::uint64_t const> patterns);

/// How many patterns of each partition some work has.
std::vector<std::uint64_t> patterns_of(std::span<assign::Work const> work, std::size_t num_partitions);

}  // namespace regraft::phylo
