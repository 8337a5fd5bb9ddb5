#include <mpi.h>

#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/likelihood/instructions.hpp"
#include "regraft/search/distributed_likelihood.hpp"
#include "small_dataset.hpp"
#include "support/likelihood/pruning.hpp"

namespace regraft::phylo {

using namespace search;

namespace {

using likelihood::parse_model;
using likelihood::start_model;
using msa::HalfEdge;
using test::small_dataset;

constexpr std::array first_place{std::size_t{0}};
constexpr std::array linkages{BranchLinkage::linked, BranchLinkage::scaled, BranchLinkage::unlinked};
std::uint64_t bits(double x) {
    return std::bit_cast<std::uint64_t>(x);
}

struct Fixture {
    ft::Communicator comm{MPI_COMM_WORLD};
    test::SmallDataset data;
    BranchLinkage linkage;

    Fixture(std::uint64_t seed, BranchLinkage how) : data(small_dataset(seed)), linkage(how) {}
    /// The likelihood with nothing valid yet, so that everything is computed anew.
    DistributedLikelihood fresh(msa::Tree const& tree, std::vector<Model> const& models) {
        return fresh(tree, models, test::partition_options(data));
    }
    DistributedLikelihood fresh(msa::Tree const& tree, std::vector<Model> const& models,
                                likelihood::PartitionOptions const& options) {
        return DistributedLikelihood(comm, tree, data.specs, models, linkage, test::my_sites(data, comm), options);
    }
};

/// One rate for all sites.
regraft::test::Mixture mixture(ModelSpec const& spec, Model const& model) {
    regraft::test::Process process;
    if (spec.matrices.empty()) {
        for (auto const rate_class : spec.rate_classes) {
            process.exchangeabilities.push_back(model.rates[rate_class]);
        }
        process.frequencies = model.frequencies;
    } else {
        auto const& matrix = spec.matrices.front();
        process.exchangeabilities.assign(matrix.exchangeabilities.begin(), matrix.exchangeabilities.end());
        process.frequencies.assign(matrix.frequencies.begin(), matrix.frequencies.end());
        auto const sum = std::accumulate(matrix.frequencies.begin(), matrix.frequencies.end(), 0.0);
        for (auto& frequency : process.frequencies) frequency /= sum;
    }
    return {{process}, {{0, 1, 1}}, 0, model.scaler};
}

TEST(Likelihood, EqualsPruningWithoutAnyLibrary) {
    Fixture f(5, BranchLinkage::scaled);
    f.data.specs = {parse_model("GTR+FC"), parse_model("HKY+FO"), parse_model("LG")};
    auto const tree = test::some_tree(f.data, 3, f.linkage);
    auto likelihood = f.fresh(tree, f.data.models);
    for (std::size_t q = 0; q < 3; ++q) {
        auto const sets = msa::state_masks(f.data.specs[q].alphabet);
        auto const sites = test::some_sites(f.data, q, 0, 1);
        regraft::test::Pruning const pruning(tree, mixture(f.data.specs[q], f.data.models[q]), sets, sites);
        auto const expected = static_cast<double>(total(pruning.values(0), sites.weights).loglh);
        EXPECT_NEAR(likelihood.partition_loglh()[q], expected, 1e-10 * std::abs(expected));
    }
}

TEST(Likelihood, IsTheSumOfItsPartitionsAndAlmostTheSameAtEveryEdge) {
    for (auto linkage : linkages) {
        Fixture f(1, linkage);
        auto likelihood = f.fresh(test::some_tree(f.data, 2, linkage), f.data.models);
        double const loglh = likelihood.loglh();
        double sum = 0;
        for (std::size_t q = 0; q < 3; ++q) {
            sum += likelihood.partition_loglh()[q];
        }
        EXPECT_NEAR(sum, loglh, 1e-10 * std::abs(loglh));
        for (auto h : likelihood.tree().edges()) EXPECT_NEAR(likelihood.loglh(h), loglh, 1e-9 * std::abs(loglh));
    }
}

TEST(Likelihood, TriesModelsAsIfTheyHadBeenSet) {
    Fixture f(4, BranchLinkage::scaled);
    auto likelihood = f.fresh(test::some_tree(f.data, 4, f.linkage), f.data.models);
    auto const before = likelihood.loglh();
    std::vector<ModelTrial> trials;
    std::vector<double> expected;
    for (std::size_t q : {2, 0, 0, 1}) {
        auto models = f.data.models;
        models[q].alpha = 0.5 + static_cast<double>(trials.size());
        trials.push_back({q, models[q]});
        expected.push_back(f.fresh(likelihood.tree(), models).partition_loglh()[q]);
    }
    EXPECT_EQ(likelihood.trial_loglh(trials), expected);
    EXPECT_EQ(likelihood.models(), f.data.models);
    EXPECT_EQ(likelihood.loglh(), before);
}

TEST(Likelihood, KnowsAllBranchesAsItKnowsEachInFocus) {
    for (auto linkage : linkages) {
        Fixture f(6, linkage);
        auto likelihood = f.fresh(test::some_tree(f.data, 6, linkage), f.data.models);
        auto const& tree = likelihood.tree();
        auto const all = likelihood.gradient().edges;
        auto next = all.begin();
        for (auto h : msa::preorder_edges(tree)) {
            likelihood.focus(h);
            std::vector<double> lengths;
            for (std::uint32_t set = 0; set < tree.num_length_sets(); ++set) lengths.push_back(tree.length(h, set));
            for (auto const& value : likelihood.branch_values(first_place, lengths)) {
                EXPECT_EQ(next->loglh, value.loglh);
                EXPECT_EQ(next->first, value.first);
                EXPECT_EQ(next->second, value.second);
                ++next;
            }
        }
        EXPECT_EQ(next, all.end());
    }
}

TEST(Likelihood, GivesTheBitsOfAFreshOneAfterAnyChanges) {
    for (auto linkage : linkages) {
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            SCOPED_TRACE(testing::Message() << "linkage " << static_cast<int>(linkage) << " seed " << seed);
            Fixture f(seed, linkage);
            auto likelihood = f.fresh(test::some_tree(f.data, seed, linkage), f.data.models);
            auto const& tree = likelihood.tree();
            Random random(seed);
            for (int step = 0; step < 40; ++step) {
                auto const edges = tree.edges();
                auto const h = edges[random.below(edges.size())];
                auto const inner =
                    f.data.num_taxa + static_cast<HalfEdge>(random.below(tree.num_half_edges() - f.data.num_taxa));
                switch (random.below(5)) {
                    case 0:
                        likelihood.set_length(h, random.unit(),
                                              static_cast<std::uint32_t>(random.below(tree.num_length_sets())));
                        break;
                    case 1: {
                        auto const q = random.below(3);
                        auto model = likelihood.model(q);
                        model.alpha = 0.1 + random.unit();
                        model.scaler = 0.5 + random.unit();
                        likelihood.set_model(q, model);
                        break;
                    }
                    case 2:
                        if (!tree.is_tip(h)) {
                            auto const undo = likelihood.nni(h, static_cast<std::uint32_t>(random.below(2)));
                            static_cast<void>(likelihood.loglh(edges[random.below(edges.size())]));
                            if (random.below(2) == 0) likelihood.undo(undo);
                        }
                        break;
                    case 3: {
                        auto const neighbour = tree.back(tree.next(inner));
                        auto const pruned = likelihood.prune(inner);
                        if (tree.is_tip(neighbour)) {
                            likelihood.undo(pruned);
                            break;
                        }
                        std::vector<HalfEdge> const targets{tree.next(neighbour), tree.next(tree.next(neighbour))};
                        std::vector<Insertion> insertions;
                        for (auto edge : targets) insertions.push_back(likelihood.insertion(inner, edge));
                        auto const scores = likelihood.score_insertions(inner, insertions);
                        auto const target = random.below(2);
                        auto const inserted = likelihood.regraft(inner, targets[target]);
                        EXPECT_EQ(bits(likelihood.loglh(inner)), bits(scores[target]));
                        if (random.below(2) == 0) {
                            likelihood.undo(inserted);
                            likelihood.undo(pruned);
                        }
                        break;
                    }
                    default:
                        likelihood.focus(h);
                        break;
                }
                auto const where = edges[random.below(edges.size())];
                auto anew = f.fresh(tree, likelihood.models());
                ASSERT_EQ(bits(likelihood.loglh(where)), bits(anew.loglh(where))) << "step " << step;
            }
        }
    }
}

TEST(Likelihood, DoesNotDependOnHowSitesAreDealt) {
    Fixture f(4, BranchLinkage::linked);
    auto const tree = test::some_tree(f.data, 4, f.linkage);
    auto dealt = f.fresh(tree, f.data.models);
    double const loglh = dealt.loglh();
    // Everything is on the first PE, and copies of patterns of higher weight are apart.
    auto sites = test::my_sites(f.data, f.comm);
    if (f.comm.size() > 1) {
        test::SmallDataset split = f.data;
        for (std::size_t q = 0; q < 3; ++q) {
            for (std::size_t i = 0; i < test::num_patterns; ++i) {
                if (split.weights[q][i] < 2) continue;
                --split.weights[q][i];
                split.weights[q].push_back(1);
                split.columns[q].push_back(std::string(split.columns[q][i]));
            }
        }
        sites = test::my_sites(split, f.comm);
    }
    DistributedLikelihood other(f.comm, tree, f.data.specs, f.data.models, f.linkage, sites,
                                test::partition_options(f.data));
    EXPECT_EQ(bits(other.loglh()), bits(loglh));
}

TEST(Likelihood, DerivativesAgreeWithFiniteDifferences) {
    for (auto linkage : linkages) {
        Fixture f(7, linkage);
        auto likelihood = f.fresh(test::some_tree(f.data, 7, linkage), f.data.models);
        auto const sets = likelihood.tree().num_length_sets();
        for (auto h : likelihood.tree().edges()) {
            std::vector<double> lengths;
            for (std::uint32_t set = 0; set < sets; ++set) lengths.push_back(0.05 + 0.1 * set);
            likelihood.focus(h);
            auto const at = likelihood.branch_values(first_place, lengths);
            constexpr double step = 1e-5;
            auto const shifted = [&](double by) {
                auto moved = lengths;
                for (auto& t : moved) t += by;
                return likelihood.branch_values(first_place, moved);
            };
            auto const above = shifted(step);
            auto const below = shifted(-step);
            for (std::uint32_t set = 0; set < sets; ++set) {
                double const first = (above[set].loglh - below[set].loglh) / (2 * step);
                double const second = (above[set].first - below[set].first) / (2 * step);
                EXPECT_NEAR(at[set].first, first, 1e-4 * (1 + std::abs(first)));
                EXPECT_NEAR(at[set].second, second, 1e-4 * (1 + std::abs(second)));
            }
        }
    }
}

TEST(Likelihood, BranchValuesFollowTheLogLikelihood) {
    Fixture f(8, BranchLinkage::scaled);
    auto likelihood = f.fresh(test::some_tree(f.data, 8, f.linkage), f.data.models);
    auto const h = likelihood.tree().edges()[3];
    likelihood.focus(h);
    double const from = likelihood.tree().length(h);
    double const difference = likelihood.branch_values(first_place, std::array{0.7})[0].loglh -
                              likelihood.branch_values(first_place, std::array{from})[0].loglh;
    double const before = likelihood.loglh(h);
    likelihood.set_length(h, 0.7);
    EXPECT_NEAR(likelihood.loglh(h) - before, difference, 1e-8);
}

TEST(Likelihood, IsNoProbabilityAboveOneForStatesThatNeverOccur) {
    Fixture f(10, BranchLinkage::linked);
    for (auto& column : f.data.columns[0]) column.assign(f.data.num_taxa, 'A');
    f.data.columns.resize(1);
    f.data.weights.resize(1);
    f.data.specs = {parse_model("GTR+FC+G4m")};
    std::vector<double> const only_a{1, 1e-12, 1e-12, 1e-12};
    f.data.models = {start_model(f.data.specs[0], {only_a})};
    for (double length : {1e-6, 0.1, 100.0}) {
        auto tree = test::some_tree(f.data, 3, f.linkage);
        for (auto h : tree.edges()) tree.set_length(h, length);
        EXPECT_NEAR(f.fresh(tree, f.data.models).loglh(), 0, 1e-6) << length;
        EXPECT_LE(f.fresh(tree, f.data.models).loglh(), 1e-9) << length;
    }
}

TEST(Likelihood, HasTheSameBitsForEveryInstructionSetAndAnyNumberOfThreadsAndSlots) {
    Fixture f(9, BranchLinkage::linked);
    auto const tree = test::some_tree(f.data, 9, f.linkage);
    auto const expected = bits(f.fresh(tree, f.data.models).loglh());
    auto const before = likelihood::used_instructions();
    for (auto const name : likelihood::available_instructions()) {
        likelihood::use_instructions(name);
        EXPECT_EQ(bits(f.fresh(tree, f.data.models).loglh()), expected) << name;
    }
    likelihood::use_instructions(before);
    auto options = test::partition_options(f.data);
    options.num_threads = 3;
    options.num_slots = 1;
    EXPECT_EQ(bits(f.fresh(tree, f.data.models, options).loglh()), expected);
}

}  // namespace
}  // namespace regraft::phylo
