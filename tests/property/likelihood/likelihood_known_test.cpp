// Likelihoods have the bits that they always had, with every instruction set. To change them on purpose, put what the
// test prints into support/known_likelihoods.hpp.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/likelihood/instructions.hpp"
#include "regraft/likelihood/partition.hpp"
#include "regraft/msa/newick.hpp"
#include "regraft/msa/patterns.hpp"
#include "support/likelihood/known_likelihoods.hpp"
#include "unit/data_path.hpp"

namespace regraft::test {
namespace {

struct Data {
    msa::Tree tree;
    likelihood::StateSets sets;
    likelihood::Sites sites;
};

likelihood::Sites sites_of(msa::Alignment const& alignment, msa::Alphabet alphabet) {
    msa::PartitionSites whole{alphabet, std::vector<std::uint64_t>(alignment.num_sites())};
    std::iota(whole.sites.begin(), whole.sites.end(), 0);
    auto const patterns = msa::compress_patterns(alignment, std::span(&whole, 1));
    likelihood::Sites sites{patterns.weight, std::vector<std::string>(patterns.num_taxa)};
    for (std::size_t i = 0; i < patterns.num_patterns(); ++i) {
        for (std::uint32_t t = 0; t < patterns.num_taxa; ++t) sites.rows[t].push_back(patterns.column(i)[t]);
    }
    return sites;
}

msa::Tree tree_of(std::string const& alignment, std::size_t num_taxa) {
    std::vector<std::string> names;
    for (std::size_t t = 0; t < num_taxa; ++t) names.push_back(std::to_string(t));
    auto const known =
        std::find_if(known_trees.begin(), known_trees.end(), [&](auto& t) { return t.alignment == alignment; });
    REGRAFT_EXPECTS(known != known_trees.end());
    return msa::parse_newick(known->newick, alignment, names);
}

/// If the alignment has more states, state s counts as s modulo the number of states: so DNA becomes purines and
/// pyrimidines.
std::uint64_t folded(std::uint64_t set, std::uint32_t num_states) {
    std::uint64_t result = 0;
    for (; set != 0; set &= set - 1) {
        result |= std::uint64_t{1} << static_cast<std::uint32_t>(std::countr_zero(set)) % num_states;
    }
    return result;
}

Data read(std::string const& name, likelihood::ModelSpec const& spec) {
    bool const is_dna = spec.alphabet == msa::Alphabet::dna || spec.alphabet == msa::Alphabet::binary;
    auto const alphabet = is_dna ? msa::Alphabet::dna : msa::Alphabet::amino_acid;
    auto const alignment = msa::read_alignment(std::string(REGRAFT_DATA) + "/" + name);
    auto sets = msa::state_masks(alphabet);
    for (auto& set : sets) set = folded(set, spec.num_states());
    return {tree_of(name, alignment.num_taxa()), sets, sites_of(alignment, alphabet)};
}

/// Every step-th pattern.
likelihood::Sites some_sites(likelihood::Sites const& sites, std::size_t first, std::size_t step) {
    likelihood::Sites result{{}, std::vector<std::string>(sites.rows.size())};
    for (auto i = first; i < sites.weights.size(); i += step) {
        result.weights.push_back(sites.weights[i]);
        for (std::size_t t = 0; t < sites.rows.size(); ++t) result.rows[t].push_back(sites.rows[t][i]);
    }
    return result;
}

std::vector<std::string> models_of(KnownLikelihood const& row) {
    std::vector<std::string> models;
    std::istringstream in(row.model);
    for (std::string model; std::getline(in >> std::ws, model, ',');) models.push_back(model);
    return models;
}

KnownLikelihood computed(KnownLikelihood const& row) {
    FixedSum loglh;
    std::array<FixedSum, 3> sums;
    FixedScale loglh_scale;
    std::array<FixedScale, 3> scales;
    auto const models = models_of(row);
    for (std::size_t q = 0; q < models.size(); ++q) {
        auto const spec = likelihood::parse_model(models[q]);
        auto const data = read(row.alignment, spec);
        likelihood::PartitionOptions options;
        options.total_weight = std::accumulate(data.sites.weights.begin(), data.sites.weights.end(), std::uint64_t{0});
        likelihood::Partition partition(data.tree, 0, spec.num_states(), data.sets,
                                        some_sites(data.sites, q, models.size()), options);
        partition.set_model(likelihood::site_model(spec, likelihood::start_model(spec, {})));
        partition.add_loglh(0, loglh);
        partition.focus(0);
        partition.add_derivatives(0.1, sums);
        loglh_scale = partition.loglh_scale();
        std::ranges::copy(partition.derivative_scales(), scales.begin());
    }
    return {row.alignment,           row.model, loglh.value(loglh_scale), loglh.low, sums[1].value(scales[1]),
            sums[2].value(scales[2])};
}

std::string text(KnownLikelihood const& row) {
    std::ostringstream out;
    out << std::hexfloat << "KnownLikelihood{\"" << row.alignment << "\", \"" << row.model << "\", " << row.loglh
        << ", " << row.low << ", " << row.first << ", " << row.second << "},";
    return out.str();
}

TEST(KnownLikelihoods, HaveTheBitsThatTheyAlwaysHad) {
    auto const before = likelihood::used_instructions();
    for (auto const name : likelihood::available_instructions()) {
        SCOPED_TRACE(name);
        likelihood::use_instructions(name);
        for (auto const& row : known_likelihoods) EXPECT_EQ(text(computed(row)), text(row));
    }
    likelihood::use_instructions(before);
}

}  // namespace
}  // namespace regraft::test
