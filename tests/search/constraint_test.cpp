#include "regraft/search/constraint.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "regraft/search/search.hpp"
#include "regraft/search/topology.hpp"
#include "small_job.hpp"

namespace regraft::phylo {

using namespace search;

namespace {

using Tips = std::vector<std::uint32_t>;

/// The tips behind h, sorted.
Tips behind(msa::Tree const& tree, msa::HalfEdge h) {
    Tips result;
    for (auto g : msa::postorder(tree, tree.back(h))) {
        if (tree.is_tip(g)) result.push_back(g);
    }
    std::sort(result.begin(), result.end());
    return result;
}

Tips common(Tips const& a, Tips const& b) {
    Tips result;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
    return result;
}

/// The groups that a tree has, edge by edge and set by set.
bool has_all(msa::Tree const& tree, Tips const& tips, std::vector<Tips> const& groups) {
    return std::all_of(groups.begin(), groups.end(), [&](Tips const& group) {
        for (msa::HalfEdge h = 0; h < tree.num_half_edges(); ++h) {
            if (common(behind(tree, h), tips) == group) return true;
        }
        return false;
    });
}

/// Some of the splits of a random tree, of some of the tips.
struct Drawn {
    Tips tips;
    std::vector<Tips> groups;
    msa::Tree tree;  // that has them

    Constraint constraint() const { return {tree.num_tips(), tips, groups}; }
};

Drawn draw(std::uint32_t n, std::uint64_t seed) {
    Random random(seed);
    Drawn result{{}, {}, msa::random_tree(n, seed)};
    auto const share = 1 + random.below(4);
    for (std::uint32_t tip = 0; tip < n; ++tip) {
        if (share == 4 || random.below(4) < share) result.tips.push_back(tip);
    }
    if (result.tips.empty()) result.tips.push_back(0);
    auto const every = 1 + random.below(3);
    for (auto h : result.tree.edges()) {
        auto group = common(behind(result.tree, h), result.tips);
        bool const says_something = group.size() >= 2 && group.size() + 2 <= result.tips.size();
        if (says_something && random.below(every) == 0) result.groups.push_back(std::move(group));
    }
    return result;
}

TEST(Constraint, AllowsTheTreesThatHaveItsSplits) {
    for (std::uint32_t n : {3U, 4U, 5U, 8U, 20U}) {
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            SCOPED_TRACE(seed);
            auto const drawn = draw(n, seed);
            auto const constraint = drawn.constraint();
            EXPECT_TRUE(constraint.allows(drawn.tree));
            for (std::uint64_t other = 0; other < 5; ++other) {
                auto const tree = msa::random_tree(n, mix(seed) + other);
                EXPECT_EQ(constraint.allows(tree), has_all(tree, drawn.tips, drawn.groups));
            }
        }
    }
}

TEST(Constraint, DrawsDifferentTreesThatItAllows) {
    std::set<std::uint64_t> fingerprints;
    for (std::uint32_t n : {3U, 4U, 5U, 8U, 30U}) {
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            SCOPED_TRACE(seed);
            auto const drawn = draw(n, seed);
            for (std::uint64_t other = 0; other < 3; ++other) {
                auto const tree = drawn.constraint().random_tree(other);
                ASSERT_TRUE(tree.is_complete());
                EXPECT_TRUE(has_all(tree, drawn.tips, drawn.groups));
                EXPECT_EQ(tree, drawn.constraint().random_tree(other));
                if (n == 30) fingerprints.insert(fingerprint(tree));
            }
        }
    }
    EXPECT_GT(fingerprints.size(), 60U);  // some constraints leave no choice
}

TEST(Constraint, WritesOtherBytesThanWhatATreeOfItsOwnAsks) {
    auto const bytes = [](Constraint const& constraint) {
        ByteWriter out;
        constraint.write(out);
        return std::vector(out.bytes().begin(), out.bytes().end());
    };
    Tips const all{0, 1, 2, 3, 4};
    Constraint const loose(5, all, {{0, 1}});
    std::vector<Tips> groups;
    auto const tree = loose.random_tree(0);
    for (auto h : tree.edges()) groups.push_back(behind(tree, h));
    Constraint const resolved(5, all, groups);
    ASSERT_EQ(fingerprint(resolved.random_tree(0)), fingerprint(tree));
    EXPECT_NE(bytes(loose), bytes(resolved));
    EXPECT_EQ(bytes(loose), bytes(Constraint(5, all, {{2, 3, 4}})));
    EXPECT_NE(bytes(loose), bytes(Constraint(5, {0, 1, 2, 3}, {{0, 1}})));
}

TEST(Fences, HinderExactlyTheMovesAfterWhichASplitIsLost) {
    std::size_t hindered = 0;
    for (std::uint32_t n : {5U, 8U, 12U}) {
        for (std::uint64_t seed = 0; seed < 30; ++seed) {
            SCOPED_TRACE(seed);
            auto const drawn = draw(n, seed);
            auto const constraint = drawn.constraint();
            auto tree = constraint.random_tree(seed);
            Fences const fences(&constraint, tree);
            for (auto h : all_subtrees(tree)) {
                // Every edge is reached on one way, which is open or not.
                struct Way {
                    msa::HalfEdge x;
                    bool open;
                };
                std::vector<Way> front{{tree.back(tree.next(h)), true}, {tree.back(tree.next(tree.next(h))), true}};
                auto const pruned = tree.prune(h);
                for (std::size_t i = 0; i < front.size(); ++i) {
                    auto const [x, open] = front[i];
                    bool const goes_on = open && !fences.hinder(h, x);
                    for (auto g = tree.next(x); g != x; g = tree.next(g)) {
                        auto const inserted = tree.regraft(h, g);
                        EXPECT_EQ(goes_on, has_all(tree, drawn.tips, drawn.groups));
                        if (!goes_on) ++hindered;
                        tree.undo(inserted);
                        front.push_back({tree.back(g), goes_on});
                    }
                }
                tree.undo(pruned);
            }
        }
    }
    EXPECT_GT(hindered, 1000U);
}

TEST(Search, CompliesWithAConstraintAtEveryStep) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        SCOPED_TRACE(seed);
        test::SmallJob f(6, test::linkages[seed % 3], 12);
        auto const drawn = draw(12, seed);
        auto const constraint = drawn.constraint();
        auto const sets = f.likelihood.tree().num_length_sets();
        SearchOptions options;
        options.constraint = &constraint;
        options.sites_per_partition = {100, 50, 10};
        options.others = {constraint.random_tree(7).with_length_sets(sets)};
        auto state =
            start_state(Goal::tree, constraint.random_tree(seed).with_length_sets(sets), f.data.specs, f.data.models);
        auto likelihood = f.fresh(state.tree);
        while (!state.is_done()) {
            advance(state, likelihood, options);
            ASSERT_TRUE(constraint.allows(state.tree)) << describe(state);
        }
        EXPECT_TRUE(has_all(state.tree, drawn.tips, drawn.groups));
    }
}

TEST(Search, OfAConstraintThatIsResolvedKeepsTheTopology) {
    test::SmallJob f(3, BranchLinkage::linked, 9);
    auto const tree = msa::random_tree(9, 5);
    Tips all(9);
    std::iota(all.begin(), all.end(), 0U);
    std::vector<Tips> groups;
    for (auto h : tree.edges()) groups.push_back(behind(tree, h));
    Constraint const constraint(9, all, groups);
    SearchOptions options;
    options.constraint = &constraint;
    options.sites_per_partition = {100, 50, 10};
    EXPECT_EQ(fingerprint(constraint.random_tree(1)), fingerprint(tree));
    auto state = start_state(Goal::tree, tree, f.data.specs, f.data.models);
    auto likelihood = f.fresh(tree);
    while (!state.is_done()) advance(state, likelihood, options);
    EXPECT_EQ(fingerprint(state.tree), fingerprint(tree));
}

}  // namespace
}  // namespace regraft::phylo
