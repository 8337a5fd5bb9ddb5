#include "search/models/class_weights.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "small_dataset.hpp"

namespace regraft::phylo {

using namespace search;

namespace {

using test::parse_model;

struct Fixture {
    ft::Communicator comm{MPI_COMM_WORLD};
    test::SmallDataset data = test::small_dataset(3);
    std::vector<double> frequencies = std::vector<double>(20, 0.05);

    /// The likelihood with this model of the amino acids.
    DistributedLikelihood likelihood(char const* model) {
        data.specs[2] = parse_model(model);
        data.models[2] = likelihood::start_model(data.specs[2], {frequencies});
        return {comm,
                test::some_tree(data, 3, BranchLinkage::linked),
                data.specs,
                data.models,
                BranchLinkage::linked,
                test::my_sites(data, comm),
                test::partition_options(data)};
    }
};

double sum(std::vector<double> const& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

TEST(CategoryShares, SumUpToTheSites) {
    Fixture f;
    auto likelihood = f.likelihood("LG+C10+G4{0.5}+I{0.1}");
    auto const shares = likelihood.category_shares(2);
    ASSERT_EQ(shares.size(), 41u);
    auto const& weights = f.data.weights[2];
    EXPECT_NEAR(sum(shares), std::accumulate(weights.begin(), weights.end(), 0), 1e-9);
}

TEST(ClassWeights, AreWhereNoClassGainsByMoreWeight) {
    for (auto const* model : {"LG+C10Opt+G4{0.5}", "LG+C10+F", "C20Opt+I{0.1}"}) {
        SCOPED_TRACE(model);
        Fixture f;
        auto likelihood = f.likelihood(model);
        auto const before = likelihood.partition_loglh();
        optimise_class_weights(likelihood, 1e-9);
        for (int more = 0; more < 4; ++more) optimise_class_weights(likelihood, 1e-12);
        auto const after = likelihood.partition_loglh();
        EXPECT_EQ(after[0], before[0]);
        EXPECT_EQ(after[1], before[1]);
        EXPECT_GT(after[2], before[2] + 1);

        auto const& spec = likelihood.spec(2);
        auto const shares = likelihood.category_shares(2);
        auto const& weights = likelihood.model(2).class_weights;
        ASSERT_EQ(weights.size(), spec.num_classes());
        auto const first = shares.size() - spec.num_site_categories();
        auto const total = sum(shares) - (first > 0 ? shares[0] : 0);
        for (std::size_t c = 0; c < weights.size(); ++c) {
            double share = 0;
            for (std::size_t i = 0; i < spec.categories; ++i) share += shares[first + c * spec.categories + i];
            // The derivative by the weight of the class, relative to the mean of all.
            auto const slope = share / total / (weights[c] / sum(weights));
            EXPECT_LT(slope, 1.01) << c;
            if (weights[c] > 0.05) {
                EXPECT_GT(slope, 0.99) << c;
            }
        }
    }
}

TEST(ClassWeights, StayIfTheyAreFixed) {
    Fixture f;
    auto likelihood = f.likelihood("LG+C10");
    auto const before = likelihood.models();
    optimise_class_weights(likelihood, 1e-9);
    EXPECT_EQ(likelihood.models(), before);
}

TEST(ClassWeights, AreTheSameBitsAfterAnyEvaluations) {
    Fixture f;
    auto likelihood = f.likelihood("LG+C10Opt+G4{0.5}");
    auto other = f.likelihood("LG+C10Opt+G4{0.5}");
    for (auto const h : other.tree().edges()) other.loglh(h);
    static_cast<void>(other.gradient());
    optimise_class_weights(likelihood, 0.01);
    optimise_class_weights(other, 0.01);
    EXPECT_EQ(likelihood.models(), other.models());
    EXPECT_EQ(likelihood.loglh(), other.loglh());
}

}  // namespace
}  // namespace regraft::phylo
