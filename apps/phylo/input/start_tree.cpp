#include "input/start_tree.hpp"

#include <numeric>

#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::phylo {

StartSites start_sites(Dataset const& dataset, std::span<assign::Work const> work, std::span<std::byte const> blocks) {
    StartSites result{.patterns = no_patterns(dataset)};
    auto& begin = result.patterns.partition_begin;
    begin.assign(dataset.partition_begin.size(), 0);
    for (auto const& piece : work) {
        begin[value(piece.partition) + 1] += piece.sites.size();
        for (auto i = value(piece.sites.first); i < value(piece.sites.last); ++i) result.numbers.push_back(i);
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    result.patterns.columns.reserve(blocks.size());
    append_blocks(result.patterns, dataset, blocks);
    return result;
}

StartSites start_sites_of_gene(Dataset const& dataset, StartSites const& sites, std::size_t gene) {
    auto const& all = sites.patterns;
    auto const& taxa = dataset.taxa_of_gene[gene];
    StartSites result{.sum = sites.sum};
    auto& own = result.patterns;
    own.num_taxa = checked_cast<std::uint32_t>(taxa.size());
    own.alphabet = {all.alphabet[gene]};
    own.sets = all.sets;
    for (auto i = all.partition_begin[gene]; i < all.partition_begin[gene + 1]; ++i) {
        result.numbers.push_back(sites.numbers[i]);
        own.weight.push_back(all.weight[i]);
        for (auto const t : taxa) own.columns.push_back(all.column(i)[t]);
    }
    own.partition_begin.push_back(own.weight.size());
    return result;
}

void reweight(StartSites& sites, std::span<std::uint32_t const> weights) {
    for (std::size_t i = 0; i < sites.numbers.size(); ++i) sites.patterns.weight[i] = weights[sites.numbers[i]];
}

msa::Tree parsimony_tree(StartSites const& sites, std::uint64_t seed) {
    auto const& weight = sites.patterns.weight;
    auto num_sites = std::accumulate(weight.begin(), weight.end(), std::uint64_t{0});
    if (sites.sum) sites.sum(std::span(&num_sites, 1));
    msa::ParsimonySites const planes(sites.patterns);
    return msa::with_parsimony_lengths(msa::stepwise_addition(planes, seed, sites.sum), planes, num_sites, sites.sum);
}

msa::Tree start_tree(Start start, std::uint64_t seed, Dataset const& dataset, StartSites const* sites,
                     std::span<msa::Tree const> user_trees, Constraint const* constraint) {
    if (constraint != nullptr && start.kind != Start::Kind::user) return constraint->random_tree(seed);
    switch (start.kind) {
        case Start::Kind::user:
            return user_trees[start.number];
        case Start::Kind::parsimony:
            REGRAFT_EXPECTS(sites != nullptr);
            return parsimony_tree(*sites, seed);
        case Start::Kind::random:
            return msa::random_tree(checked_cast<std::uint32_t>(dataset.taxa.size()), seed);
    }
    REGRAFT_EXPECTS(!"a kind of start");
}

msa::Tree with_length_sets(msa::Tree tree, BranchLinkage linkage, std::size_t num_partitions) {
    if (linkage != BranchLinkage::unlinked) return tree;
    return tree.with_length_sets(checked_cast<std::uint32_t>(num_partitions));
}

}  // namespace regraft::phylo
