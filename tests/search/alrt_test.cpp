#include "regraft/search/alrt.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "regraft/search/optimise.hpp"
#include "regraft/search/resampling.hpp"
#include "regraft/search/search.hpp"
#include "small_job.hpp"

namespace regraft::phylo {

using namespace search;

namespace {

using test::linkages;
using test::SmallJob;

/// The weights of all partitions, one behind the other.
struct Weights {
    explicit Weights(std::span<std::vector<std::uint32_t> const> per_partition) {
        for (auto const& weights : per_partition) {
            all.insert(all.end(), weights.begin(), weights.end());
            begin.push_back(all.size());
        }
    }
    std::vector<std::uint32_t> all;
    std::vector<std::uint64_t> begin{0};
};

/// The weights of the patterns that test::my_sites deals to this PE.
RellSamples samples_of(test::SmallDataset const& data, ft::Communicator const& comm, std::uint32_t count,
                       std::uint64_t seed = 1) {
    auto const members = comm.members();
    auto const first = std::find(members.begin(), members.end(), comm.self()) - members.begin();
    Weights const weights(data.weights);
    std::vector<std::vector<std::uint64_t>> mine(data.weights.size());
    for (std::size_t q = 0; q < mine.size(); ++q) {
        for (auto i = static_cast<std::size_t>(first); i < data.weights[q].size(); i += comm.size()) {
            mine[q].push_back(weights.begin[q] + i);
        }
    }
    return {SiteSampler(weights.all, weights.begin), mine, {.last = count, .seed = seed}};
}

TEST(RellSamples, AddTheWeightedValuesOfAllSamples) {
    // Weights that 16 bits do not hold, patterns elsewhere, and a value beyond the scale.
    std::vector<std::uint32_t> const weights{3, 200000, 5, 70000, 2, 1};
    std::vector<std::uint64_t> const partition_begin{0, 4, 6};
    std::vector<std::vector<std::uint64_t>> const local{{3, 1}, {}};
    auto const scale = FixedScale::of(16, 400000);
    RellSamples const some(SiteSampler(weights, partition_begin), local, {.last = 4, .seed = 9});
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

/// The definition, with all log-likelihoods in plain sums. Every question is asked of fresh likelihoods.
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
    Weights const weights(f.data.weights);
    for (std::uint32_t i = 0; i < count; ++i) {
        std::vector<double> centred(3);
        auto const sample = resampled_weights(weights.all, weights.begin, mix(mix(seed) + i));
        for (std::size_t q = 0; q < f.data.specs.size(); ++q) {
            for (std::size_t tree = 0; tree < 3; ++tree) {
                for (std::size_t p = 0; p < values[tree][q].size(); ++p) {
                    auto const pattern = weights.begin[q] + p;
                    centred[tree] += (1.0 * sample[pattern] - weights.all[pattern]) * values[tree][q][p];
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
        auto const samples = samples_of(f.data, f.comm, count, 5);
        double least = 1;
        double most = 0;
        for (auto h : inner_edges(tree)) {
            auto const support = sh_alrt(f.likelihood, h, samples);
            EXPECT_EQ(f.likelihood.tree(), tree);
            least = std::min(least, support);
            most = std::max(most, support);
            // The oracle can see all sites only where they are all here.
            if (f.comm.size() > 1) continue;
            EXPECT_NEAR(support, defined_support(f, h, count, 5), 0.02);
        }
        EXPECT_LT(least, most);
    }
}

TEST(ShAlrt, HasTheBitsOfOneRankOnAll) {
    SmallJob f(5, BranchLinkage::scaled, 12);
    ft::Communicator self(MPI_COMM_SELF);
    DistributedLikelihood alone(self, f.likelihood.tree(), f.data.specs, f.data.models, f.linkage,
                                test::my_sites(f.data, self), test::partition_options(f.data));
    auto const here = samples_of(f.data, f.comm, 100);
    auto const there = samples_of(f.data, self, 100);
    for (auto h : inner_edges(f.likelihood.tree())) {
        EXPECT_EQ(sh_alrt(f.likelihood, h, here), sh_alrt(alone, h, there));
    }
}

TEST(Search, FindsTheSupportOfInnerEdgesAndGoesOnFromAnyStep) {
    SmallJob f(5, BranchLinkage::linked, 12);
    auto const samples = samples_of(f.data, f.comm, 100);
    SearchOptions options;
    options.patience = 0;
    options.rell_samples = &samples;
    options.sites_per_partition = {100, 50, 10};
    auto state = start_supports(start_state(Goal::likelihood, f.likelihood.tree(), f.data.specs, f.data.models));
    while (!state.is_done()) {
        advance(state, f.likelihood, options);
        state = SearchState::from_bytes(state.to_bytes());
    }
    auto const edges = state.tree.edges();
    auto const& alrt = state.as<Supports>().alrt;
    ASSERT_EQ(alrt.size(), edges.size());
    auto likelihood = f.fresh(state.tree, state.models);
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (state.tree.is_tip(edges[i]) || state.tree.is_tip(state.tree.back(edges[i]))) {
            EXPECT_TRUE(std::isnan(alrt[i]));
        } else {
            EXPECT_EQ(alrt[i], sh_alrt(likelihood, edges[i], samples));
        }
    }
}

}  // namespace
}  // namespace regraft::phylo
