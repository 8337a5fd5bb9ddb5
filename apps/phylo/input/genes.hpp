// Genes: partitions of which each gets a tree of its own, over the taxa that have data in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "input/input.hpp"
#include "regraft/ft/communicator.hpp"

namespace regraft::phylo {

/// The taxa with data in each partition, for Dataset::taxa_of_gene. blocks: those of my_part. Collective.
std::vector<std::vector<std::uint32_t>> taxa_of_genes(ft::Communicator& comm, Dataset const& dataset,
                                                      std::span<std::byte const> blocks);

/// Why some gene can have no tree; empty: all can. Precondition, here and below: taxa_of_gene is known.
std::string problem_of_genes(Dataset const& dataset, Options const& options);

/// Work of a PE, and its blocks, one behind the other. Views.
struct OwnWork {
    std::span<assign::Work const> pieces;
    std::span<std::byte const> blocks;
};
/// The part that is about a gene. Precondition: the pieces ascend by site. No copy.
OwnWork work_of_gene(Dataset const& dataset, OwnWork all, std::size_t gene);

/// The sites of a gene among a PE's work, without the taxa that have no data. blocks: those of the work. weights: as
/// for to_local_sites.
likelihood::Sites sites_of_gene(Dataset const& dataset, std::span<assign::Work const> work,
                                std::span<std::byte const> blocks, std::span<std::uint32_t const> weights,
                                std::size_t gene);

}  // namespace regraft::phylo
