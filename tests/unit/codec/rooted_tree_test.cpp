#include "regraft/codec/rooted_tree.hpp"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/msa/newick.hpp"
#include "regraft/msa/parsimony.hpp"
#include "support/msa/rooted_trees.hpp"

namespace regraft::codec {
namespace {

using test::mistake_in;
using Nodes = std::vector<std::uint32_t>;

RootedTree hung_up(std::string const& newick, std::vector<std::string> const& names) {
    return hang_up(msa::parse_newick(newick, "f", names));
}

TEST(TrivialTree, IsOneTipOrTwoAtARoot) {
    EXPECT_EQ(mistake_in(trivial_tree(1)), "");
    EXPECT_EQ(mistake_in(trivial_tree(2)), "");
    EXPECT_EQ(trivial_tree(1).num_nodes(), 1u);
    EXPECT_EQ(trivial_tree(2).num_nodes(), 3u);
    EXPECT_TRUE(trivial_tree(1).is_tip(0));
    EXPECT_FALSE(trivial_tree(2).is_tip(0));
}

TEST(TrivialTreeDeathTest, HasNoMoreTips) {
    EXPECT_DEATH(trivial_tree(0), "num_tips");
    EXPECT_DEATH(trivial_tree(3), "num_tips");
}

TEST(HangUp, PutsThreeTipsAtTheRoot) {
    auto const tree = hung_up("(c,(b,a));", {"a", "b", "c"});
    EXPECT_EQ(tree.parent, (Nodes{0, 0, 0, 0}));
    EXPECT_EQ(tree.row_of_tip, (Nodes{0, 1, 2}));
}

TEST(HangUp, NumbersNodesInPreOrderWithTipsFirst) {
    //               0
    //      1        4        9     The middle of ((d,e),(f,(g,h)),(a,(b,c))): no side has more than half of the tips.
    //     2 3     5   6   10   11
    //                7 8      12 13
    auto const tree = hung_up("(a,(b,c),((d,e),(f,(g,h))));", {"a", "b", "c", "d", "e", "f", "g", "h"});
    ASSERT_EQ(mistake_in(tree), "");
    EXPECT_EQ(tree.parent, (Nodes{0, 0, 1, 1, 0, 4, 4, 6, 6, 0, 9, 9, 11, 11}));
    EXPECT_EQ(tree.row_of_tip[0] + tree.row_of_tip[1], 3u + 4u);
    std::set<std::uint32_t> const singles{tree.row_of_tip[2], tree.row_of_tip[5]};
    EXPECT_EQ(singles, (std::set<std::uint32_t>{0, 5})) << "tips before inner siblings";
    EXPECT_EQ(tree.first_tip[4], 2u);
    EXPECT_EQ(tree.last_tip[4], 5u);
}

TEST(HangUp, PutsTheRootInTheMiddleOfACaterpillar) {
    std::vector<std::string> names;
    for (int t = 0; t < 101; ++t) names.push_back("t" + std::to_string(t));
    std::string text = "t0";
    for (int t = 1; t < 101; ++t) text = "(" + text + "," + names[static_cast<std::size_t>(t)] + ")";
    auto const tree = hung_up(text + ";", names);
    EXPECT_EQ(mistake_in(tree), "");
    // A tip, and fifty others on each side.
    std::multiset<std::uint32_t> sizes;
    for (std::uint32_t v = 1; v < tree.num_nodes(); ++v) {
        if (tree.parent[v] == 0) sizes.insert(tree.last_tip[v] - tree.first_tip[v]);
    }
    EXPECT_EQ(sizes, (std::multiset<std::uint32_t>{1, 50, 50}));
}

TEST(HangUp, CopesWithManyTipsInARow) {
    constexpr std::uint32_t n = 300'000;
    msa::Tree tree(n);
    for (std::uint32_t i = 0; i + 2 < n; ++i) {
        auto const h = tree.half_edge(n + i);
        tree.connect(h, i + 1);
        if (i > 0) tree.connect(h + 1, h - 1);  // the last half-edge of the node before
    }
    tree.connect(tree.half_edge(n) + 1, 0);
    tree.connect(tree.half_edge(2 * n - 3) + 2, n - 1);
    auto const hung = hang_up(tree);
    EXPECT_EQ(hung.num_nodes(), 2 * n - 2);
    EXPECT_EQ(hung.last_tip[0], n);
}

// Tests the check itself: each of these is wrong in one way.
TEST(MistakeInRootedTree, IsFound) {
    auto const right = hang_up(msa::random_tree(9, 4));
    ASSERT_EQ(mistake_in(right), "");
    auto const broken = [&](auto&& change) {
        auto tree = right;
        change(tree);
        return mistake_in(tree);
    };
    EXPECT_EQ(broken([](auto& tree) { tree.row_of_tip[1] = tree.row_of_tip[0]; }), "rows are no permutation");
    EXPECT_EQ(broken([](auto& tree) { tree.row_of_tip.pop_back(); }), "number of nodes");
    EXPECT_EQ(broken([](auto& tree) { tree.last_tip.pop_back(); }), "sizes");
    EXPECT_EQ(broken([](auto& tree) { tree.parent[0] = 1; }), "parent of the root");
    EXPECT_NE(broken([](auto& tree) { tree.parent.back() = 0; }), "");
    EXPECT_EQ(broken([](auto& tree) { ++tree.last_tip[2]; }), "tips of a node");
    EXPECT_EQ(broken([](auto& tree) { ++tree.first_tip[0]; }), "tips of a node");
    //  An inner node before its sibling, a tip: ((a,b),c,d) in this order.
    RootedTree const late_tip{.parent = {0, 0, 1, 1, 0, 0},
                              .first_tip = {0, 0, 0, 1, 2, 3},
                              .last_tip = {4, 2, 1, 2, 3, 4},
                              .row_of_tip = {0, 1, 2, 3}};
    EXPECT_EQ(mistake_in(late_tip), "a tip after an inner sibling");
}

}  // namespace
}  // namespace regraft::codec
