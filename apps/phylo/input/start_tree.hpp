// Start trees. The PEs of a group make those by parsimony together, each from its own sites.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "input/input.hpp"
#include "input/starts.hpp"
#include "regraft/msa/parsimony.hpp"

namespace regraft::phylo {

/// The sites of a PE, for trees by parsimony.
struct StartSites {
    msa::Patterns patterns{};              // without pattern_of_site
    std::vector<std::uint64_t> numbers{};  // of the patterns in the alignment
    msa::SumOverParts sum{};               // over the PEs that have the other sites; empty: there are none
};

/// The sites of some work, without a sum. blocks: those of the work, one behind the other.
StartSites start_sites(Dataset const& dataset, std::span<assign::Work const> work, std::span<std::byte const> blocks);
/// The same for a gene, without the taxa that have no data. Precondition: taxa_of_gene is known.
StartSites start_sites_of_gene(Dataset const& dataset, StartSites const& sites, std::size_t gene);
/// Other weights, of all patterns of the alignment.
void reweight(StartSites& sites, std::span<std::uint32_t const> weights);

/// A parsimony tree, with lengths from its changes. Collective over the PEs that the sum is over.
msa::Tree parsimony_tree(StartSites const& sites, std::uint64_t seed);
/// A start tree of the given kind. Under a constraint, parsimony and random trees are random trees that the constraint
/// allows. sites: for a parsimony tree without a constraint, which is collective. Precondition: if the kind is user,
/// start.number < user_trees.size().
msa::Tree start_tree(Start start, std::uint64_t seed, Dataset const& dataset, StartSites const* sites,
                     std::span<msa::Tree const> user_trees, Constraint const* constraint);

/// The tree with one length set, or with one per partition if they are unlinked.
msa::Tree with_length_sets(msa::Tree tree, BranchLinkage linkage, std::size_t num_partitions);

}  // namespace regraft::phylo
