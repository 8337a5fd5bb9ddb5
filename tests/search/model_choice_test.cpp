#include "regraft/search/model_choice.hpp"
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "regraft/search/search.hpp"
#include "search/models/nested_models.hpp"
#include "small_dataset.hpp"

namespace regraft::phylo {

using namespace search;

namespace {

using likelihood::free_parameters;
using likelihood::parse_model;

CountedData const dna{{0.3, 0.2, 0.1, 0.4}, 0.3};
auto const of_dna = all_candidates(msa::Alphabet::dna);

PartitionChoice some_choice() {
    auto const tree = test::random_lengths(msa::random_tree(8, 1), 2);
    return begin_choice(0, of_dna, dna, tree);
}

/// Ends trials with these log-likelihoods per heterogeneity, until one not in the list is next.
void end_trials(PartitionChoice& choice, std::map<std::string, double> const& loglh) {
    while (choice.running && loglh.contains(choice.running->candidate.heterogeneity) &&
           choice.running->candidate.scheme == "GTR+FC") {
        choice.running->loglh = loglh.at(choice.running->candidate.heterogeneity);
        end_trial(choice, of_dna, dna, {Criterion::bic, 1000});
    }
}

TEST(EndTrial, StartsFromTheBestSoFar) {
    auto choice = some_choice();
    end_trials(choice, {{"", -3000}});
    ASSERT_EQ(choice.running->candidate.name(), "GTR+FC+I");
    choice.running->model.rates = {1, 8, 1, 1, 8, 1};
    choice.running->lengths.assign(13, 0.5);
    end_trials(choice, {{"+I", -2900}});
    EXPECT_EQ(choice.running->candidate.name(), "GTR+FC+G4m");
    EXPECT_EQ(choice.running->lengths, std::vector<double>(13, 0.5));
    EXPECT_NEAR(choice.running->model.rates[4], 8, 1e-12);
    EXPECT_EQ(choice.running->model.frequencies, dna.frequencies);
    // This one is worse, so the next one starts from the one before.
    choice.running->model.rates = {2, 2, 2, 2, 2, 1};
    end_trials(choice, {{"+G4m", -2950}});
    EXPECT_EQ(choice.best->candidate.name(), "GTR+FC+I");
    EXPECT_NEAR(choice.running->model.rates[4], 8, 1e-12);
}

TEST(EndTrial, AveragesRatesThatBecomeEqual) {
    auto choice = some_choice();
    end_trials(choice, {{"", -3000}, {"+I", -2900}, {"+G4m", -2700}, {"+I+G4m", -2699}});
    choice.best->model.rates = {2, 9, 8, 4, 4, 1};
    end_trials(choice, {{"+R2", -2750}, {"+R3", -2750}});
    while (choice.running && choice.running->candidate.name() != "TIM1uf+FC+G4m") {
        choice.running->loglh = -3000;
        end_trial(choice, of_dna, dna, {Criterion::bic, 1000});
    }
    ASSERT_TRUE(choice.running);
    auto const& rates = choice.running->model.rates;  // AC = GT, AG, AT = CG, CT
    ASSERT_EQ(rates.size(), 4u);
    EXPECT_EQ(rates[0], 1);
    EXPECT_NEAR(rates[1], 9 / std::sqrt(2.0), 1e-12);
    EXPECT_NEAR(rates[2], 4, 1e-12);
    EXPECT_NEAR(rates[3], 4 / std::sqrt(2.0), 1e-12);
}

TEST(EndTrial, DividesTheHeaviestCategoryForOneMore) {
    auto choice = some_choice();
    end_trials(choice, {{"", -3000}, {"+I", -2900}, {"+G4m", -2500}, {"+I+G4m", -2500}});
    ASSERT_EQ(choice.running->candidate.name(), "GTR+FC+R2");
    choice.running->model.category_rates = {0.1, 3};
    choice.running->model.category_weights = {0.25, 0.75};
    choice.running->lengths.assign(13, 0.25);
    end_trials(choice, {{"+R2", -2800}});  // not the best, but what R3 goes on from
    ASSERT_EQ(choice.running->candidate.name(), "GTR+FC+R3");
    EXPECT_EQ(choice.running->lengths, std::vector<double>(13, 0.25));
    EXPECT_EQ(choice.running->model.category_weights, (std::vector<double>{0.25, 0.375, 0.375}));
    EXPECT_EQ(choice.running->model.category_rates, (std::vector<double>{0.1, 2, 4.5}));
}

TEST(EndTrial, LeavesNoModelBelowOneThatItContains) {
    auto choice = some_choice();
    end_trials(choice,
               {{"", -3000}, {"+I", -2900}, {"+G4m", -2500}, {"+I+G4m", -2600}, {"+R2", -2550}, {"+R3", -2560}});
    for (auto const& trial : choice.trials) {
        auto const& heterogeneity = trial.candidate.heterogeneity;
        auto const lowest = heterogeneity == "+I+G4m" ? -2500 : heterogeneity == "+R3" ? -2550 : -3000;
        EXPECT_GE(trial.loglh, lowest) << heterogeneity;
    }
    EXPECT_EQ(choice.best->candidate.heterogeneity, "+G4m");
}

struct Fixture {
    ft::Communicator comm{MPI_COMM_WORLD};
    test::SmallDataset data = test::small_dataset(3);
    std::vector<std::size_t> partitions;
    std::vector<std::shared_ptr<CandidateSet const>> candidates;
    SearchOptions options;

    explicit Fixture(std::vector<std::size_t> automatic) : partitions(std::move(automatic)) {
        for (std::size_t q = 0; q < data.specs.size(); ++q) {
            auto const num_states = data.specs[q].num_states();
            options.counted.push_back({std::vector<double>(num_states, 1.0 / num_states), 0.2});
            options.sites_per_partition.push_back(
                std::accumulate(data.weights[q].begin(), data.weights[q].end(), std::uint64_t{0}));
        }
        candidates.resize(data.specs.size());
        for (auto const q : partitions)
            candidates[q] = std::make_shared<CandidateSet const>(all_candidates(data.specs[q].alphabet));
        options.candidates = candidates;
    }
    SearchState start() {
        auto const given =
            start_state(Goal::likelihood, test::some_tree(data, 4, BranchLinkage::scaled), data.specs, data.models);
        return start_choice(given, partitions, options.candidates, options.counted);
    }
    std::unique_ptr<DistributedLikelihood> likelihood_of(SearchState const& state) {
        auto now = subject(state, BranchLinkage::scaled);
        auto const all = test::my_sites(data, comm);
        std::vector<likelihood::Sites> sites;
        for (auto const& subset : now.subsets) sites.push_back(all[subset.front()]);
        return std::make_unique<DistributedLikelihood>(comm, now.tree, now.specs, now.models, now.linkage, sites,
                                                       test::partition_options(data));
    }
    /// Runs to the end of the choice, as if a failure had happened every so many steps.
    SearchState choose(std::uint64_t interrupt_every) {
        auto state = start();
        auto likelihood = likelihood_of(state);
        for (std::uint64_t step = 1; !state.is_done(); ++step) {
            auto const before = describe(state);
            advance(state, *likelihood, options);
            bool const interrupted = interrupt_every > 0 && step % interrupt_every == 0;
            if (interrupted) state = SearchState::from_bytes(state.to_bytes());
            if (!state.is_done() && (interrupted || describe(state) != before)) likelihood = likelihood_of(state);
        }
        return state;
    }
};

TEST(ModelChoice, GoesOnFromItsBytesAsIfNothingHadHappened) {
    Fixture f({0, 1});
    auto const whole = f.choose(0);
    for (std::uint64_t every : {1, 7}) EXPECT_EQ(f.choose(every).to_bytes(), whole.to_bytes());
}

TEST(ModelChoice, LeavesTreeAndModelsAsIfTheChosenModelsHadBeenGiven) {
    Fixture f({1});
    auto const state = f.choose(0);
    auto specs = f.data.specs;
    auto models = f.data.models;
    for (auto const& choice : state.as<Choice>().choices) {
        auto const q = choice.partition;
        EXPECT_FALSE(choice.running);
        auto const best = best_trial(choice.trials, {Criterion::bic, f.options.sites_per_partition[q]});
        specs[q] = parse_model(choice.trials[best].candidate.name());
        models[q] = start_model(specs[q], f.options.counted[q]);
        EXPECT_EQ(specs[q].alphabet, f.data.specs[q].alphabet);
    }
    EXPECT_EQ(state.tree, f.start().tree);
    EXPECT_EQ(state.models, models);
    for (std::size_t q = 0; q < specs.size(); ++q) EXPECT_EQ(state.specs[q].text, specs[q].text);
}

TEST(ModelChoice, ReachesTheLogLikelihoodsThatItTells) {
    Fixture f({0, 2});
    auto state = f.start();
    auto likelihood = f.likelihood_of(state);
    for (int trials = 0; trials < 5;) {
        auto const before = state;
        advance(state, *likelihood, f.options);
        if (describe(state) == describe(before)) continue;
        for (std::size_t i = 0; i < 2; ++i) {
            auto const& choices = state.as<Choice>().choices;
            auto const& trial = choices[i].trials.back();
            auto reached = likelihood->partition_loglh()[i];
            for (auto const& other : choices[i].trials) {
                if (contains(trial.candidate, other.candidate)) reached = std::max(reached, other.loglh);
            }
            EXPECT_NEAR(reached, trial.loglh, 1e-9);
            EXPECT_EQ(trial.parameters, free_parameters(parse_model(trial.candidate.name())) + 13);
        }
        likelihood = f.likelihood_of(state);
        ++trials;
    }
}

}  // namespace
}  // namespace regraft::phylo
