#include "alrt.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include <gtest/gtest.h>

#include "optimise.hpp"
#include "search.hpp"
#include "small_job.hpp"

namespace regraft::phylo {
namespace {

using test::linkages;
using test::SmallJob;

/// Of the patterns that test::my_sites deals to this PE.
Replicates replicates(test::SmallDataset const& data, ft::Communicator const& comm, std::uint32_t count,
                      std::uint64_t seed = 1) {
    auto const members = comm.members();
    auto const first = std::find(members.begin(), members.end(), comm.self()) - members.begin();
    std::vector<std::vector<std::uint32_t>> mine;
    for (auto const& weights : data.weights) {
        auto& of_partition = mine.emplace_back();
        for (auto i = static_cast<std::size_t>(first); i < weights.size(); i += comm.size()) {
            of_partition.push_back(static_cast<std::uint32_t>(i));
        }
    }
    return {data.weights, mine, count, seed};
}

TEST(Resample, DrawsAsManySitesAsThereAreInProportionToTheWeights) {
    std::vector<std::uint32_t> const weights{1, 0, 7, 2, 10};
    std::vector<double> total(weights.size());
    constexpr int samples = 20000;
    for (std::uint64_t seed = 0; seed < samples; ++seed) {
        auto const sample = resample(weights, seed);
        ASSERT_EQ(sample.size(), weights.size());
        EXPECT_EQ(std::accumulate(sample.begin(), sample.end(), 0U), 20U);
        for (std::size_t i = 0; i < total.size(); ++i) total[i] += sample[i];
    }
    EXPECT_EQ(total[1], 0);
    // Standard errors are at most sqrt(20 / 4 / samples) = 0.016.
    for (std::size_t i = 0; i < total.size(); ++i) EXPECT_NEAR(total[i] / samples, weights[i], 0.08);
    EXPECT_NE(resample(weights, 1), resample(weights, 2));
    EXPECT_TRUE(resample(std::vector<std::uint32_t>{}, 1).empty());
}

TEST(Replicates, AddTheWeightedValuesOfAllSamples) {
    // Weights that 16 bits do not hold, patterns elsewhere, and a value beyond the scale.
    std::vector<std::vector<std::uint32_t>> const weights{{3, 200000, 5, 70000}, {2, 1}};
    std::vector<std::vector<std::uint32_t>> const local{{3, 1}, {}};
    auto const scale = FixedScale::of(16, 400000);
    Replicates const some(weights, local, 4, 9);
    for (double stray : {1.0, 1000.0}) {
        std::vector<double> const values{0.25, -1.5 * stray};
        std::vector<FixedSum> sums(5);
        some.add(0, values, scale, sums);
        EXPECT_EQ(sums[0].value(scale), 70000 * values[0] + 200000 * values[1]);
        for (std::uint32_t i = 1; i < 5; ++i) {
            auto const draws = (sums[i].value(scale) - sums[0].value(scale)) / 0.25;
            EXPECT_EQ(draws, std::round(draws));
            EXPECT_NE(draws, 0);
        }
        some.add(1, {}, scale, sums);
    }
}

/// The definition, with all log-likelihoods in plain sums. Whatever is asked is asked of fresh likelihoods.
double defined_support(SmallJob& f, msa::HalfEdge h, std::uint32_t count, std::uint64_t seed) {
    std::vector<std::vector<std::vector<double>>> values;  // [tree][partition][pattern]
    std::vector<double> loglh;
    for (int variant = -1; variant < 2; ++variant) {
        auto likelihood = f.fresh(f.likelihood.tree());
        if (variant >= 0) {
            likelihood.nni(h, static_cast<std::uint32_t>(variant));
            auto const back = likelihood.tree().back(h);
            auto const& tree = likelihood.tree();
            for (int pass = 0; pass < 50; ++pass) {
                for (auto g : {h, tree.next(h), tree.next(tree.next(h)), tree.next(back), tree.next(tree.next(back))}) {
                    optimise_branch(likelihood, g);
                }
            }
        }
        loglh.push_back(likelihood.loglh(h));
        auto& per_partition = values.emplace_back();
        for (std::size_t q = 0; q < f.data.specs.size(); ++q) per_partition.push_back(likelihood.local_loglh(h, q));
    }
    double const statistic = loglh[0] - std::max(loglh[1], loglh[2]);
    double supporting = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        std::vector<double> centred(3);
        for (std::size_t q = 0; q < f.data.specs.size(); ++q) {
            auto const sample = resample(f.data.weights[q], mix(mix(mix(seed) + q) + i));
            for (std::size_t tree = 0; tree < 3; ++tree) {
                for (std::size_t p = 0; p < sample.size(); ++p) {
                    centred[tree] += (1.0 * sample[p] - f.data.weights[q][p]) * values[tree][q][p];
                }
            }
        }
        std::sort(centred.begin(), centred.end());
        if (statistic > centred[2] - centred[1] + 0.05) ++supporting;
    }
    return supporting / count;
}

std::vector<msa::HalfEdge> inner_edges(msa::Tree const& tree) {
    auto edges = tree.edges();
    std::erase_if(edges, [&](auto h) { return tree.is_tip(h) || tree.is_tip(tree.back(h)); });
    return edges;
}

TEST(ShAlrt, IsItsDefinitionAndLeavesTheTreeBitwiseAsItWas) {
    constexpr std::uint32_t count = 200;
    for (auto linkage : linkages) {
        SmallJob f(4, linkage);
        for (int i = 0; i < 5; ++i) smooth_branches(f.likelihood, 1e-4);
        auto const tree = f.likelihood.tree();
        auto const samples = replicates(f.data, f.comm, count, 5);
        double least = 1;
        double most = 0;
        for (auto h : inner_edges(tree)) {
            auto const support = sh_alrt(f.likelihood, h, samples);
            EXPECT_EQ(f.likelihood.tree(), tree);
            least = std::min(least, support);
            most = std::max(most, support);
            // Only where all sites are here can the oracle see them.
            if (f.comm.size() > 1) continue;
            EXPECT_NEAR(support, defined_support(f, h, count, 5), 0.02);
        }
        EXPECT_LT(least, most);
    }
}

TEST(ShAlrt, HasTheBitsOfOneRankOnAll) {
    SmallJob f(5, BranchLinkage::scaled, 12);
    ft::Communicator self(MPI_COMM_SELF);
    Likelihood alone(self, f.likelihood.tree(), f.data.specs, f.data.models, f.linkage, test::my_sites(f.data, self),
                     test::partition_options(f.data));
    auto const here = replicates(f.data, f.comm, 100);
    auto const there = replicates(f.data, self, 100);
    for (auto h : inner_edges(f.likelihood.tree())) {
        EXPECT_EQ(sh_alrt(f.likelihood, h, here), sh_alrt(alone, h, there));
    }
}

TEST(Search, EndsWithTheSupportOfInnerEdgesIfItIsAskedFor) {
    SmallJob f(5, BranchLinkage::linked, 12);
    auto const samples = replicates(f.data, f.comm, 100);
    SearchOptions options;
    options.effort = Effort::fast;
    options.replicates = &samples;
    options.sites_per_partition = {100, 50, 10};
    auto state = start_state(Command::evaluate, f.likelihood.tree(), f.data.specs, f.data.models);
    while (state.stage != Stage::done) {
        advance(state, f.likelihood, options);
        state = SearchState::from_bytes(state.to_bytes());
    }
    auto const edges = state.tree.edges();
    ASSERT_EQ(state.alrt.size(), edges.size());
    auto likelihood = f.fresh(state.tree, state.models);
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (state.tree.is_tip(edges[i]) || state.tree.is_tip(state.tree.back(edges[i]))) {
            EXPECT_TRUE(std::isnan(state.alrt[i]));
        } else {
            EXPECT_EQ(state.alrt[i], sh_alrt(likelihood, edges[i], samples));
        }
    }
}

}  // namespace
}  // namespace regraft::phylo
