// A small random alignment in the form of the likelihood's data, dealt to the PEs pattern by pattern.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "regraft/core/random.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/msa/parsimony.hpp"
#include "regraft/search/distributed_likelihood.hpp"

namespace regraft::phylo::test {

using namespace search;

using likelihood::parse_model;
using likelihood::start_model;

constexpr int num_patterns = 30;  // per partition, before splitting weights

struct SmallDataset {
    std::uint32_t num_taxa = 8;
    std::vector<ModelSpec> specs;
    std::vector<std::vector<std::string>> columns;    // [partition][pattern], one character per taxon
    std::vector<std::vector<std::uint32_t>> weights;  // [partition][pattern]
    std::vector<Model> models;
};

/// Two DNA partitions and one of amino acids, or one each of DNA, binary and multistate data with sites left out;
/// columns with some common history, gaps and ambiguities.
inline SmallDataset small_dataset(std::uint64_t seed, std::uint32_t num_taxa = 8) {
    Random random(seed);
    SmallDataset data;
    data.num_taxa = num_taxa;
    std::array const molecular{"GTR+FC+G4m", "HKY+FO+G3a", "LG+G4m"};
    std::array const varying{"GTR+FC+G4m+ASC_STAM{3/1/4/1}", "BIN+FO+G3a+ASC_LEWIS", "MULTI7_GTR+FO+G4m+ASC_FELS{50}"};
    for (auto const* model : seed % 3 == 1 ? varying : molecular) {
        data.specs.push_back(parse_model(model));
        auto const& spec = data.specs.back();
        std::string const letters =
            spec.alphabet == msa::Alphabet::dna ? "ACGTACGTACGTRYN-" : allowed_symbols(spec.alphabet);
        auto& columns = data.columns.emplace_back();
        auto& weights = data.weights.emplace_back();
        for (int i = 0; i < num_patterns; ++i) {
            std::string column(data.num_taxa, letters[random.below(letters.size())]);
            for (auto& cell : column) {
                if (random.below(3) == 0) cell = letters[random.below(letters.size())];
            }
            columns.push_back(column);
            weights.push_back(static_cast<std::uint32_t>(1 + random.below(5)));
        }
        std::vector<double> frequencies(spec.num_states());
        double sum = 0;
        for (auto& f : frequencies) sum += f = 0.2 + random.unit();
        for (auto& f : frequencies) f /= sum;
        auto model_values = start_model(spec, {frequencies});
        for (auto& rate : model_values.rates) rate = 0.3 + 3 * random.unit();
        if (!spec.rate_classes.empty()) model_values.rates[spec.rate_classes.back()] = 1;
        model_values.alpha = 0.2 + 2 * random.unit();
        model_values.scaler = 0.5 + random.unit();
        data.models.push_back(model_values);
    }
    return data;
}

/// Every step-th pattern of a partition, from `first` on.
inline likelihood::Sites some_sites(SmallDataset const& data, std::size_t partition, std::size_t first,
                                    std::size_t step) {
    likelihood::Sites sites;
    sites.ascertainment = data.specs[partition].ascertainment;
    if (first == 0) sites.left_out = data.specs[partition].left_out;
    sites.rows.resize(data.num_taxa);
    for (std::size_t i = first; i < data.columns[partition].size(); i += step) {
        sites.weights.push_back(data.weights[partition][i]);
        for (std::uint32_t t = 0; t < data.num_taxa; ++t) sites.rows[t].push_back(data.columns[partition][i][t]);
    }
    return sites;
}

/// The patterns of this PE: every size()-th one.
inline std::vector<likelihood::Sites> my_sites(SmallDataset const& data, ft::Communicator const& comm) {
    std::vector<likelihood::Sites> result;
    auto const position = static_cast<std::size_t>(
        std::find(comm.members().begin(), comm.members().end(), comm.self()) - comm.members().begin());
    for (std::size_t q = 0; q < data.specs.size(); ++q) result.push_back(some_sites(data, q, position, comm.size()));
    return result;
}

/// The options with the weight of all sites, twice, and of those left out.
inline likelihood::PartitionOptions partition_options(SmallDataset const& data) {
    likelihood::PartitionOptions options;
    auto const add = [&](std::vector<std::uint32_t> const& weights) {
        options.total_weight = std::accumulate(weights.begin(), weights.end(), options.total_weight);
    };
    for (int times = 0; times < 2; ++times) std::for_each(data.weights.begin(), data.weights.end(), add);
    for (auto const& spec : data.specs) add(spec.left_out);
    return options;
}

/// A random tree with random lengths, some at the limits.
inline msa::Tree random_lengths(msa::Tree tree, std::uint64_t seed) {
    Random random(seed);
    for (auto h : tree.edges()) {
        for (std::uint32_t set = 0; set < tree.num_length_sets(); ++set) {
            tree.set_length(h, random.below(8) == 0 ? 1e-6 : random.unit() * 0.5, set);
        }
    }
    return tree;
}

inline msa::Tree some_tree(SmallDataset const& data, std::uint64_t seed, BranchLinkage linkage) {
    auto const tree = msa::random_tree(data.num_taxa, seed);
    bool const unlinked = linkage == BranchLinkage::unlinked;
    return random_lengths(unlinked ? tree.with_length_sets(static_cast<std::uint32_t>(data.specs.size())) : tree,
                          seed + 1);
}

}  // namespace regraft::phylo::test
