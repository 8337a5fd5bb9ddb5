// Trees on which few slots are a tight fit. Running out of them is a broken contract: the test would end.
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "support/likelihood/likelihood_cases.hpp"

namespace regraft::test {
namespace {

using likelihood::Partition;
using msa::HalfEdge;

constexpr std::uint32_t num_tips = 5000;

/// Inserts the tips one by one, each at the edge that `choose` returns.
template <class Choose>
msa::Tree grown(std::uint32_t n, Choose choose) {
    msa::Tree tree(n);
    for (HalfEdge t = 0; t < 3; ++t) tree.connect(t, tree.half_edge(n) + t);
    for (std::uint32_t t = 3; t < n; ++t) {
        auto const h = tree.half_edge(n + t - 2);
        tree.connect(h, t);
        tree.regraft(h, choose(t));
    }
    return tree;
}

msa::Tree caterpillar(std::uint32_t n) {
    return grown(n, [](std::uint32_t t) { return t - 1; });
}
/// Every tip is split before any is split again.
msa::Tree balanced(std::uint32_t n) {
    return grown(n, [](std::uint32_t t) { return t - std::bit_floor(t - 1); });
}
/// There are subtrees of all sizes on the way, as for Fibonacci's numbers.
msa::Tree uneven(std::uint32_t n) {
    return grown(n, [](std::uint32_t t) { return static_cast<HalfEdge>(0.618 * t); });
}

struct NamedTree {
    char const* name;
    msa::Tree tree;
};

std::vector<NamedTree> adversarial_trees(std::uint32_t n) {
    return {{"caterpillar", caterpillar(n)},
            {"balanced", balanced(n)},
            {"uneven", uneven(n)},
            {"random", msa::random_tree(n, 1)}};
}

/// There is one pattern, so that thousands of questions take no time.
LikelihoodCase case_of(msa::Tree const& tree) {
    CaseShape const shape{.num_tips = tree.num_tips(), .num_categories = 1, .num_patterns = 1};
    Random random(7);
    auto mixture = random_mixture(shape, random);
    auto const sets = random_sets(4, random);
    auto sites = random_sites(shape, random);
    return {with_random_lengths(tree, random, 0.01, 1), std::move(mixture), sets, std::move(sites)};
}

TEST(LikelihoodSlots, TheLeastAreEnoughAtEveryEdge) {
    for (auto const& [name, tree] : adversarial_trees(num_tips)) {
        SCOPED_TRACE(name);
        auto const c = case_of(tree);
        auto few = partition(c, {.num_slots = Partition::least_slots(num_tips)});
        auto many = partition(c);
        Random random(3);
        for (int i = 0; i < 60; ++i) {
            auto const h = static_cast<HalfEdge>(random.below(tree.num_half_edges()));
            ASSERT_EQ(bits(loglh_sum(few, h)), bits(loglh_sum(many, h)));
        }
        EXPECT_GT(few.num_updates(), many.num_updates());
    }
}

TEST(LikelihoodSlots, TheLeastAreEnoughForInsertions) {
    for (auto const& [name, whole] : adversarial_trees(num_tips)) {
        SCOPED_TRACE(name);
        Random random(4);
        for (int i = 0; i < 12; ++i) {
            auto const c = case_of(whole);
            auto tree = c.tree;
            auto const h = static_cast<HalfEdge>(num_tips + random.below(tree.num_half_edges() - num_tips));
            auto const neighbour = tree.back(tree.next(h));
            tree.prune(h);
            auto const side = msa::postorder(tree, random.below(2) == 0 ? neighbour : tree.back(neighbour));
            auto few = partition(c, tree, c.sites, {.num_slots = Partition::least_slots(num_tips)});
            for (int j = 0; j < 4; ++j) {
                FixedSum sum;
                few.add_insertion_loglh(in_the_middle(tree, h, side[random.below(side.size())]), sum);
                EXPECT_EQ(sum.num_strays, 0);
            }
        }
    }
}

TEST(LikelihoodSlots, TheLeastAreEnoughForEverySmallTree) {
    for (std::uint32_t n = 3; n <= 64; ++n) {
        for (auto const& [name, tree] : adversarial_trees(n)) {
            SCOPED_TRACE(testing::Message() << name << " of " << n);
            auto const c = case_of(tree);
            auto few = partition(c, {.num_slots = Partition::least_slots(n)});
            auto many = partition(c);
            for (auto const h : tree.edges()) ASSERT_EQ(bits(loglh_sum(few, h)), bits(loglh_sum(many, h)));
        }
    }
}

TEST(LikelihoodSlots, TheLeastAreEnoughForClassesOfSites) {
    for (auto const& [name, tree] : adversarial_trees(num_tips)) {
        SCOPED_TRACE(name);
        auto c = case_of(tree);
        constexpr std::size_t num_patterns = 40;
        std::array const characters{c.sites.rows[0].front(), c.sites.rows[1].front()};
        Random random(9);
        for (auto& row : c.sites.rows) {
            row.assign(num_patterns, characters[0]);
            row[random.below(num_patterns)] = characters[1];
        }
        c.sites.weights.assign(num_patterns, 1);
        auto const repeats = likelihood::Repeats::everywhere;
        auto few = partition(c, {.num_slots = Partition::least_slots(num_tips, repeats), .repeats = repeats});
        auto many = partition(c, {.repeats = likelihood::Repeats::off});
        for (int i = 0; i < 60; ++i) {
            auto const h = static_cast<HalfEdge>(random.below(tree.num_half_edges()));
            ASSERT_EQ(bits(loglh_sum(few, h)), bits(loglh_sum(many, h)));
        }
        EXPECT_GT(few.num_updates(), many.num_updates());
    }
}

TEST(LikelihoodSlots, OneForEachInnerNodeIsEnoughForAllDerivativesInTwoTraversals) {
    for (auto const& [name, tree] : adversarial_trees(num_tips)) {
        SCOPED_TRACE(name);
        auto const c = case_of(tree);
        auto p = partition(c, {.repeats = likelihood::Repeats::off});
        std::vector<FixedSum> sums(std::size_t{3} * tree.num_edges());
        p.add_all_derivatives(sums);
        EXPECT_EQ(p.num_updates(), 3 * (num_tips - 2));  // every CLV once
    }
}

TEST(LikelihoodSlots, AreFewForManyTips) {
    EXPECT_LE(Partition::least_slots(num_tips), 20U);
    EXPECT_LE(Partition::least_slots(1'000'000), 30U);
}

}  // namespace
}  // namespace regraft::test
