#include "regraft/search/optimise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "regraft/search/topology.hpp"
#include "small_job.hpp"

namespace regraft::phylo {

using namespace search;

namespace {

using test::linkages;
using Fixture = test::SmallJob;

TEST(OptimiseBranch, FindsAStationaryPointAndTellsTheGain) {
    for (auto linkage : linkages) {
        Fixture f(1, linkage);
        for (auto h : f.likelihood.tree().edges()) {
            double const before = f.likelihood.loglh(h);
            double const gain = optimise_branch(f.likelihood, h);
            double const after = f.likelihood.loglh(h);
            EXPECT_GE(gain, 0);
            EXPECT_NEAR(after - before, gain, 1e-7);
            f.likelihood.focus(h);
            std::vector<double> lengths;
            for (std::uint32_t set = 0; set < f.likelihood.tree().num_length_sets(); ++set) {
                lengths.push_back(f.likelihood.tree().length(h, set));
            }
            auto const values = f.likelihood.branch_values(std::array{std::size_t{0}}, lengths);
            for (std::size_t set = 0; set < lengths.size(); ++set) {
                bool const inside = lengths[set] > min_branch_length && lengths[set] < max_branch_length;
                // The gain that the quadratic model still promises is too small to count.
                if (inside) {
                    EXPECT_LT(std::abs(values[set].first * values[set].first / values[set].second), 1e-5);
                } else if (lengths[set] == min_branch_length) {
                    EXPECT_LE(values[set].first, 0);
                }
            }
        }
    }
}

TEST(OptimiseBranch, LeavesALengthOutsideTheBoundsForOneInside) {
    Fixture f(2, BranchLinkage::linked);
    auto const h = f.likelihood.tree().edges()[2];
    for (double start : {0.0, 1e-9, 1e5}) {
        f.likelihood.set_length(h, start);
        optimise_branch(f.likelihood, h);
        EXPECT_GE(f.likelihood.tree().length(h), min_branch_length);
        EXPECT_LE(f.likelihood.tree().length(h), max_branch_length);
    }
}

TEST(RescaleBranches, LeavesAWrongScaleAndStaysAtTheRightOne) {
    for (auto linkage : linkages) {
        Fixture f(1, linkage);
        int rounds = 0;
        do {
            for (int pass = 0; pass < 8; ++pass) {
                smooth_branches(f.likelihood, 0.01);
                optimise_models(f.likelihood, 0.01);  // also scalers
            }
        } while (rescale_branches(f.likelihood, 1) && ++rounds < 6);
        auto const edges = f.likelihood.tree().edges();
        auto const right = lengths_of(f.likelihood.tree(), edges);
        EXPECT_FALSE(rescale_branches(f.likelihood, 1));
        EXPECT_EQ(lengths_of(f.likelihood.tree(), edges), right);
        for (double const factor : {5.0, 1.4, 1 / 1.4}) {
            auto wrong = right;
            for (auto& length : wrong) length = std::max(length * factor, min_branch_length);
            set_lengths(f.likelihood, edges, wrong);
            double const before = f.likelihood.loglh();
            EXPECT_TRUE(rescale_branches(f.likelihood, 1)) << factor;
            EXPECT_GE(f.likelihood.loglh(), before + 1) << factor;
        }
    }
}

TEST(RescaleBranches, GivesEachScalerAFactorOfItsOwn) {
    Fixture f(1, BranchLinkage::scaled);
    for (int pass = 0; pass < 8; ++pass) {
        smooth_branches(f.likelihood, 0.01);
        optimise_models(f.likelihood, 0.01);
    }
    auto const edges = f.likelihood.tree().edges();
    auto const lengths = lengths_of(f.likelihood.tree(), edges);
    auto const right = f.likelihood.models();
    auto wrong = right[1];
    wrong.scaler *= 8;
    f.likelihood.set_model(1, wrong);
    auto const before = f.likelihood.partition_loglh();
    EXPECT_TRUE(rescale_branches(f.likelihood, 1));
    auto const after = f.likelihood.partition_loglh();
    EXPECT_GE(after[1], before[1] + 1);
    EXPECT_LT(f.likelihood.model(1).scaler, wrong.scaler / 2);
    for (std::size_t q : {0, 2}) EXPECT_GE(after[q], before[q]);
}

TEST(BestLengths, AreThoseOfEachEdgeAlone) {
    for (auto linkage : linkages) {
        Fixture f(7, linkage);
        auto const& tree = f.likelihood.tree();
        std::vector<msa::HalfEdge> const edges{0, 1, 2, 3, 4, tree.back(5)};
        ASSERT_EQ(edges.size(), test::partition_options(f.data).most_in_focus);
        for (std::size_t place = 0; place < edges.size(); ++place) f.likelihood.focus(edges[place], place);
        auto const together = best_lengths(f.likelihood, lengths_of(tree, edges), 1e-7);
        for (std::size_t place = 0; place < edges.size(); ++place) {
            SavedLengths const before(f.likelihood, {edges[place]});
            EXPECT_EQ(optimise_branch(f.likelihood, edges[place]), together[place].gain);
            EXPECT_EQ(lengths_of(tree, std::array{edges[place]}), together[place].lengths);
            before.restore();
        }
    }
}

TEST(PromisedGain, IsAboutWhatEachEdgeGainsAlone) {
    for (auto linkage : linkages) {
        Fixture f(9, linkage);
        auto const edges = f.likelihood.tree().edges();
        optimise_lengths(f.likelihood, 1e-6);
        EXPECT_LT(promised_gain(f.likelihood, edges), 1e-3);
        auto lengths = lengths_of(f.likelihood.tree(), edges);
        for (auto& length : lengths) length *= 1.2;
        set_lengths(f.likelihood, edges, lengths);
        double gain = 0;
        for (auto h : edges) {
            SavedLengths const before(f.likelihood, {h});
            gain += optimise_branch(f.likelihood, h);
            before.restore();
        }
        auto const promised = promised_gain(f.likelihood, edges);
        EXPECT_GT(gain, 1e-2);
        EXPECT_GT(promised, gain / 2);
        EXPECT_LT(promised, 2 * gain);
        EXPECT_EQ(lengths_of(f.likelihood.tree(), edges), lengths);
        auto const now = f.likelihood.loglh();
        EXPECT_TRUE(fit_may_exceed(f.likelihood, edges, now, now + gain / 2));
        EXPECT_FALSE(fit_may_exceed(f.likelihood, edges, now, now + 2.1 * promised));
    }
}

TEST(OptimiseBranches, GivesEachEdgeABetterLength) {
    for (auto linkage : linkages) {
        Fixture f(8, linkage);
        auto const edges = f.likelihood.tree().edges();
        auto const before = f.likelihood.loglh();
        auto const gain = optimise_branches(f.likelihood, edges, 1e-7);
        EXPECT_GT(gain, 0);
        EXPECT_GT(f.likelihood.loglh(), before + gain / 2);
        for (int pass = 0; pass < 30; ++pass) optimise_branches(f.likelihood, edges, 1e-7);
        for (auto h : edges) EXPECT_LT(optimise_branch(f.likelihood, h), 1e-5);
    }
}

TEST(SmoothBranches, GainsUntilNoEdgePromisesMore) {
    for (auto linkage : linkages) {
        Fixture f(3, linkage);
        auto const before = f.likelihood.loglh();
        double gain = 1;
        for (int pass = 0; pass < 50 && gain > 1e-6; ++pass) gain = smooth_branches(f.likelihood, 1e-6);
        EXPECT_LE(gain, 1e-6);
        EXPECT_GT(f.likelihood.loglh(), before);
    }
}

std::vector<double> set_loglh(Fixture& f) {
    auto const parts = f.likelihood.partition_loglh();
    if (f.likelihood.tree().num_length_sets() > 1) return parts;
    return {std::accumulate(parts.begin(), parts.end(), 0.0)};
}

TEST(OptimiseLengths, LowersNoSetAndEndsWhereNoEdgeGains) {
    for (auto linkage : linkages) {
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            Fixture f(seed, linkage);
            auto const before = set_loglh(f);
            auto const gain = optimise_lengths(f.likelihood, 1e-6);
            auto const after = set_loglh(f);
            EXPECT_NEAR(std::accumulate(after.begin(), after.end(), -gain),
                        std::accumulate(before.begin(), before.end(), 0.0), 1e-7);
            for (std::size_t set = 0; set < before.size(); ++set) EXPECT_GE(after[set], before[set] - 1e-8);
            double left = 0;
            for (auto h : f.likelihood.tree().edges()) left += optimise_branch(f.likelihood, h);
            EXPECT_LE(left, 1e-3);
        }
    }
}

TEST(OptimiseLengths, FindsTheLengthsOfASetWhateverTheOthersAre) {
    Fixture f(5, BranchLinkage::unlinked);
    auto const edges = f.likelihood.tree().edges();
    auto const sets = f.likelihood.tree().num_length_sets();
    auto const start = lengths_of(f.likelihood.tree(), edges);
    optimise_lengths(f.likelihood, 1e-3);
    auto const together = lengths_of(f.likelihood.tree(), edges);
    auto others = start;
    for (std::size_t i = 0; i < others.size(); ++i) {
        if (i % sets != 0) others[i] = 0.3;
    }
    set_lengths(f.likelihood, edges, others);
    optimise_lengths(f.likelihood, 1e-3);
    auto const alone = lengths_of(f.likelihood.tree(), edges);
    for (std::size_t i = 0; i < alone.size(); i += sets) EXPECT_EQ(alone[i], together[i]);
}

TEST(OptimiseModels, ChangesTheScaleOfAnOnlyPartitionIfThatIsWanted) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const data = test::small_dataset(4);
    auto const sites = test::my_sites(data, comm);
    DistributedLikelihood likelihood(comm, test::some_tree(data, 4, BranchLinkage::scaled), {data.specs[0]},
                                     {data.models[0]}, BranchLinkage::scaled, std::span(sites).first(1),
                                     test::partition_options(data));
    auto const scaler = likelihood.model(0).scaler;
    optimise_models(likelihood, 1e-3);
    EXPECT_EQ(likelihood.model(0).scaler, scaler);
    auto const before = likelihood.loglh();
    optimise_models(likelihood, 1e-3, Lengths::rescale);
    EXPECT_NE(likelihood.model(0).scaler, scaler);
    EXPECT_GT(likelihood.loglh(), before + 0.1);  // the lengths of the tree are random
}

TEST(OptimiseModels, NeverLowersAPartitionsLikelihoodAndKeepsParametersValid) {
    for (auto linkage : linkages) {
        Fixture f(4, linkage);
        auto const before = f.likelihood.partition_loglh();
        optimise_models(f.likelihood, 1e-3);
        auto const after = f.likelihood.partition_loglh();
        for (std::size_t q = 0; q < 3; ++q) {
            EXPECT_GE(after[q], before[q]);
            auto const& model = f.likelihood.model(q);
            if (!model.rates.empty()) {
                EXPECT_EQ(model.rates[f.data.specs[q].rate_classes.back()], 1.0);
            }
            if (!model.frequencies.empty()) {
                EXPECT_NEAR(std::accumulate(model.frequencies.begin(), model.frequencies.end(), 0.0), 1, 1e-12);
            }
            EXPECT_GT(model.alpha, 0);
        }
    }
}

TEST(OptimiseModels, CannotBeBeatenByNeighbouringValues) {
    Fixture f(5, BranchLinkage::linked);
    for (int i = 0; i < 3; ++i) optimise_models(f.likelihood, 1e-3);
    double const best = f.likelihood.partition_loglh()[0];
    auto const model = f.likelihood.model(0);
    std::vector<ModelTrial> trials;
    for (double factor : {0.9, 1.1}) {
        trials.push_back({0, model});
        trials.back().model.alpha *= factor;
        for (std::size_t r = 0; r + 1 < model.rates.size(); ++r) {
            trials.push_back({0, model});
            trials.back().model.rates[r] *= factor;
        }
    }
    for (double loglh : f.likelihood.trial_loglh(trials)) EXPECT_LE(loglh, best + 1e-3);
    EXPECT_EQ(f.likelihood.model(0), model);
    EXPECT_EQ(f.likelihood.partition_loglh()[0], best);
}

TEST(OptimiseModels, DoesThePartitionsAsIfEachWereAlone) {
    Fixture f(9, BranchLinkage::unlinked);
    optimise_models(f.likelihood, 1e-3);
    for (std::size_t q = 0; q < 3; ++q) {
        auto const spec = std::vector{f.data.specs[q]};
        auto const sites = test::my_sites(f.data, f.comm);
        auto tree = test::some_tree(f.data, 9, BranchLinkage::linked);
        for (auto h : tree.edges()) tree.set_length(h, f.likelihood.tree().length(h, static_cast<std::uint32_t>(q)));
        DistributedLikelihood alone(f.comm, tree, spec, {f.data.models[q]}, BranchLinkage::unlinked,
                                    std::span(&sites[q], 1), test::partition_options(f.data));
        optimise_models(alone, 1e-3);
        EXPECT_EQ(alone.model(0), f.likelihood.model(q));
    }
}

TEST(NormaliseScalers, KeepsTheLikelihoodAndMakesTheMeanOne) {
    Fixture f(6, BranchLinkage::scaled);
    double const before = f.likelihood.loglh();
    std::vector<std::uint64_t> const sites{100, 50, 10};
    normalise_scalers(f.likelihood, sites);
    EXPECT_NEAR(f.likelihood.loglh(), before, 1e-9 * std::abs(before));
    double mean = 0;
    for (std::size_t q = 0; q < 3; ++q) mean += f.likelihood.model(q).scaler * static_cast<double>(sites[q]) / 160;
    EXPECT_NEAR(mean, 1, 1e-12);
}

TEST(NormaliseScalers, LeavesThemIfOneIsGiven) {
    Fixture f(6, BranchLinkage::scaled);
    auto specs = f.data.specs;
    specs[1].scaler_from = Origin::fixed;
    auto const& before = f.data.models;
    DistributedLikelihood likelihood(f.comm, f.likelihood.tree(), specs, before, BranchLinkage::scaled,
                                     test::my_sites(f.data, f.comm), test::partition_options(f.data));
    normalise_scalers(likelihood, std::vector<std::uint64_t>{100, 50, 10});
    EXPECT_EQ(likelihood.models(), before);
    optimise_models(likelihood, 0.1);
    EXPECT_NE(likelihood.model(0).scaler, before[0].scaler);
    EXPECT_EQ(likelihood.model(1).scaler, before[1].scaler);
}

}  // namespace
}  // namespace regraft::phylo
