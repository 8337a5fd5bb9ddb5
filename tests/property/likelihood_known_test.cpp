// Likelihoods have the bits that they always had, with every instruction set. Who means to change them puts what the
// test prints into support/known_likelihoods.hpp.
#include <algorithm>
#include <array>
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
#include "support/known_likelihoods.hpp"
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

Data read(std::string const& name, msa::Alphabet alphabet) {
    auto const alignment = msa::read_alignment(std::string(REGRAFT_DATA) + "/" + name);
    likelihood::StateSets sets{};
    for (std::size_t c = 0; c < sets.size(); ++c) sets[c] = msa::state_mask(alphabet, static_cast<char>(c));
    return {tree_of(name, alignment.num_taxa()), sets, sites_of(alignment, alphabet)};
}

KnownLikelihood computed(KnownLikelihood const& row) {
    auto const spec = likelihood::parse_model(row.model);
    auto const data = read(row.alignment, spec.alphabet);
    likelihood::PartitionOptions options;
    options.total_weight = std::accumulate(data.sites.weights.begin(), data.sites.weights.end(), std::uint64_t{0});
    likelihood::Partition partition(data.tree, 0, spec.num_states(), data.sets, data.sites, options);
    partition.set_model(likelihood::site_model(spec, likelihood::start_model(spec, {})));
    FixedSum loglh;
    partition.add_loglh(0, loglh);
    std::array<FixedSum, 3> sums;
    partition.focus(0);
    partition.add_derivatives(0.1, sums);
    auto const scales = partition.derivative_scales();
    return {
        row.alignment,           row.model, loglh.value(partition.loglh_scale()), loglh.low, sums[1].value(scales[1]),
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
