// How many threads and how much memory the likelihoods of a PE get. Results do not depend on it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "input.hpp"
#include "options.hpp"

namespace regraft::phylo {

/// For these sites of each partition. With --memory as many slots as fit, or the least if not even these do. Threads:
/// as asked for, or as many as OpenMP would take, as long as each has enough to do.
likelihood::PartitionOptions resources(Options const& options, Dataset const& dataset,
                                       std::span<likelihood::Sites const> sites);

/// "at most 34 MiB (--memory: at least 3)": what the likelihoods take, and what --memory could lower that to.
std::string memory_text(likelihood::PartitionOptions const& resources, Dataset const& dataset,
                        std::span<likelihood::Sites const> sites);

/// What is wrong with --memory, empty if nothing.
std::string memory_problem(Options const& options, Dataset const& dataset, std::span<likelihood::Sites const> sites);

}  // namespace regraft::phylo
