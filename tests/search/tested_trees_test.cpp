#include "regraft/search/tested_trees.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "regraft/search/search.hpp"
#include "small_job.hpp"

namespace regraft::phylo {

using namespace search;

namespace {

using test::linkages;
using test::SmallJob;

constexpr int num_trees = 3;

/// Three trees on the small alignment, whose patterns are dealt as test::my_sites deals them.
struct Fixture {
    SmallJob job;
    std::vector<std::uint32_t> weights;
    std::vector<std::uint64_t> begin{0};
    std::optional<SiteSampler> sampler;

    Fixture(std::uint64_t seed, BranchLinkage linkage) : job(seed, linkage) {
        for (auto const& some : job.data.weights) {
            weights.insert(weights.end(), some.begin(), some.end());
            begin.push_back(weights.size());
        }
        sampler.emplace(weights, begin);
    }

    LocalPatterns patterns(ft::Communicator const& comm) const {
        auto const members = comm.members();
        auto const first = std::find(members.begin(), members.end(), comm.self()) - members.begin();
        std::vector<std::vector<std::uint64_t>> mine(job.data.weights.size());
        for (std::size_t q = 0; q < mine.size(); ++q) {
            for (auto i = static_cast<std::size_t>(first); i < job.data.weights[q].size(); i += comm.size())
                mine[q].push_back(begin[q] + i);
        }
        return {*sampler, std::move(mine)};
    }

    DistributedLikelihood likelihood(ft::Communicator& comm, std::uint64_t tree) const {
        return {comm,
                test::some_tree(job.data, tree, job.linkage),
                job.data.specs,
                job.data.models,
                job.linkage,
                test::my_sites(job.data, comm),
                test::partition_options(job.data)};
    }

    TestedTrees trees(ft::Communicator& comm) const {
        TestedTrees trees(patterns(comm));
        for (std::uint64_t tree = 0; tree < num_trees; ++tree) {
            auto one = likelihood(comm, tree);
            trees.add(one);
            if (tree + 1 == num_trees) trees.compare(one);
        }
        return trees;
    }
};

TEST(PatternLoglh, HasTheLoglhOfTheTreeInAll) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {  // with 1, sites were left out
        for (auto const linkage : linkages) {
            Fixture f(seed, linkage);
            auto likelihood = f.likelihood(f.job.comm, seed);
            auto const patterns = f.patterns(f.job.comm);
            auto const values = pattern_loglh(likelihood, patterns);
            std::vector<FixedSum> sums(1);
            for (std::size_t q = 0; q < values.size(); ++q) {
                for (std::size_t i = 0; i < values[q].size(); ++i)
                    sums[0].add(values[q][i], patterns.weight(q, i), likelihood.loglh_scale());
            }
            EXPECT_NEAR(likelihood.sum_over_ranks(sums)[0], likelihood.loglh(), 1e-9);
        }
    }
}

TEST(TestedTrees, AddUpTheSitesOfEachSample) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        SCOPED_TRACE(seed);
        Fixture f(seed, BranchLinkage::scaled);
        ft::Communicator self(MPI_COMM_SELF);
        auto const here = f.trees(f.job.comm);
        auto const alone = f.trees(self);
        auto some = f.likelihood(f.job.comm, 0);
        auto other = f.likelihood(self, 0);
        EXPECT_EQ(here.contest().loglh, alone.contest().loglh);
        EXPECT_EQ(here.contest().precision, alone.contest().precision);
        SampleNumbers const numbers{3, 9, 7, {14}};
        auto const samples = here.resample(some, numbers);
        EXPECT_EQ(samples, alone.resample(other, numbers));
        ASSERT_EQ(samples.size(), 6U);
        auto const patterns = f.patterns(self);
        for (std::uint32_t i = 0; i < samples.size(); ++i) {
            auto const drawn = f.sampler->draw(mix(mix(numbers.seed) + numbers.first + i), numbers.size);
            for (std::uint64_t tree = 0; tree < num_trees; ++tree) {
                auto likelihood = f.likelihood(self, tree);
                auto const values = pattern_loglh(likelihood, patterns);
                double sum = 0;
                for (std::size_t q = 0; q < values.size(); ++q) {
                    for (std::size_t p = 0; p < values[q].size(); ++p) sum += values[q][p] * drawn[patterns.mine[q][p]];
                }
                EXPECT_NEAR(samples[i][tree], sum, 1e-8);
            }
        }
    }
}

TEST(TestedTrees, KnowHowFarDifferencesDeviateInSamples) {
    Fixture f(2, BranchLinkage::linked);
    auto const trees = f.trees(f.job.comm);
    auto likelihood = f.likelihood(f.job.comm, 0);
    constexpr std::uint32_t count = 4000;
    auto const samples = trees.resample(likelihood, {0, count, 5, {}});
    for (std::size_t i = 0; i < num_trees; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            double sum = 0;
            double squares = 0;
            for (auto const& sample : samples) {
                auto const difference = sample[i] - sample[j];
                sum += difference / count;
                squares += difference * difference / count;
            }
            auto const deviation = std::sqrt(squares - sum * sum);
            EXPECT_NEAR(deviation * trees.contest().precision[i * num_trees + j], 1, 0.05);
            auto const mean = trees.contest().loglh[i] - trees.contest().loglh[j];
            EXPECT_NEAR(sum, mean, 5 * deviation / std::sqrt(count));
        }
    }
}

TEST(TestedTrees, HaveSamplesThatDoNotDependOnTheBatch) {
    Fixture f(0, BranchLinkage::linked);
    auto const trees = f.trees(f.job.comm);
    auto likelihood = f.likelihood(f.job.comm, 0);
    auto const all = trees.resample(likelihood, {0, 20, 1, {}});
    auto const last = trees.resample(likelihood, {13, 20, 1, {}});
    EXPECT_TRUE(std::equal(last.begin(), last.end(), all.begin() + 13));
    EXPECT_NE(all[0], all[1]);
    EXPECT_NE(trees.resample(likelihood, {0, 20, 2, {}}), all);
    EXPECT_GE(trees.batch(), 16U);
}

TEST(Search, CountsSamplesForTestsAndGoesOnFromAnyStep) {
    Fixture f(2, BranchLinkage::scaled);
    auto const trees = f.trees(f.job.comm);
    for (auto const size : {sample_size(0), sample_size(usual_size)}) {
        SearchOptions options;
        options.sites_per_partition = {100, 50, 10};
        options.test_samples = {&trees, size, 600, 4};
        auto likelihood = f.likelihood(f.job.comm, 0);
        auto done = start_state(Goal::likelihood, likelihood.tree(), f.job.data.specs, f.job.data.models);
        auto state = start_tests(done);
        int steps = 0;
        for (; !state.is_done(); ++steps) {
            advance(state, likelihood, options);
            state = SearchState::from_bytes(state.to_bytes());
        }
        EXPECT_EQ(steps, 3);  // batches of 256
        SampleCounts counts;
        for (auto const& loglh : trees.resample(likelihood, {0, 600, 4, size}))
            counts.add(loglh, trees.contest(), size);
        EXPECT_EQ(state.as<Tests>().counts.wins, counts.wins);
        EXPECT_EQ(state.as<Tests>().counts.shares, counts.shares);
        EXPECT_EQ(state.as<Tests>().counts.weights, counts.weights);
        EXPECT_EQ(state.as<Tests>().counts.sh, counts.sh);
        EXPECT_EQ(state.as<Tests>().counts.kh, counts.kh);
        EXPECT_EQ(counts.sh.empty(), size != sample_size(usual_size));
    }
}

}  // namespace
}  // namespace regraft::phylo
