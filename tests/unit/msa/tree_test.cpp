#include "regraft/msa/tree.hpp"

#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/msa/compare.hpp"
#include "regraft/msa/parsimony.hpp"

namespace regraft::msa {
namespace {

//  0        3        The inner nodes are 5, 6 and 7. Node 5 has the half-edges 5-7, node 6 has 8-10, node 7 has 11-13.
//   \       |
//    5 ---- 6 ---- 7 - 4
//   /              |
//  1               2
Tree five_tips() {
    Tree tree(5);
    tree.connect(0, 5, 1);
    tree.connect(1, 6, 2);
    tree.connect(7, 8, 4);
    tree.connect(3, 9, 8);
    tree.connect(10, 11, 16);
    tree.connect(2, 12, 32);
    tree.connect(4, 13, 64);
    return tree;
}

TEST(Tree, NumbersNodesAndHalfEdges) {
    auto const tree = five_tips();
    EXPECT_EQ(tree.num_nodes(), 8u);
    EXPECT_EQ(tree.num_half_edges(), 14u);
    EXPECT_EQ(tree.num_edges(), 7u);
    EXPECT_EQ(tree.node(3), 3u);
    EXPECT_EQ(tree.node(7), 5u);
    EXPECT_EQ(tree.node(8), 6u);
    EXPECT_EQ(tree.half_edge(6), 8u);
    EXPECT_EQ(tree.next(2), 2u);
    EXPECT_EQ(tree.next(8), 9u);
    EXPECT_EQ(tree.next(10), 8u);
    EXPECT_EQ(tree.back(10), 11u);
    EXPECT_EQ(tree.edges(), (std::vector<HalfEdge>{0, 1, 2, 3, 4, 7, 10}));
}

TEST(Tree, HasTheSameLengthAtBothEnds) {
    auto tree = five_tips().with_length_sets(2);
    tree.set_length(11, 0.5, 1);
    EXPECT_EQ(tree.length(10, 1), 0.5);
    EXPECT_EQ(tree.length(11, 1), 0.5);
    EXPECT_EQ(tree.length(10, 0), 16);
}

TEST(Tree, IsCompleteIfAllIsConnectedToOneTree) {
    EXPECT_TRUE(five_tips().is_complete());
    EXPECT_FALSE(Tree(3).is_complete());
    // Tips 0-2 around node 4 would leave 3 and node 5 to themselves.
    Tree split(4);
    for (HalfEdge tip = 0; tip < 3; ++tip) split.connect(tip, 4 + tip);
    split.connect(3, 7);
    split.connect(8, 9);
    EXPECT_FALSE(split.is_complete());
}

TEST(Tree, ListsASubtreeChildrenFirst) {
    auto const tree = five_tips();
    auto const order = postorder(tree, 8);
    EXPECT_EQ(std::set(order.begin(), order.end()), (std::set<HalfEdge>{2, 3, 4, 8, 11}));
    EXPECT_EQ(order.back(), 8u);
    EXPECT_EQ(postorder(tree, 0), std::vector<HalfEdge>{0});
    EXPECT_EQ(postorder(tree, tree.back(0)).size(), tree.num_edges());
}

TEST(Tree, NniSwapsSubtreesWithTheirEdges) {
    for (std::uint32_t variant : {0u, 1u}) {
        auto tree = five_tips();
        auto const before = tree;
        auto const undo = tree.nni(10, variant);
        // Around the edge 6-7: next(10) leads to node 5; next(11) to tip 2, the one after that to tip 4.
        HalfEdge const moved = variant == 0 ? 2 : 4;
        EXPECT_EQ(tree.back(8), moved);
        EXPECT_EQ(tree.length(8), before.length(moved));
        EXPECT_EQ(tree.back(7), before.back(moved));
        EXPECT_EQ(tree.length(7), 4);
        EXPECT_TRUE(tree.is_complete());
        EXPECT_EQ(robinson_foulds(tree, before), 2u);
        tree.undo(undo);
        EXPECT_EQ(tree, before);
    }
}

TEST(Tree, PruneJoinsTheNeighboursByTheSumOfTheirLengths) {
    auto tree = five_tips();
    auto const before = tree;
    auto const undo = tree.prune(9);
    EXPECT_EQ(tree.back(7), 11u);
    EXPECT_EQ(tree.length(7), 20);
    EXPECT_EQ(tree.back(9), 3u);
    EXPECT_FALSE(tree.is_connected(8));
    EXPECT_FALSE(tree.is_connected(10));
    EXPECT_EQ(tree.edges().size(), 6u);
    tree.undo(undo);
    EXPECT_EQ(tree, before);
}

TEST(Tree, RegraftHalvesTheEdge) {
    auto tree = five_tips();
    auto const before = tree;
    auto const pruned = tree.prune(9);
    auto const between = tree;
    auto const inserted = tree.regraft(9, 0);
    EXPECT_TRUE(tree.is_complete());
    EXPECT_EQ(tree.back(10), 0u);
    EXPECT_EQ(tree.back(8), 5u);
    EXPECT_EQ(tree.length(0), 0.5);
    EXPECT_EQ(tree.length(5), 0.5);
    EXPECT_EQ(tree.length(3), 8);
    tree.set_length(0, 7);
    tree.undo(inserted);
    EXPECT_EQ(tree, between);
    tree.undo(pruned);
    EXPECT_EQ(tree, before);
}

TEST(Tree, SurvivesTheWayThroughBytes) {
    auto tree = five_tips().with_length_sets(3);
    tree.set_length(0, std::numeric_limits<double>::denorm_min(), 2);
    tree.prune(9);
    ByteWriter out;
    tree.write(out);
    auto const bytes = out.take();
    ByteReader in(bytes);
    EXPECT_EQ(Tree::read(in), tree);
    EXPECT_TRUE(in.empty());
}

TEST(TreeDeathTest, ChecksContracts) {
    EXPECT_DEATH(Tree(2), "precondition");
    auto tree = five_tips();
    EXPECT_DEATH(tree.connect(0, 1), "precondition");
    EXPECT_DEATH(tree.nni(5, 0), "precondition");
    EXPECT_DEATH(tree.prune(0), "precondition");
    EXPECT_DEATH(tree.regraft(9, 0), "precondition");
}

TEST(RobinsonFoulds, CountsSplitsOfOneTreeOnly) {
    auto const tree = five_tips();
    EXPECT_EQ(robinson_foulds(tree, tree), 0u);
    auto other = tree;
    other.nni(7, 0);
    EXPECT_EQ(robinson_foulds(tree, other), 2u);
    other.nni(10, 1);
    EXPECT_EQ(robinson_foulds(tree, other), 4u);
    EXPECT_EQ(robinson_foulds(random_tree(3, 1), random_tree(3, 2)), 0u);
}

TEST(RobinsonFoulds, IgnoresNumbersOfInnerNodes) {
    Tree other(5);  // five_tips() with node 5 and node 7 exchanged
    other.connect(0, 11);
    other.connect(1, 12);
    other.connect(13, 9);
    other.connect(3, 10);
    other.connect(8, 5);
    other.connect(2, 7);
    other.connect(4, 6);
    EXPECT_EQ(robinson_foulds(five_tips(), other), 0u);
}

}  // namespace
}  // namespace regraft::msa
