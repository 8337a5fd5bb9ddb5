#include "regraft/search/search.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "regraft/search/optimise.hpp"
#include "regraft/search/topology.hpp"
#include "small_job.hpp"

namespace regraft::phylo {

using namespace search;

namespace {

using test::linkages;
using Fixture = test::SmallJob;

/// Tries each subtree once, and returns how many were moved.
int try_all(DistributedLikelihood& likelihood, Care const& care, Losses& losses) {
    double loglh = likelihood.loglh();
    int taken = 0;
    auto const subtrees = all_subtrees(likelihood.tree());
    Lookahead ahead;
    for (std::deque waiting(subtrees.begin(), subtrees.end()); !waiting.empty(); waiting.pop_front()) {
        auto const tree = likelihood.tree();
        auto const climb = try_spr(likelihood, waiting, {4, care, loglh}, losses, ahead);
        EXPECT_TRUE(likelihood.tree().is_complete());
        if (climb.places.empty()) {
            EXPECT_EQ(climb.loglh, loglh);
            EXPECT_EQ(likelihood.tree(), tree);
        } else {
            ++taken;
            EXPECT_GT(climb.loglh, loglh);
            EXPECT_NEAR(likelihood.loglh(), climb.loglh, 1e-8);
        }
        loglh = climb.loglh;
    }
    return taken;
}

TEST(TrySpr, LeavesTheTreeBitwiseAsItWasUnlessItPays) {
    for (auto linkage : linkages) {
        for (auto const& care : {little_care, fast_care, much_care}) {
            Fixture f(7, linkage, 10);
            for (int i = 0; i < 3; ++i) smooth_branches(f.likelihood, 1e-4);
            Losses losses;
            EXPECT_GT(try_all(f.likelihood, care, losses), 0);
            EXPECT_GT(losses.count, 0U);
        }
    }
}

TEST(TrySpr, FindsFarMovesThatLittleCareMisses) {
    for (auto const& care : {fast_care, much_care}) {
        int found = 0;
        for (std::uint64_t seed = 1; seed <= 20 && found == 0; ++seed) {
            Fixture f(seed, BranchLinkage::linked, 30);
            Losses losses;
            do {
                for (int i = 0; i < 3; ++i) smooth_branches(f.likelihood, 1e-4);
            } while (try_all(f.likelihood, little_care, losses) > 0);
            found += try_all(f.likelihood, care, losses);
        }
        EXPECT_GT(found, 0);
    }
}

TEST(Losses, AreUnlimitedUntilEnoughIsKnown) {
    Losses losses;
    EXPECT_EQ(losses.mean(), std::numeric_limits<double>::infinity());
    for (int i = 0; i < 100; ++i) losses.add(i % 2 == 0 ? 3 : 5);
    EXPECT_EQ(losses.mean(), 4);
}

TEST(Perturb, ChangesTheTreeInOnePlaceAndTellsItsLikelihood) {
    for (auto linkage : linkages) {
        Fixture f(3, linkage, 30);
        auto const before = f.likelihood.tree();
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            auto const change = perturb(f.likelihood, 1, seed);
            auto const& tree = f.likelihood.tree();
            EXPECT_TRUE(tree.is_complete());
            EXPECT_NE(tree, before);
            EXPECT_NEAR(f.likelihood.loglh(), change.loglh, 1e-8);
            auto const near = subtrees_near(tree, {change.places.front()}, 9);
            for (auto h : change.places) EXPECT_NE(std::find(near.begin(), near.end(), h), near.end());
            f.likelihood.set_tree(before);
        }
    }
}

TEST(Perturb, CanChangeTheSmallestTrees) {
    for (std::uint32_t n : {4U, 5U}) {
        Fixture f(n, BranchLinkage::linked, n);
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            static_cast<void>(perturb(f.likelihood, 1, seed));
            EXPECT_TRUE(f.likelihood.tree().is_complete());
        }
    }
}

TEST(SetTree, GivesTheBitsOfAFreshLikelihood) {
    for (auto linkage : linkages) {
        Fixture f(5, linkage, 20);
        for (std::uint64_t seed = 1; seed < 8; ++seed) {
            static_cast<void>(f.likelihood.loglh());
            auto tree = f.likelihood.tree();
            if (seed % 3 != 0) {
                tree = test::some_tree(f.data, seed, linkage);  // nothing in common
            } else {
                tree.set_length(4, 0.321);
                tree.nni(tree.edges().back(), 1);
            }
            f.likelihood.set_tree(tree);
            EXPECT_EQ(f.likelihood.tree(), tree);
            EXPECT_EQ(f.likelihood.loglh(), f.fresh(tree).loglh());
            EXPECT_EQ(f.likelihood.loglh(7), f.fresh(tree).loglh(7));
        }
    }
}

TEST(AllSubtrees, AreTheHalfEdgesOfInnerNodes) {
    auto const tree = msa::random_tree(20, 3);
    auto subtrees = all_subtrees(tree);
    std::sort(subtrees.begin(), subtrees.end());
    ASSERT_EQ(subtrees.size(), tree.num_half_edges() - 20);
    for (std::size_t i = 0; i < subtrees.size(); ++i) EXPECT_EQ(subtrees[i], 20 + i);
}

TEST(SubtreesNear, AreThoseOfNodesWithinSomeEdges) {
    auto const tree = msa::random_tree(40, 4);
    auto const lists = [](std::vector<msa::HalfEdge> const& subtrees, msa::HalfEdge h) {
        return std::find(subtrees.begin(), subtrees.end(), h) != subtrees.end();
    };
    for (auto h : all_subtrees(tree)) {
        EXPECT_EQ(subtrees_near(tree, {h}, 0).size(), 3U);
        EXPECT_EQ(subtrees_near(tree, {h}, 40).size(), all_subtrees(tree).size());
        // One step further are the neighbours of those within.
        for (std::uint32_t steps = 0; steps < 6; ++steps) {
            auto const within = subtrees_near(tree, {h}, steps);
            auto const beyond = subtrees_near(tree, {h}, steps + 1);
            EXPECT_TRUE(std::equal(within.rbegin(), within.rend(), beyond.rbegin()));  // the farthest come first
            for (auto g : all_subtrees(tree)) {
                auto const close = lists(within, g) || lists(within, tree.back(g)) ||
                                   lists(within, tree.back(tree.next(g))) ||
                                   lists(within, tree.back(tree.next(tree.next(g))));
                EXPECT_EQ(lists(beyond, g), close);
            }
        }
    }
    EXPECT_TRUE(subtrees_near(tree, {0}, 0).empty());  // a tip
    EXPECT_EQ(subtrees_near(tree, {0}, 1).size(), 3U);
    EXPECT_TRUE(subtrees_near(tree, {}, 3).empty());
}

/// Returns the last state. Every so many steps the search goes on from the bytes of its state; 0: never.
SearchState run(Fixture& f, SearchState state, SearchOptions options, std::uint64_t interrupt_every = 0,
                std::size_t most_ahead = 1, std::uint64_t* reductions = nullptr) {
    auto resources = test::partition_options(f.data);
    resources.most_in_focus = std::max(resources.most_in_focus, Lookahead::most_in_focus(most_ahead));
    auto const restart = [&] {
        return std::make_unique<DistributedLikelihood>(f.comm, state.tree, state.specs, state.models, f.linkage,
                                                       test::my_sites(f.data, f.comm), resources);
    };
    auto likelihood = restart();
    Lookahead ahead(most_ahead);
    std::optional<WaysAhead> ways;
    auto const look_ahead = [&] {
        ahead = Lookahead(most_ahead);
        if (most_ahead > 1) options.lookahead = &ahead;
        if (most_ahead > 1) options.ways = &ways.emplace(most_ahead, 2, restart);
    };
    look_ahead();
    for (std::uint64_t step = 1; !state.is_done(); ++step) {
        advance(state, *likelihood, options);
        EXPECT_EQ(state.tree, likelihood->tree());
        EXPECT_EQ(state.models, likelihood->models());
        if (interrupt_every == 0 || step % interrupt_every != 0) continue;
        state = SearchState::from_bytes(state.to_bytes());
        likelihood = restart();
        look_ahead();
    }
    if (reductions != nullptr) *reductions = likelihood->evaluations();
    return state;
}

SearchState start(Fixture& f) {
    return start_state(Goal::tree, f.likelihood.tree(), f.data.specs, f.data.models);
}

SearchOptions search_options(Effort effort) {
    SearchOptions options;
    options.patience = patience(effort, false);
    options.far_care = far_care(effort);
    options.saves = saves(effort);
    options.sites_per_partition = {100, 50, 10};
    return options;
}

TEST(Search, EndsAndGoesOnFromItsBytesAsIfNothingHadHappened) {
    for (auto effort : {Effort::fast, Effort::normal, Effort::thorough}) {
        Fixture f(8, BranchLinkage::scaled, effort == Effort::thorough ? 5 : 8);
        auto const whole = run(f, start(f), search_options(effort));
        EXPECT_TRUE(whole.tree.is_complete());
        EXPECT_TRUE(whole.is_done());
        EXPECT_GT(whole.steps, 0U);
        EXPECT_EQ(run(f, start(f), search_options(effort), 5).to_bytes(), whole.to_bytes());
    }
}

TEST(Search, ComesToTheSameBitsWithFewerReductionsIfItLooksAhead) {
    for (auto linkage : linkages) {
        Fixture f(8, linkage, 10);
        auto const options = search_options(Effort::normal);
        auto const whole = run(f, start(f), options);
        for (std::size_t const most : {2, 16}) {
            std::uint64_t reductions = 0;
            EXPECT_EQ(run(f, start(f), options, 0, most, &reductions).to_bytes(), whole.to_bytes());
            EXPECT_LT(reductions, whole.evaluations);
            EXPECT_EQ(run(f, start(f), options, 7, most).to_bytes(), whole.to_bytes());
        }
    }
}

TEST(Search, TakesWhatADonorHasBetterAndLeavesTheRest) {
    for (auto linkage : linkages) {
        Fixture f(9, linkage, 16);
        auto options = search_options(Effort::fast);
        auto const found = run(f, start(f), options);
        // Two copies of a good tree, each spoilt at a place of its own.
        auto spoilt = found;
        auto& donor = options.others.emplace_back(found.tree);
        auto const spoils = [&](msa::HalfEdge h, std::uint32_t variant) {
            auto tree = found.tree;
            tree.nni(h, variant);
            return f.fresh(tree, found.models).loglh() < found.loglh - 1;
        };
        std::vector<msa::HalfEdge> inner;
        for (auto h : found.tree.edges()) {
            if (found.tree.is_tip(h) || found.tree.is_tip(found.tree.back(h))) continue;
            if (spoils(h, 0) && spoils(h, 1)) inner.push_back(h);
        }
        ASSERT_FALSE(inner.empty());
        auto const near = subtrees_near(found.tree, {inner[0], found.tree.back(inner[0])}, 2);
        auto const far = std::find_if(inner.begin(), inner.end(), [&](auto h) {
            return std::find(near.begin(), near.end(), h) == near.end() &&
                   std::find(near.begin(), near.end(), found.tree.back(h)) == near.end();
        });
        ASSERT_NE(far, inner.end());
        spoilt.tree.nni(inner[0], 0);
        donor.nni(*far, 1);
        spoilt.loglh = f.fresh(spoilt.tree, found.models).loglh();
        ASSERT_LT(spoilt.loglh, found.loglh);
        ASSERT_LT(f.fresh(donor, found.models).loglh(), found.loglh);

        options.spr_radius = 1;
        auto const fused = run(f, start_fusing(spoilt), options);
        EXPECT_GT(fused.as<Climb>().successes, 0U);
        EXPECT_GT(fused.loglh, found.loglh - 0.01);
        EXPECT_EQ(run(f, start_fusing(spoilt), options, 3).to_bytes(), fused.to_bytes());
    }
}

TEST(Search, MoreEffortNeverEndsLower) {
    Fixture f(20, BranchLinkage::linked, 7);
    auto const search = [&](Effort effort) { return run(f, start(f), search_options(effort)).loglh; };
    auto const fast = search(Effort::fast);
    auto const normal = search(Effort::normal);
    constexpr double of_the_final_model = 0.01;
    EXPECT_GE(normal, fast - of_the_final_model);
    EXPECT_GE(search(Effort::thorough), normal - of_the_final_model);
}

}  // namespace
}  // namespace regraft::phylo
