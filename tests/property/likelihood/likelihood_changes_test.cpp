// Whatever was changed and asked before, and however few slots there are, the bits are those of a fresh Partition.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "support/likelihood/changing_likelihood.hpp"

namespace regraft::test {
namespace {

using likelihood::Partition;
using msa::HalfEdge;

HalfEdge random_edge(msa::Tree const& tree, Random& random) {
    return static_cast<HalfEdge>(random.below(tree.num_half_edges()));
}

HalfEdge random_inner(msa::Tree const& tree, Random& random) {
    return static_cast<HalfEdge>(tree.num_tips() + random.below(tree.num_half_edges() - tree.num_tips()));
}

void change_nni(ChangingLikelihood& likelihood, Random& random) {
    auto const h = random_inner(likelihood.tree(), random);
    if (likelihood.tree().is_tip(likelihood.tree().back(h))) return;
    auto const move = likelihood.nni(h, static_cast<std::uint32_t>(random.below(2)));
    static_cast<void>(loglh_sum(likelihood.partition(), random_edge(likelihood.tree(), random)));
    if (random.below(2) == 0) likelihood.undo(move);
}

/// The edges into which a pruned h may be inserted.
std::vector<HalfEdge> targets(msa::Tree const& tree, HalfEdge h, HalfEdge neighbour) {
    std::vector<HalfEdge> result{neighbour};
    auto const others = tree.back(neighbour);
    for (auto const side : {neighbour, others}) {
        for (auto const g : msa::postorder(tree, side)) {
            if (g != side) result.push_back(g);
        }
    }
    REGRAFT_EXPECTS(std::find(result.begin(), result.end(), h) == result.end());
    return result;
}

void change_spr(ChangingLikelihood& likelihood, Random& random) {
    auto const& tree = likelihood.tree();
    auto const h = random_inner(tree, random);
    auto const neighbour = tree.back(tree.next(h));
    auto const pruned = likelihood.prune(h);
    auto const edges = targets(tree, h, neighbour);
    for (int i = 0; i < 3; ++i) {
        auto const target = edges[random.below(edges.size())];
        FixedSum score;
        likelihood.partition().add_insertion_loglh(in_the_middle(tree, h, target), score);
        auto const inserted = likelihood.regraft(h, target);
        ASSERT_EQ(bits(score), bits(loglh_sum(likelihood.partition(), h)));
        if (random.below(3) == 0) return;
        likelihood.undo(inserted);
    }
    likelihood.undo(pruned);
}

void change(ChangingLikelihood& likelihood, Random& random) {
    auto const h = random_edge(likelihood.tree(), random);
    switch (random.below(4)) {
        case 0:
            return likelihood.set_length(h, log_uniform(random, 1e-6, 100));
        case 1:
            return change_nni(likelihood, random);
        case 2:
            return change_spr(likelihood, random);
        default:
            return likelihood.partition().focus(h);
    }
}

std::vector<std::size_t> slot_counts(std::uint32_t num_tips) {
    auto const least = Partition::least_slots(num_tips);
    auto const all = std::size_t{3} * (num_tips - 2);
    return {least, least + 1, Partition::least_slots(num_tips, likelihood::Repeats::everywhere), (least + all) / 2,
            0,     all};
}

/// Changes a likelihood at random, and compares it with a fresh one after each change.
void expect_bits_of_a_fresh_one(LikelihoodCase const& c, likelihood::PartitionOptions const& options,
                                std::uint64_t seed) {
    Random random(seed);
    ChangingLikelihood likelihood(c, options);
    for (int step = 0; step < 60; ++step) {
        change(likelihood, random);
        if (testing::Test::HasFatalFailure()) return;
        auto const h = random_edge(likelihood.tree(), random);
        auto anew = partition(c, likelihood.tree(), c.sites, {.repeats = likelihood::Repeats::off});
        ASSERT_EQ(bits(loglh_sum(likelihood.partition(), h)), bits(loglh_sum(anew, h))) << "step " << step;
    }
}

TEST(LikelihoodChanges, LeaveTheBitsOfAFreshPartition) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        CaseShape const shape{.num_tips = 4 + 4 * static_cast<std::uint32_t>(seed),
                              .num_states = seed % 3 == 0 ? 5U : 4U,
                              .num_categories = 1 + seed % 4,
                              .num_patterns = 11,
                              .invariant = seed % 2 == 0};
        auto const c = random_case(shape, seed);
        for (auto const num_slots : slot_counts(shape.num_tips)) {
            SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << num_slots << " slots");
            auto const repeats = seed % 2 == 0 ? likelihood::Repeats::automatic : likelihood::Repeats::everywhere;
            expect_bits_of_a_fresh_one(c, {.num_slots = num_slots, .repeats = repeats}, seed);
            if (HasFatalFailure()) return;
        }
    }
}

TEST(LikelihoodChanges, LeaveTheBitsWhereClvsOfAllSizesAreDropped) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        SCOPED_TRACE(seed);
        auto const c = random_case({.num_tips = 400, .num_categories = 1, .num_patterns = 300}, seed);
        for (auto const repeats : {likelihood::Repeats::automatic, likelihood::Repeats::everywhere}) {
            expect_bits_of_a_fresh_one(c, {.repeats = repeats}, seed);
            if (HasFatalFailure()) return;
        }
    }
}

TEST(LikelihoodChanges, ALengthThatIsSetInvalidatesWhatDependsOnDroppedClvs) {
    auto const c = random_case({.num_tips = 60, .num_patterns = 3}, 1);
    ChangingLikelihood likelihood(c, {.num_slots = Partition::least_slots(60)});
    for (auto const h : c.tree.edges()) {
        static_cast<void>(loglh_sum(likelihood.partition(), h));
        likelihood.set_length(59, 0.001 + 1e-4 * h);
        auto anew = partition(c, likelihood.tree(), c.sites);
        ASSERT_EQ(bits(loglh_sum(likelihood.partition(), h)), bits(loglh_sum(anew, h))) << "at " << h;
    }
}

TEST(LikelihoodChanges, AModelMakesEverythingInvalid) {
    auto c = random_case({.num_tips = 20, .num_categories = 4}, 5);
    auto p = partition(c);
    for (std::size_t const num_categories : {4U, 2U, 2U, 8U, 1U}) {
        Random random(num_categories);
        c.mixture = random_mixture({.num_categories = num_categories, .invariant = num_categories % 4 == 0}, random);
        p.set_model(site_model(c.mixture), c.mixture.branch_scale);
        auto anew = partition(c);
        for (auto const h : c.tree.edges()) {
            EXPECT_EQ(bits(loglh_sum(p, h)), bits(loglh_sum(anew, h)));
            EXPECT_EQ(bits(derivative_sums(p, h, 0.2)[1]), bits(derivative_sums(anew, h, 0.2)[1]));
        }
    }
}

TEST(LikelihoodChanges, OnlyWhatIsInvalidIsComputedAgain) {
    auto const c = random_case({.num_tips = 50, .num_patterns = 3}, 2);
    ChangingLikelihood likelihood(c, {.num_slots = 3 * 48});
    for (auto const h : c.tree.edges()) static_cast<void>(loglh_sum(likelihood.partition(), h));
    auto const before = likelihood.partition().num_updates();
    EXPECT_LE(before, 3U * 48);
    for (auto const h : c.tree.edges()) static_cast<void>(loglh_sum(likelihood.partition(), h));
    EXPECT_EQ(likelihood.partition().num_updates(), before);
    likelihood.set_length(0, 0.5);
    static_cast<void>(loglh_sum(likelihood.partition(), 0));
    EXPECT_EQ(likelihood.partition().num_updates(), before);
}

}  // namespace
}  // namespace regraft::test
