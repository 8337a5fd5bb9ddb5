#include "search/models/rate_categories.hpp"
#include <mpi.h>

#include <cmath>

#include <gtest/gtest.h>

#include "regraft/search/optimise.hpp"
#include "small_job.hpp"

namespace regraft::phylo {

using namespace search;

namespace {

using test::parse_model;

constexpr std::uint32_t num_taxa = 12;
constexpr int num_sites = 800;

/// Sites that evolved under JC at one of some rates along a tree.
class Evolution {
public:
    Evolution(Model const& truth, std::uint64_t seed)
        : tree(test::random_lengths(msa::random_tree(num_taxa, seed), seed)), random_(seed) {
        data_.num_taxa = num_taxa;
        data_.columns.resize(1);
        data_.weights.push_back(std::vector<std::uint32_t>(num_sites, 1));
        for (int i = 0; i < num_sites; ++i) data_.columns[0].push_back(column(rate_of(truth)));
    }

    test::SmallDataset data(Model const& start, ModelSpec const& spec) {
        auto data = data_;
        data.models = {start};
        data.specs = {spec};
        return data;
    }
    msa::Tree const tree;

private:
    double rate_of(Model const& truth) {
        auto rest = random_.unit();
        std::size_t c = 0;
        while (c + 1 < truth.category_weights.size() && rest >= truth.category_weights[c]) {
            rest -= truth.category_weights[c++];
        }
        return truth.category_rates[c];
    }
    std::string column(double rate) {
        std::string cells(num_taxa, '-');
        cells[0] = static_cast<char>(random_.below(4));
        descend(0, cells[0], rate, cells);
        for (auto& cell : cells) cell = "ACGT"[static_cast<std::size_t>(cell)];
        return cells;
    }
    void descend(msa::HalfEdge from, char state, double rate, std::string& cells) {
        auto const h = tree.back(from);
        auto const same = 0.25 + 0.75 * std::exp(-4.0 / 3 * rate * tree.length(h));
        if (random_.unit() >= same) state = static_cast<char>((state + 1 + static_cast<int>(random_.below(3))) % 4);
        if (tree.is_tip(h)) {
            cells[tree.node(h)] = state;
        } else {
            descend(tree.next(h), state, rate, cells);
            descend(tree.next(tree.next(h)), state, rate, cells);
        }
    }

    test::SmallDataset data_;
    Random random_;
};

Model with_rates(ModelSpec const& spec, std::vector<double> rates, std::vector<double> weights) {
    auto model = test::start_model(spec, {});
    model.category_rates = std::move(rates);
    model.category_weights = std::move(weights);
    return model;
}

DistributedLikelihood likelihood_of(ft::Communicator& comm, msa::Tree const& tree, test::SmallDataset const& data) {
    return {comm,
            tree,
            data.specs,
            data.models,
            BranchLinkage::linked,
            test::my_sites(data, comm),
            test::partition_options(data)};
}

/// Optimises as the rounds of a search do. Returns the log-likelihood at the end.
double optimise(DistributedLikelihood& likelihood) {
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 3; ++i) optimise_models(likelihood, 0.01);
        if (!move_categories(likelihood, 0.1)) break;
    }
    return likelihood.loglh();
}

TEST(MoveCategories, FindsThePlaceOfACategoryThatDoublesAnother) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const two = parse_model("JC+R2");
    auto const three = parse_model("JC+R3");
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto const truth = with_rates(three, {0.05, 0.8, 6}, {0.5, 0.4, 0.1});  // of mean about 1
        Evolution evolution(truth, seed);
        auto const start = evolution.data(with_rates(two, {0.2, 2}, {0.6, 0.4}), two);
        auto fewer = likelihood_of(comm, evolution.tree, start);
        auto const before = optimise(fewer);
        auto const& found = fewer.model(0);
        auto const rate = found.category_rates[1];
        auto const half = found.category_weights[1] / 2;
        auto const doubled =
            with_rates(three, {found.category_rates[0], rate, rate}, {found.category_weights[0], half, half});
        auto more = likelihood_of(comm, evolution.tree, evolution.data(doubled, three));
        EXPECT_NEAR(more.loglh(), before, 1e-6);
        EXPECT_TRUE(move_categories(more, 0.1));
        EXPECT_GE(more.loglh(), before + 0.1);
        auto at_truth = likelihood_of(comm, evolution.tree, evolution.data(truth, three));
        EXPECT_GE(optimise(more), at_truth.loglh());
    }
}

TEST(MoveCategories, LeavesThemWhereTheyAreTheBest) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const two = parse_model("JC+R2");
    auto const truth = with_rates(two, {0.1, 3}, {0.7, 0.3});
    Evolution evolution(truth, 5);
    auto likelihood = likelihood_of(comm, evolution.tree, evolution.data(truth, two));
    auto const loglh = optimise(likelihood);
    auto const model = likelihood.model(0);
    EXPECT_FALSE(move_categories(likelihood, 0.1));
    EXPECT_EQ(likelihood.model(0), model);
    EXPECT_EQ(likelihood.loglh(), loglh);
}

TEST(MoveCategories, EvaluatesNothingWithoutFreeRates) {
    test::SmallJob job(1, BranchLinkage::linked);
    auto const before = job.likelihood.evaluations();
    EXPECT_FALSE(move_categories(job.likelihood, 0.1));
    EXPECT_EQ(job.likelihood.evaluations(), before);
}

/// Two partitions of the same sites, of which 42 % never change and the others have one rate. scaler: of the second.
DistributedLikelihood partly_invariant(ft::Communicator& comm, std::uint64_t seed, double alpha, double scaler,
                                       likelihood::Origin scaler_from = likelihood::Origin::optimised) {
    Evolution evolution(with_rates(parse_model("JC+R2"), {1e-9, 1 / 0.58}, {0.42, 0.58}), seed);
    auto const gamma = parse_model("JC+G4m");
    auto model = test::start_model(gamma, {});
    auto data = evolution.data(model, gamma);
    model.alpha = alpha;
    model.scaler = scaler;
    data.columns.push_back(data.columns[0]);
    data.weights.push_back(data.weights[0]);
    data.models.push_back(model);
    data.specs.push_back(gamma);
    data.specs.back().scaler_from = scaler_from;
    return {comm,
            evolution.tree,
            data.specs,
            data.models,
            BranchLinkage::scaled,
            test::my_sites(data, comm),
            test::partition_options(data)};
}

TEST(MoveShapes, FindsTheOtherMaximum) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (std::uint64_t const seed : {1, 2}) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto higher = partly_invariant(comm, seed, 0.03, 0.5);
        auto lower = partly_invariant(comm, seed, 1, 1);
        for (auto* likelihood : {&higher, &lower}) optimise_models(*likelihood, 1e-4);
        auto const best = higher.partition_loglh()[1];
        EXPECT_LT(lower.partition_loglh()[1], best - 1);
        EXPECT_TRUE(move_shapes(lower, 0.1, Lengths::change));
        EXPECT_NEAR(lower.partition_loglh()[1], best, 0.01);
        EXPECT_TRUE(move_shapes(higher, 0.1, Lengths::change));  // the first partition, which was at the lower one
        EXPECT_EQ(higher.partition_loglh()[1], best);
        EXPECT_FALSE(move_shapes(higher, 0.1, Lengths::change));
        auto fixed = partly_invariant(comm, seed, 1, 1, likelihood::Origin::fixed);
        auto const model = fixed.model(1);
        move_shapes(fixed, 0.1, Lengths::change);
        EXPECT_EQ(fixed.model(1), model);
    }
}

}  // namespace
}  // namespace regraft::phylo
