// Posterior probabilities of states and categories are compared with sums over all assignments of states to inner
// nodes, and with the likelihoods of trees that have one tip more, whose state is known.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/likelihood/likelihood_cases.hpp"

namespace regraft::test {
namespace {

using likelihood::Partition;
using msa::HalfEdge;

constexpr double accuracy = 1e-10;

bool may_have(LikelihoodCase const& c, HalfEdge tip, std::size_t pattern, std::size_t state) {
    return (c.sets[static_cast<unsigned char>(c.sites.rows[tip][pattern])] >> state & 1U) != 0;
}

/// The joint probability of the data of a pattern and of everything else that may be asked.
struct Joint {
    std::vector<std::vector<Real>> states;  // [node][state]
    std::vector<Real> categories;           // [category], first the invariant one if there is any
};

/// Sums over all states of all inner nodes. The tree is small.
Joint enumerate(LikelihoodCase const& c, std::size_t pattern) {
    auto const n = c.num_states();
    auto const num_tips = c.tree.num_tips();
    auto const num_inner = num_tips - 2;
    Joint joint{std::vector<std::vector<Real>>(c.tree.num_nodes(), std::vector<Real>(n)), {}};
    auto const edges = c.tree.edges();
    std::size_t num_assignments = 1;
    for (std::uint32_t i = 0; i < num_inner; ++i) num_assignments *= n;
    auto const state_of = [&](std::size_t assignment, msa::Node node) {
        for (auto i = num_tips; i < node; ++i) assignment /= n;
        return assignment % n;
    };
    auto const add = [&](std::size_t assignment, Real probability) {
        for (msa::Node v = num_tips; v < c.tree.num_nodes(); ++v)
            joint.states[v][state_of(assignment, v)] += probability;
        joint.categories.back() += probability;
    };
    if (c.mixture.invariant > 0) {
        joint.categories.push_back(0);
        Real weights = 0;
        std::vector<Real> mean(n);
        for (auto const& category : c.mixture.categories) {
            weights += category.weight;
            for (std::size_t i = 0; i < n; ++i)
                mean[i] += category.weight * Real{c.mixture.processes[category.process].frequencies[i]};
        }
        for (std::size_t i = 0; i < n; ++i) {
            bool is_possible = true;
            for (HalfEdge tip = 0; tip < num_tips; ++tip) is_possible = is_possible && may_have(c, tip, pattern, i);
            std::size_t assignment = 0;
            for (std::uint32_t k = 0; k < num_inner; ++k) assignment = assignment * n + i;
            if (is_possible) add(assignment, c.mixture.invariant * mean[i] / weights);
        }
    }
    for (auto const& category : c.mixture.categories) {
        joint.categories.push_back(0);
        auto const& process = c.mixture.processes[category.process];
        auto const q = rate_matrix(process);
        std::vector<RealMatrix> p;
        for (auto const h : edges)
            p.push_back(transition_probabilities(q, c.tree.length(h) * c.mixture.branch_scale * category.rate));
        for (std::size_t assignment = 0; assignment < num_assignments; ++assignment) {
            // The process is reversible, so any inner node may be the root, and edges have no direction.
            Real probability = category.weight * Real{process.frequencies[state_of(assignment, num_tips)]};
            std::vector<bool> seen(c.tree.num_nodes());
            std::vector<msa::Node> pending{num_tips};
            while (!pending.empty()) {
                auto const v = pending.back();
                pending.pop_back();
                seen[v] = true;
                for (std::size_t e = 0; e < edges.size(); ++e) {
                    auto const a = c.tree.node(edges[e]);
                    auto const b = c.tree.node(c.tree.back(edges[e]));
                    if (a != v && b != v) continue;
                    auto const other = a == v ? b : a;
                    if (seen[other]) continue;
                    auto const from = state_of(assignment, v);
                    if (other >= num_tips) {
                        probability *= p[e](from, state_of(assignment, other));
                        pending.push_back(other);
                        continue;
                    }
                    Real sum = 0;
                    for (std::size_t j = 0; j < n; ++j) sum += may_have(c, other, pattern, j) ? p[e](from, j) : 0;
                    probability *= sum;
                }
            }
            add(assignment, probability);
        }
    }
    return joint;
}

std::vector<double> normalised(std::vector<Real> const& parts) {
    Real sum = 0;
    for (auto const part : parts) sum += part;
    std::vector<double> result;
    for (auto const part : parts) result.push_back(static_cast<double>(part / sum));
    return result;
}

void expect_part(std::vector<double> const& found, std::size_t row, std::vector<double> const& expected) {
    ASSERT_GE(found.size(), (row + 1) * expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(found[row * expected.size() + i], expected[i], accuracy) << "pattern " << row << ", " << i;
}

TEST(PosteriorsProperty, AreSumsOverAllAssignmentsOfStates) {
    for (std::uint32_t const num_states : {2U, 3U, 4U, 5U}) {
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            SCOPED_TRACE(testing::Message() << num_states << " states, seed " << seed);
            Random random(mix(seed) + num_states);
            CaseShape shape{.num_tips = 3 + static_cast<std::uint32_t>(random.below(3)), .num_states = num_states};
            shape.num_categories = 1 + random.below(4);
            shape.num_patterns = 1 + random.below(10);
            shape.systems_per_category = random.below(3) == 0;
            shape.invariant = random.below(2) == 0;
            shape.ascertainment = random_ascertainment(shape, random);
            auto const c = random_case(shape, seed);
            auto p = partition(c);
            for (std::size_t pattern = 0; pattern < shape.num_patterns; ++pattern) {
                auto const expected = enumerate(c, pattern);
                for (msa::Node v = c.tree.num_tips(); v < c.tree.num_nodes(); ++v) {
                    auto const h = c.tree.half_edge(v) + static_cast<HalfEdge>(random.below(3));
                    expect_part(p.state_posteriors(h), pattern, normalised(expected.states[v]));
                }
                auto const h = static_cast<HalfEdge>(random.below(c.tree.num_half_edges()));
                expect_part(p.category_posteriors(h), pattern, normalised(expected.categories));
            }
        }
    }
}

/// The tree with one tip more, at the node of h, on edges of length 0.
msa::Tree with_tip_at(msa::Tree const& tree, HalfEdge h) {
    auto const n = tree.num_tips();
    msa::Tree larger(n + 1);
    auto const there = [&](HalfEdge g) { return tree.is_tip(g) ? g : g + 1; };
    for (auto const g : tree.edges()) {
        if (g != h && tree.back(g) != h) larger.connect(there(g), there(tree.back(g)), tree.length(g));
    }
    auto const joint = larger.half_edge(larger.num_nodes() - 1);
    larger.connect(there(h), joint, 0);
    larger.connect(there(tree.back(h)), joint + 1, tree.length(h));
    larger.connect(n, joint + 2, 0);
    return larger;
}

TEST(PosteriorsProperty, AreLikelihoodsOfTreesWhoseNodeHasAKnownState) {
    std::uint64_t seed = 100;
    for (std::uint32_t const num_states : {2U, 4U, 7U, 20U}) {
        for (std::uint32_t const num_tips : {4U, 30U, 400U}) {
            if (num_states == 20 && num_tips == 400) continue;  // takes minutes in long double
            SCOPED_TRACE(testing::Message() << num_states << " states, " << num_tips << " tips");
            CaseShape shape{.num_tips = num_tips, .num_states = num_states, .num_categories = 3, .num_patterns = 9};
            shape.invariant = seed % 2 == 0;
            auto const c = random_case(shape, ++seed);
            auto p = partition(c);
            Random random(seed);
            for (int trial = 0; trial < 2; ++trial) {
                auto const v = num_tips + static_cast<msa::Node>(random.below(num_tips - 2));
                auto const h = c.tree.half_edge(v) + static_cast<HalfEdge>(random.below(3));
                auto const larger = with_tip_at(c.tree, h);
                auto sites = c.sites;
                sites.rows.emplace_back();
                std::vector<std::vector<Real>> loglh(shape.num_patterns);
                for (std::uint32_t state = 0; state < num_states; ++state) {
                    sites.rows.back().assign(shape.num_patterns, static_cast<char>(state));
                    auto const values = Pruning(larger, c.mixture, c.sets, sites).values(0);
                    for (std::size_t i = 0; i < values.size(); ++i) loglh[i].push_back(values[i].loglh);
                }
                auto const found = p.state_posteriors(h);
                for (std::size_t i = 0; i < loglh.size(); ++i) {
                    auto const largest = *std::max_element(loglh[i].begin(), loglh[i].end());
                    for (auto& value : loglh[i]) value = std::exp(value - largest);
                    expect_part(found, i, normalised(loglh[i]));
                }
            }
        }
    }
}

TEST(PosteriorsProperty, HaveTheSameBitsHoweverTheyAreComputed) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        CaseShape const shape{.num_tips = 5 + static_cast<std::uint32_t>(random.below(60)),
                              .num_states = random.below(2) == 0 ? 4U : 20U,
                              .num_patterns = 40,
                              .invariant = random.below(2) == 0};
        auto const c = random_case(shape, seed);
        auto whole = partition(c);
        auto lean =
            partition(c, {.num_slots = Partition::least_slots(shape.num_tips), .repeats = likelihood::Repeats::off});
        auto threaded = partition(c, {.num_threads = 3, .repeats = likelihood::Repeats::everywhere});
        // Every third pattern alone.
        likelihood::Sites some;
        some.rows.resize(shape.num_tips);
        for (std::size_t i = 0; i < shape.num_patterns; i += 3) {
            some.weights.push_back(1);
            for (std::uint32_t tip = 0; tip < shape.num_tips; ++tip) some.rows[tip] += c.sites.rows[tip][i];
        }
        auto part = partition(c, c.tree, some);
        for (int trial = 0; trial < 5; ++trial) {
            auto const h = static_cast<HalfEdge>(random.below(c.tree.num_half_edges()));
            auto const categories = whole.category_posteriors(h);
            EXPECT_EQ(lean.category_posteriors(h), categories);
            EXPECT_EQ(threaded.category_posteriors(h), categories);
            if (c.tree.is_tip(h)) continue;
            auto const states = whole.state_posteriors(h);
            EXPECT_EQ(lean.state_posteriors(h), states);
            EXPECT_EQ(threaded.state_posteriors(h), states);
            auto const of_part = part.state_posteriors(h);
            for (std::size_t i = 0; i < of_part.size(); ++i) {
                auto const pattern = i / shape.num_states * 3;
                ASSERT_EQ(of_part[i], states[pattern * shape.num_states + i % shape.num_states]);
            }
        }
    }
}

TEST(PosteriorsProperty, DoNotTakeATraversalForEachNode) {
    for (std::uint32_t const num_tips : {10U, 300U}) {
        auto const c = random_case({.num_tips = num_tips, .num_patterns = 8}, num_tips);
        auto p = partition(c);
        for (auto const h : msa::preorder_edges(c.tree)) {
            if (!c.tree.is_tip(c.tree.back(h))) p.state_posteriors(c.tree.back(h));
        }
        EXPECT_LE(p.num_updates(), std::uint64_t{40} * num_tips);
    }
}

TEST(Posteriors, OfNoPatternsAreNone) {
    auto c = random_case({.num_patterns = 1}, 1);
    likelihood::Sites none;
    none.rows.resize(c.tree.num_tips());
    auto p = partition(c, c.tree, none);
    EXPECT_TRUE(p.category_posteriors(0).empty());
    EXPECT_TRUE(p.state_posteriors(c.tree.back(0)).empty());
}

TEST(Posteriors, OfAnImpossiblePatternAreThePriorOnes) {
    // Two tips with different states, at no distance.
    LikelihoodCase c = random_case({.num_tips = 3, .num_states = 2, .num_categories = 2, .num_patterns = 1}, 3);
    for (auto const h : c.tree.edges()) c.tree.set_length(h, 0);
    c.sites.rows = {std::string(1, '\0'), std::string(1, '\1'), std::string(1, '\0')};
    auto p = partition(c);
    std::vector<Real> categories;
    std::vector<Real> states(2);
    for (auto const& category : c.mixture.categories) {
        categories.push_back(category.weight);
        for (std::size_t i = 0; i < 2; ++i)
            states[i] += category.weight * Real{c.mixture.processes[category.process].frequencies[i]};
    }
    expect_part(p.category_posteriors(0), 0, normalised(categories));
    expect_part(p.state_posteriors(c.tree.back(0)), 0, normalised(states));
}

}  // namespace
}  // namespace regraft::test
