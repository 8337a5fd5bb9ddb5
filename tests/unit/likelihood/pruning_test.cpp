// The oracle of likelihoods is compared with closed forms, and must notice mistakes.
#include "support/likelihood/pruning.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "support/likelihood/likelihood_cases.hpp"

namespace regraft::test {
namespace {

TEST(TransitionProbabilities, AreThoseOfJukesAndCantor) {
    auto const q = rate_matrix({std::vector<double>(6, 3), std::vector<double>(4, 0.25)});
    for (Real const t : {0.0L, 1e-9L, 1e-3L, 0.7L, 40.0L}) {
        auto const p = transition_probabilities(q, t);
        Real const different = -std::expm1(-4 * t / 3) / 4;
        for (std::size_t i = 0; i < 4; ++i) {
            for (std::size_t j = 0; j < 4; ++j) {
                Real const expected = i == j ? 1 - 3 * different : different;
                EXPECT_NEAR(static_cast<double>(p(i, j) - expected), 0, 1e-16 * static_cast<double>(expected));
            }
        }
    }
}

TEST(TransitionProbabilities, OfARandomProcessComposeAndKeepItsFrequencies) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        Random random(seed);
        auto const n = static_cast<std::uint32_t>(2 + random.below(20));
        auto const process = random_process(n, random);
        auto const q = rate_matrix(process);
        auto const whole = transition_probabilities(q, 0.8L);
        auto const parts = transition_probabilities(q, 0.3L) * transition_probabilities(q, 0.5L);
        for (std::size_t j = 0; j < n; ++j) {
            Real kept = 0;
            for (std::size_t i = 0; i < n; ++i) {
                kept += process.frequencies[i] * whole(i, j);
                EXPECT_NEAR(static_cast<double>(whole(i, j) / parts(i, j)), 1, 1e-15);
            }
            EXPECT_NEAR(static_cast<double>(kept), process.frequencies[j], 1e-15);
        }
    }
}

TEST(Pruning, FindsTheSameLikelihoodAtEveryEdge) {
    auto const c =
        random_case({.num_tips = 12, .num_states = 5, .num_categories = 3, .num_patterns = 6, .invariant = true}, 3);
    Pruning const pruning(c.tree, c.mixture, c.sets, c.sites);
    auto const expected = total(pruning.values(0), c.sites.weights).loglh;
    for (auto const h : c.tree.edges()) {
        EXPECT_NEAR(static_cast<double>(total(pruning.values(h), c.sites.weights).loglh - expected), 0, 1e-13);
    }
}

void expect_derivatives(CaseShape const& shape) {
    auto const c = random_case(shape, 8);
    for (Real const t : {1e-3L, 0.1L, 3.0L}) {
        auto const at = [&](Real length) { return c.expected(4, length); };
        auto const step = 1e-4L * t;
        auto const above = at(t + step);
        auto const below = at(t - step);
        auto const here = at(t);
        auto const unit = static_cast<double>(c.total_weight() / t);
        EXPECT_NEAR(static_cast<double>((above.loglh - below.loglh) / (2 * step) - here.first), 0, 1e-7 * unit);
        EXPECT_NEAR(static_cast<double>((above.first - below.first) / (2 * step) - here.second), 0,
                    1e-7 * unit / static_cast<double>(t));
    }
}

TEST(Pruning, DerivativesAreTheLimitsOfDifferences) {
    using likelihood::Ascertainment;
    expect_derivatives({.num_tips = 7, .num_patterns = 9, .invariant = true});
    for (auto const kind : {Ascertainment::lewis, Ascertainment::felsenstein, Ascertainment::stamatakis})
        expect_derivatives({.num_tips = 5, .num_states = 3, .num_patterns = 9, .ascertainment = kind});
}

/// All 3^3 columns, each as often as it is probable: corrected, they are all that there is but for those left out.
TEST(Pruning, CorrectionsAddUp) {
    auto c = random_case({.num_tips = 3, .num_states = 3, .num_categories = 2, .num_patterns = 0}, 4);
    for (int column = 0; column < 27; ++column) {
        for (std::size_t tip = 0, rest = static_cast<std::size_t>(column); tip < 3; ++tip, rest /= 3)
            c.sites.rows[tip].push_back(static_cast<char>(rest % 3));
        c.sites.weights.push_back(1);
    }
    auto const values = Pruning(c.tree, c.mixture, c.sets, c.sites).values(0);
    std::vector<Pruning::Value> constant;
    std::vector<Pruning::Value> others;
    for (std::size_t i = 0; i < values.size(); ++i) (i % 13 == 0 ? constant : others).push_back(values[i]);
    auto const with_all = log_of_sum(values);
    EXPECT_NEAR(static_cast<double>(with_all.loglh), 0, 1e-15);
    EXPECT_NEAR(static_cast<double>(with_all.first), 0, 1e-15);
    auto const rest = log_of_rest(log_of_sum(constant));
    auto const varying = log_of_sum(others);
    EXPECT_NEAR(static_cast<double>(rest.loglh - varying.loglh), 0, 1e-15);
    EXPECT_NEAR(static_cast<double>(rest.first - varying.first), 0, 1e-13);
    EXPECT_NEAR(static_cast<double>(rest.second - varying.second), 0, 1e-13);
}

TEST(Pruning, NoticesALengthAStateAndARateThatAreWrong) {
    auto const c = random_case({.num_tips = 9, .num_patterns = 9}, 2);
    auto const loglh = [](LikelihoodCase const& of) {
        return static_cast<double>(
            total(Pruning(of.tree, of.mixture, of.sets, of.sites).values(0), of.sites.weights).loglh);
    };
    auto const right = loglh(c);
    auto wrong = c;
    wrong.tree.set_length(3, 1.01 * c.tree.length(3));
    EXPECT_GT(std::abs(loglh(wrong) - right), 1e-9 * std::abs(right));
    wrong = c;
    wrong.sites.rows[5][2] = static_cast<char>((c.sites.rows[5][2] + 1) % 4);
    EXPECT_GT(std::abs(loglh(wrong) - right), 1e-9 * std::abs(right));
    wrong = c;
    wrong.mixture.categories[1].rate *= 1.001;
    EXPECT_GT(std::abs(loglh(wrong) - right), 1e-9 * std::abs(right));
}

}  // namespace
}  // namespace regraft::test
