// Likelihoods, derivatives and insertions are compared with pruning in higher precision.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "support/likelihood/likelihood_cases.hpp"

namespace regraft::test {
namespace {

using likelihood::Partition;
using msa::HalfEdge;

constexpr double accuracy = 1e-10;

/// Cases are small, so that 64 states do not take minutes in long double.
CaseShape random_shape(std::uint32_t num_states, std::uint64_t seed) {
    Random random(mix(seed) + num_states);
    CaseShape shape;
    shape.num_states = num_states;
    shape.num_tips = 3 + static_cast<std::uint32_t>(random.below(num_states > 30 ? 4 : 20));
    shape.num_categories = 1 + random.below(num_states > 30 ? 2 : 8);
    shape.num_patterns = 1 + random.below(30);
    shape.systems_per_category = random.below(3) == 0;
    shape.invariant = random.below(3) == 0;
    shape.ascertainment = random_ascertainment(shape, random);
    return shape;
}

std::uint64_t num_seeds(std::uint32_t num_states) {
    return num_states > 30 ? 2 : num_states > 6 ? 5 : 25;
}

template <class Check>
void for_random_cases(Check check) {
    for (std::uint32_t const num_states : {2U, 3U, 4U, 5U, 20U, 21U, 61U, 64U}) {
        for (std::uint64_t seed = 0; seed < num_seeds(num_states); ++seed) {
            SCOPED_TRACE(testing::Message() << num_states << " states, seed " << seed);
            check(random_case(random_shape(num_states, seed), seed), seed);
        }
    }
}

HalfEdge random_half_edge(msa::Tree const& tree, std::uint64_t seed) {
    return static_cast<HalfEdge>(Random(seed + 77).below(tree.num_half_edges()));
}

void expect_near(double value, Real expected, Real scale) {
    EXPECT_NEAR(value, static_cast<double>(expected), static_cast<double>(accuracy * scale));
}

TEST(LikelihoodProperty, EveryPatternHasTheLikelihoodThatPruningFinds) {
    for_random_cases([](LikelihoodCase const& c, std::uint64_t seed) {
        auto const h = random_half_edge(c.tree, seed);
        auto const expected = Pruning(c.tree, c.mixture, c.sets, c.sites).values(h);
        auto p = partition(c);
        FixedSum sum;
        std::vector<double> values(expected.size());
        p.add_loglh(h, sum, values);
        for (std::size_t i = 0; i < values.size(); ++i) {
            expect_near(values[i], expected[i].loglh, std::abs(expected[i].loglh) + 1);
        }
        auto const all = c.expected(h).loglh;
        expect_near(sum.value(p.loglh_scale()), all, std::abs(all));
    });
}

TEST(LikelihoodProperty, TreesWithThousandsOfTipsAgreeToo) {
    std::uint64_t seed = 0;
    for (std::uint32_t const num_tips : {100U, 500U, 2000U}) {
        for (std::uint32_t const num_states : {2U, 4U, 5U}) {
            SCOPED_TRACE(testing::Message() << num_tips << " tips, " << num_states << " states");
            auto const c = random_case({.num_tips = num_tips, .num_states = num_states, .num_patterns = 9}, ++seed);
            auto const expected = c.expected(0).loglh;
            auto p = partition(c);
            expect_near(loglh_sum(p).value(p.loglh_scale()), expected, std::abs(expected));
        }
    }
}

TEST(LikelihoodProperty, DerivativesAreThoseOfPruning) {
    for_random_cases([](LikelihoodCase const& c, std::uint64_t seed) {
        auto const h = random_half_edge(c.tree, seed);
        Random random(seed);
        auto p = partition(c);
        p.focus(h);
        for (int i = 0; i < 3; ++i) {
            auto const t = log_uniform(random, 1e-6, 100);
            auto const expected = c.expected(h, t);
            std::array<FixedSum, 3> sums;
            p.add_derivatives(t, sums);
            auto const value = [&](std::size_t order) { return sums[order].value(p.derivative_scales()[order]); };
            auto const weight = static_cast<Real>(c.total_weight());
            // The unit is what one site can have at such a length. In a short time a likelihood is small beside its
            // terms, which cancel.
            auto const unit = std::max(1.0, 1e-3 / t) * weight / t;
            expect_near(value(1), expected.first, unit);
            expect_near(value(2), expected.second, unit / t);
        }
    });
}

TEST(LikelihoodProperty, LogLikelihoodsBetweenDerivativesDifferAsPruningSays) {
    for_random_cases([](LikelihoodCase const& c, std::uint64_t seed) {
        auto const h = random_half_edge(c.tree, seed);
        auto p = partition(c);
        auto const at = [&](double t) { return derivative_sums(p, h, t)[0].value(p.derivative_scales()[0]); };
        auto const expected = [&](double t) { return c.expected(h, t).loglh; };
        expect_near(at(0.3) - at(0.01), expected(0.3) - expected(0.01), std::abs(expected(0.01)));
    });
}

TEST(LikelihoodProperty, AnInsertionHasTheBitsOfTheTreeAfterIt) {
    for_random_cases([](LikelihoodCase const& c, std::uint64_t seed) {
        if (c.tree.num_tips() < 4) return;
        auto tree = c.tree;
        Random random(seed);
        auto const h = tree.half_edge(c.tree.num_tips() + static_cast<HalfEdge>(random.below(c.tree.num_tips() - 2)));
        tree.prune(h);
        auto const in_subtree = msa::postorder(tree, tree.back(h));
        auto p = partition(c, tree, c.sites);
        for (HalfEdge target = 0; target < tree.num_half_edges(); ++target) {
            if (!tree.is_connected(target) || tree.node(target) == tree.node(h)) continue;
            auto const is_target = [&](HalfEdge g) { return g == target || tree.back(g) == target; };
            if (std::any_of(in_subtree.begin(), in_subtree.end(), is_target)) continue;
            auto inserted = tree;
            inserted.regraft(h, target);
            auto insertion = in_the_middle(tree, h, target);
            for (bool const in_the_middle : {true, false}) {
                std::array const edges{h, inserted.next(h), inserted.next(inserted.next(h))};
                for (std::size_t which = 0; which < edges.size() && !in_the_middle; ++which) {
                    insertion.lengths[which] = log_uniform(random, 1e-6, 10);
                    inserted.set_length(edges[which], insertion.lengths[which]);
                }
                FixedSum sum;
                p.add_insertion_loglh(insertion, sum);
                auto anew = partition(c, inserted, c.sites);
                ASSERT_EQ(bits(sum), bits(loglh_sum(anew, h))) << "at " << target;
                for (std::size_t which = 0; which < edges.size(); ++which) p.focus(insertion, which, which + 1);
                for (std::size_t which = 0; which < edges.size(); ++which) {
                    std::array<FixedSum, 3> sums;
                    p.add_derivatives(0.3, sums, which + 1);
                    auto const expected = derivative_sums(anew, edges[which], 0.3);
                    for (std::size_t i = 0; i < sums.size(); ++i) ASSERT_EQ(bits(sums[i]), bits(expected[i]));
                }
            }
        }
    });
}

}  // namespace
}  // namespace regraft::test
