// Patterns with frequencies of their own are compared with pruning, pattern by pattern, and with models that have these
// frequencies.
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/likelihood/instructions.hpp"
#include "support/likelihood/likelihood_cases.hpp"

namespace regraft::test {
namespace {

using likelihood::Partition;
using msa::HalfEdge;

/// A case whose patterns each have frequencies of their own.
struct OwnCase {
    LikelihoodCase whole;  // its frequencies are in the sites

    /// The case of a single pattern, whose frequencies are in its model.
    LikelihoodCase alone(std::size_t pattern) const {
        auto c = whole;
        auto const n = c.num_states();
        auto const first = whole.sites.frequencies.begin() + static_cast<std::ptrdiff_t>(pattern * n);
        c.mixture.processes[0].frequencies.assign(first, first + n);
        c.sites = {};
        c.sites.weights = {whole.sites.weights[pattern]};
        for (auto const& row : whole.sites.rows) c.sites.rows.emplace_back(1, row[pattern]);
        return c;
    }
};

OwnCase own_case(CaseShape const& shape, std::uint64_t seed) {
    OwnCase c{random_case(shape, seed)};
    Random random(seed + 1);
    for (std::size_t i = 0; i < shape.num_patterns; ++i) {
        auto const frequencies = random_process(shape.num_states, random).frequencies;
        c.whole.sites.frequencies.insert(c.whole.sites.frequencies.end(), frequencies.begin(), frequencies.end());
    }
    return c;
}

CaseShape random_shape(Random& random) {
    constexpr std::array<std::uint32_t, 4> states{2, 4, 5, 20};
    CaseShape shape{.num_tips = 3 + static_cast<std::uint32_t>(random.below(8)), .num_states = states[random.below(4)]};
    shape.num_categories = 1 + random.below(4);
    shape.num_patterns = 1 + random.below(20);
    shape.invariant = random.below(2) == 0;
    return shape;
}

likelihood::SiteModel own_model(LikelihoodCase const& c) {
    auto model = site_model(c.mixture);
    model.exchangeabilities = c.mixture.processes[0].exchangeabilities;
    return model;
}

Partition own_partition(OwnCase const& c, likelihood::PartitionOptions options = {}) {
    options.total_weight = c.whole.total_weight();
    Partition result(c.whole.tree, 0, c.whole.num_states(), c.whole.sets, c.whole.sites, options);
    result.set_model(own_model(c.whole), c.whole.mixture.branch_scale);
    return result;
}

TEST(OwnFrequencies, GiveTheLikelihoodsOfPruning) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        Random random(mix(seed));
        auto const c = own_case(random_shape(random), seed);
        auto p = own_partition(c);
        auto const h = static_cast<HalfEdge>(random.below(c.whole.tree.num_half_edges()));
        auto const length = log_uniform(random, 1e-6, 10);
        std::vector<double> per_pattern(c.whole.sites.weights.size());
        FixedSum sum;
        p.add_loglh(h, sum, per_pattern);
        auto const sums = derivative_sums(p, h, length);
        Pruning::Value expected{};
        for (std::size_t i = 0; i < per_pattern.size(); ++i) {
            auto const alone = c.alone(i);
            auto const value = alone.expected(h).loglh / alone.sites.weights[0];
            EXPECT_NEAR(per_pattern[i], static_cast<double>(value), 1e-9 * (1 + std::abs(per_pattern[i])));
            expected = expected + alone.expected(h, length);
        }
        auto const near = [&](std::size_t order, Real value) {
            auto const found = sums[order].value(p.derivative_scales()[order]);
            EXPECT_NEAR(found, static_cast<double>(value), 1e-7 * (1 + std::abs(static_cast<double>(value)))) << order;
        };
        near(1, expected.first);
        near(2, expected.second);
    }
}

TEST(OwnFrequencies, GiveThePosteriorsOfModelsWithThem) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(seed);
        Random random(mix(seed));
        auto const c = own_case(random_shape(random), seed);
        auto p = own_partition(c);
        auto const& tree = c.whole.tree;
        auto const v = tree.num_tips() + static_cast<msa::Node>(random.below(tree.num_tips() - 2));
        auto const h = tree.half_edge(v);
        auto const states = p.state_posteriors(h);
        auto const categories = p.category_posteriors(h);
        for (std::size_t i = 0; i < c.whole.sites.weights.size(); ++i) {
            auto const alone = c.alone(i);
            auto q = partition(alone);
            auto const of_states = q.state_posteriors(h);
            auto const of_categories = q.category_posteriors(h);
            for (std::size_t k = 0; k < of_states.size(); ++k)
                EXPECT_NEAR(states[i * of_states.size() + k], of_states[k], 1e-9);
            for (std::size_t k = 0; k < of_categories.size(); ++k)
                EXPECT_NEAR(categories[i * of_categories.size() + k], of_categories[k], 1e-9);
        }
    }
}

/// All results that a search needs, on a tree of which nothing is valid at first.
std::vector<SumBits> results(Partition& p, msa::Tree const& tree) {
    std::vector<SumBits> found;
    for (HalfEdge h = 0; h < tree.num_half_edges(); h += 3) found.push_back(bits(loglh_sum(p, h)));
    for (auto const& sum : derivative_sums(p, 1, 0.3)) found.push_back(bits(sum));
    std::vector<FixedSum> sums(std::size_t{3} * tree.num_edges());
    p.add_all_derivatives(sums);
    for (auto const& sum : sums) found.push_back(bits(sum));
    return found;
}

TEST(OwnFrequencies, GiveTheSameBitsHoweverTheyAreComputed) {
    auto const before = likelihood::used_instructions();
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        SCOPED_TRACE(seed);
        Random random(mix(seed));
        auto shape = random_shape(random);
        shape.num_patterns += 40;
        auto const c = own_case(shape, seed);
        auto const& tree = c.whole.tree;
        auto whole = own_partition(c);
        auto const expected = results(whole, tree);
        auto lean = own_partition(c, {.num_slots = Partition::least_slots(shape.num_tips)});
        EXPECT_EQ(results(lean, tree), expected);
        auto threaded = own_partition(c, {.num_threads = 3, .repeats = likelihood::Repeats::everywhere});
        EXPECT_EQ(results(threaded, tree), expected);
        for (auto const name : likelihood::available_instructions()) {
            likelihood::use_instructions(name);
            auto other = own_partition(c);
            EXPECT_EQ(results(other, tree), expected) << name;
        }
        likelihood::use_instructions(before);
    }
}

TEST(OwnFrequencies, OfPartsGiveTheSumOfTheWhole) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        SCOPED_TRACE(seed);
        Random random(mix(seed));
        auto const c = own_case(random_shape(random), seed);
        auto whole = own_partition(c);
        FixedSum sum;
        for (std::size_t i = 0; i < c.whole.sites.weights.size(); ++i) {
            auto part = c;
            part.whole.sites = c.alone(i).sites;
            auto const n = static_cast<std::ptrdiff_t>(c.whole.num_states());
            auto const first = c.whole.sites.frequencies.begin() + static_cast<std::ptrdiff_t>(i) * n;
            part.whole.sites.frequencies.assign(first, first + n);
            likelihood::PartitionOptions options{.total_weight = c.whole.total_weight()};
            Partition p(part.whole.tree, 0, c.whole.num_states(), part.whole.sets, part.whole.sites, options);
            p.set_model(own_model(c.whole), c.whole.mixture.branch_scale);
            p.add_loglh(0, sum);
        }
        EXPECT_EQ(bits(sum), bits(loglh_sum(whole)));
    }
}

TEST(OwnFrequencies, FollowTheExchangeabilities) {
    auto const c = own_case({.num_states = 4}, 3);
    auto p = own_partition(c);
    auto const before = bits(loglh_sum(p));
    auto other = c;
    other.whole.mixture.processes[0].exchangeabilities[2] *= 3;
    p.set_model(own_model(other.whole), c.whole.mixture.branch_scale);
    auto fresh = own_partition(other);
    EXPECT_EQ(bits(loglh_sum(p)), bits(loglh_sum(fresh)));
    EXPECT_NE(bits(loglh_sum(p)), before);
}

}  // namespace
}  // namespace regraft::test
