#include "search/trees/fuse.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "regraft/msa/newick.hpp"
#include "small_job.hpp"

namespace regraft::phylo {

using namespace search;

namespace {

using test::linkages;

std::vector<std::string> names(std::uint32_t count) {
    std::vector<std::string> result;
    for (std::uint32_t i = 0; i < count; ++i) result.push_back("t" + std::to_string(i));
    return result;
}

msa::Tree parse(std::string const& text, std::uint32_t num_tips) {
    return msa::parse_newick(text, "test", names(num_tips));
}

/// Canonical text of the topology.
std::string topology(msa::Tree tree) {
    for (auto h : tree.edges()) tree.set_length(h, 1);
    return msa::to_newick(tree, names(tree.num_tips()));
}

/// The tree with some subtrees elsewhere.
msa::Tree scrambled(msa::Tree tree, std::uint64_t seed, std::uint32_t moves) {
    Random random(seed);
    for (std::uint32_t i = 0; i < moves; ++i) {
        auto const inner = tree.num_half_edges() - tree.num_tips();
        auto const h = tree.num_tips() + static_cast<msa::HalfEdge>(random.below(inner));
        tree.prune(h);
        auto const outside = msa::postorder(tree, tree.back(h));
        std::vector<msa::HalfEdge> targets;
        for (auto g : tree.edges()) {
            auto const within = [&](msa::HalfEdge x) {
                return x == h || std::find(outside.begin(), outside.end(), x) != outside.end();
            };
            if (!within(g) && !within(tree.back(g))) targets.push_back(g);
        }
        tree.regraft(h, targets[random.below(targets.size())]);
    }
    return test::random_lengths(std::move(tree), seed + 1);
}

TEST(Fingerprint, IsEqualIfAndOnlyIfTheTopologyIs) {
    for (std::uint32_t n : {3U, 4U, 5U, 6U, 30U}) {
        for (std::uint64_t seed = 0; seed < 30; ++seed) {
            SCOPED_TRACE(seed);
            auto const tree = msa::random_tree(n, seed);
            auto const other = scrambled(tree, seed, static_cast<std::uint32_t>(seed % 3));
            auto const renumbered = parse(msa::to_newick(other, names(n)), n);
            EXPECT_EQ(fingerprint(other), fingerprint(renumbered));
            EXPECT_EQ(fingerprint(tree) == fingerprint(other), topology(tree) == topology(other));
        }
    }
}

TEST(Exchanges, AreNoneBetweenEqualTopologies) {
    for (std::uint32_t n : {3U, 4U, 20U}) {
        auto const tree = msa::random_tree(n, n);
        auto const same = parse(topology(tree), n);
        EXPECT_TRUE(exchanges(tree, same).empty());
    }
}

TEST(Exchanges, AreTheSmallestPartsThatDiffer) {
    // Within t1 t2 t3 one edge differs, within t4 .. t7 two do; between them is a split that both trees have.
    auto const tree = parse("(t0,((t1,t2),t3),(((t4,t5),t6),t7));", 8);
    auto const donor = parse("(t0,((t1,t3),t2),(((t4,t7),t5),t6));", 8);
    auto const all = exchanges(tree, donor);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].edges.size(), 5U);  // one and the four that bound it
    EXPECT_EQ(all[1].edges.size(), 7U);
    auto one = tree;
    one.undo(all[0].move);
    EXPECT_EQ(topology(one), topology(parse("(t0,((t1,t3),t2),(((t4,t5),t6),t7));", 8)));
    auto other = tree;
    other.undo(all[1].move);
    EXPECT_EQ(topology(other), topology(parse("(t0,((t1,t2),t3),(((t4,t7),t5),t6));", 8)));
}

TEST(Exchanges, MakeTheDonorOfTheTreeOneByOneInAnyOrder) {
    for (std::uint32_t n : {4U, 5U, 9U, 40U}) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            SCOPED_TRACE(seed);
            std::uint32_t const sets = seed % 2 == 0 ? 1 : 3;
            auto tree = test::random_lengths(msa::random_tree(n, seed).with_length_sets(sets), seed);
            auto const donor = seed % 5 == 0
                                   ? test::random_lengths(msa::random_tree(n, seed + 1).with_length_sets(sets), 7)
                                   : scrambled(tree, seed, static_cast<std::uint32_t>(1 + seed % 4));
            auto all = exchanges(tree, donor);
            if (seed % 3 == 0) std::reverse(all.begin(), all.end());
            for (auto const& exchange : all) {
                auto const before = fingerprint(tree);
                tree.undo(exchange.move);
                ASSERT_TRUE(tree.is_complete());
                EXPECT_EQ(fingerprint(tree) - before, exchange.change);
            }
            EXPECT_EQ(topology(tree), topology(donor));
            EXPECT_TRUE(exchanges(tree, donor).empty());
        }
    }
}

TEST(Exchanges, BringTheDonorsLengths) {
    // All splits differ, so all lengths are the donor's.
    auto tree = parse("((t0:1,t1:1):1,t2:1,(t3:1,t4:1):1);", 5);
    auto const donor = parse("((t0:.1,t3:.2):.3,t4:.4,(t1:.5,t2:.6):.7);", 5);
    auto const all = exchanges(tree, donor);
    ASSERT_EQ(all.size(), 1U);
    tree.undo(all[0].move);
    EXPECT_EQ(msa::to_newick(tree, names(5)), msa::to_newick(donor, names(5)));
}

TEST(Make, TellsTheLikelihoodAndRaisesThatOfTheBareExchange) {
    for (auto linkage : linkages) {
        test::SmallJob f(4, linkage, 12);
        auto const donor = scrambled(f.likelihood.tree(), 9, 2);
        for (auto const& exchange : exchanges(f.likelihood.tree(), donor)) {
            auto bare = f.likelihood.tree();
            bare.undo(exchange.move);
            auto const climb = make(f.likelihood, exchange);
            EXPECT_NEAR(climb.loglh, f.fresh(f.likelihood.tree()).loglh(), 1e-8);
            EXPECT_GT(climb.loglh, f.fresh(bare).loglh());
        }
        EXPECT_EQ(fingerprint(f.likelihood.tree()), fingerprint(donor));
    }
}

}  // namespace
}  // namespace regraft::phylo
