#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "regraft/msa/compare.hpp"
#include "regraft/msa/consensus.hpp"
#include "regraft/msa/convergence.hpp"
#include "regraft/msa/newick.hpp"
#include "regraft/msa/parsimony.hpp"
#include "regraft/msa/splits.hpp"
#include "regraft/msa/support.hpp"

namespace regraft::msa {
namespace {

std::vector<std::string> const abcd{"A", "B", "C", "D"};
std::vector<std::string> const abcdef{"A", "B", "C", "D", "E", "F"};

std::vector<GeneralTree> trees(std::string const& text, std::vector<std::string> const& names = abcdef) {
    return parse_general_trees(text, "f", names);
}

/// The reference with supports as labels.
std::string supported(std::string const& reference, std::string const& replicates, SupportMetric metric) {
    auto tree = trees(reference)[0];
    auto const support = edge_support(tree, trees(replicates), metric);
    for (std::size_t v = 0; v < support.size(); ++v) {
        EXPECT_EQ(std::isnan(support[v]), v == 0 || tree.is_tip(static_cast<std::uint32_t>(v)));
        tree.label.push_back(std::isnan(support[v]) ? "" : std::to_string(support[v]).substr(0, 5));
    }
    return to_newick(tree, abcdef);
}

TEST(Splits, AreTheSidesWithoutTaxon0) {
    TreeSplits const splits(trees("((E,F),(C,D),(A,B));")[0]);
    std::vector<std::vector<std::uint32_t>> sides;
    for (std::size_t i = 0; i < splits.size(); ++i) {
        std::ranges::sort(sides.emplace_back(splits[i].begin(), splits[i].end()));
    }
    std::ranges::sort(sides);
    // CD, EF and, for AB, CDEF
    EXPECT_EQ(sides, (std::vector<std::vector<std::uint32_t>>{{2, 3}, {2, 3, 4, 5}, {4, 5}}));
}

TEST(Splits, OfAStarAreNone) {
    EXPECT_EQ(TreeSplits(trees("(A,B,C,D,E,F);")[0]).size(), 0u);
    EXPECT_EQ(TreeSplits(trees("(A,B,C);", {"A", "B", "C"})[0]).size(), 0u);
}

TEST(SplitTable, NumbersSplitsAsTheyCome) {
    SplitTable table(6);
    EXPECT_EQ(table.insert(TreeSplits(trees("((E,F),(C,D),(A,B));")[0])), (std::vector<SplitId>{0, 1, 2}));
    TreeSplits const more(trees("(C,A,((F,E),B),D);")[0]);
    auto const ids = table.insert(more);
    ASSERT_EQ(ids.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(table.find(more, i), ids[i]);
        EXPECT_EQ(more[i].size() == 2, ids[i] < 3) << "EF is known";
    }
    EXPECT_EQ(table.size(), 4u);
    EXPECT_TRUE(table.find(TreeSplits(trees("(A,B,(C,D),E,F);")[0]), 0).has_value());
    EXPECT_EQ(table.find(TreeSplits(trees("(A,C,(B,D),E,F);")[0]), 0), std::nullopt);
    EXPECT_EQ(table[3].size(), 3u);
}

/// A star of n taxa in which some are below a node of their own.
GeneralTree star_with(std::vector<std::uint32_t> const& group, std::uint32_t num_taxa) {
    GeneralTree tree{{0, 0}, {GeneralTree::no_taxon, GeneralTree::no_taxon}, {}, {}};
    for (std::uint32_t t = 0; t < num_taxa; ++t) {
        tree.parent.push_back(std::ranges::find(group, t) == group.end() ? 0 : 1);
        tree.taxon.push_back(t);
    }
    tree.length.resize(tree.parent.size());
    return tree;
}

/// Taxa, other than taxon 0, whose hashes cancel out: of more than 64 numbers of 64 bits some always do. Their number
/// is even, so that half of them have the hash of the other half.
std::vector<std::uint32_t> cancelling(std::uint32_t num_taxa) {
    struct Row {
        std::uint64_t hash;
        std::vector<bool> taxa;
    };
    std::vector<Row> basis;
    for (std::uint32_t t = 1; t < num_taxa; ++t) {
        Row row{mix(t), std::vector<bool>(num_taxa)};
        row.taxa[t] = true;
        for (auto const& other : basis) {
            if ((row.hash ^ other.hash) >= row.hash) continue;
            row.hash ^= other.hash;
            for (std::uint32_t i = 0; i < num_taxa; ++i) row.taxa[i] = row.taxa[i] != other.taxa[i];
        }
        std::vector<std::uint32_t> taxa;
        for (std::uint32_t i = 0; i < num_taxa; ++i) {
            if (row.taxa[i]) taxa.push_back(i);
        }
        if (row.hash == 0 && taxa.size() % 2 == 0) return taxa;
        if (row.hash != 0) basis.push_back(std::move(row));
    }
    return {};
}

TEST(SplitTable, TellsSplitsOfTheSameHashAndSizeApart) {
    constexpr std::uint32_t num_taxa = 200;
    auto const taxa = cancelling(num_taxa);
    ASSERT_GE(taxa.size(), 4u);
    auto const half = static_cast<std::ptrdiff_t>(taxa.size() / 2);
    TreeSplits const one(star_with({taxa.begin(), taxa.begin() + half}, num_taxa));
    TreeSplits const other(star_with({taxa.begin() + half, taxa.end()}, num_taxa));
    ASSERT_EQ(one.hash(0), other.hash(0));
    ASSERT_EQ(one[0].size(), other[0].size());
    SplitTable table(num_taxa);
    EXPECT_EQ(table.insert(one), std::vector<SplitId>{0});
    EXPECT_EQ(table.find(other, 0), std::nullopt);
    EXPECT_EQ(table.insert(other), std::vector<SplitId>{1});
    EXPECT_EQ(table.find(one, 0), 0u);
    EXPECT_EQ(table.find(other, 0), 1u);
}

TEST(Felsenstein, CountsReplicatesWithTheSplit) {
    //  A       E      In the replicates: AB|CDEF twice of four times, EF|ABCD once, and CD|.. is not asked for.
    //   >-C-D-<
    //  B       F
    std::string const replicates = "(A,B,(C,(D,(E,F))));((A,B),(C,E),(D,F));(A,C,(B,(D,(E,(F)))));(A,F,(C,(D,(E,B))));";
    EXPECT_EQ(supported("((A:1,B:1):2,C:1,(D,(E,F)));", replicates, SupportMetric::felsenstein),
              "((A:1,B:1)0.500:2,C:1,(D,(E,F)0.500)0.500);");
}

TEST(Transfer, CountsTaxaThatHaveToMove) {
    // The split ABC|DEF, p = 3. The closest splits of the replicates: itself (0), AB|CDEF (C moves: 1), ABD|CEF
    // (2, but a tip's split does as well: p - 1 = 2), and of the star those of tips (2): 1 - (0 + 1 + 2 + 2) / 4 / 2.
    std::string const replicates = "((A,B,C),D,E,F);((A,B),C,D,E,F);((A,B,D),C,E,F);(A,B,C,D,E,F);";
    EXPECT_EQ(supported("((A,B,C),D,E,F);", replicates, SupportMetric::transfer), "((A,B,C)0.375,D,E,F);");
    // Of two taxa, p = 2: all or nothing.
    EXPECT_EQ(supported("((A,B),C,D,E,F);", replicates, SupportMetric::transfer), "((A,B)0.250,C,D,E,F);");
}

TEST(Transfer, TakesTheComplementToo) {
    // ABC|DEF and DEF|ABC are one split: from ABCD|EF one taxon moves, though A, B, C and EF have nothing in common.
    EXPECT_EQ(supported("((A,B,C),D,E,F);", "((E,F),A,B,C,D);", SupportMetric::transfer), "((A,B,C)0.500,D,E,F);");
}

TEST(Support, OfABinaryTreeIsInTheOrderOfItsEdges) {
    auto const tree = parse_newick("((A,B),(C,D),(E,F));", "f", abcdef);
    std::vector<Tree> const replicates{tree, parse_newick("((A,C),(B,D),(E,F));", "f", abcdef)};
    for (auto const metric : {SupportMetric::felsenstein, SupportMetric::transfer}) {
        auto const support = edge_support(tree, replicates, metric);
        auto const edges = tree.edges();
        ASSERT_EQ(support.size(), edges.size());
        for (std::size_t i = 0; i < edges.size(); ++i) {
            bool const is_tip = tree.is_tip(edges[i]) || tree.is_tip(tree.back(edges[i]));
            EXPECT_EQ(std::isnan(support[i]), is_tip);
            if (is_tip) continue;
            auto const h = edges[i];
            auto const inner =
                tree.node(h) == tree.node(tree.back(4)) || tree.node(tree.back(h)) == tree.node(tree.back(4));
            EXPECT_EQ(support[i], inner ? 1 : 0.5) << "the edge of E and F is in both";
        }
    }
}

std::string consensus_text(std::string const& text, double threshold, bool with_support = true) {
    auto [tree, support] = consensus(trees(text), threshold);
    if (with_support) {
        for (auto const s : support) tree.label.push_back(std::isnan(s) ? "" : std::to_string(s).substr(0, 4));
    }
    return to_newick(tree, abcdef);
}

// EF|.. in 4 of 4, CD|ABEF in 3, AB|CDEF in 2, BC|ADEF in 1; DEF|ABC in 1
std::string const four = "((A,B),(C,D),(E,F));((A,B),(C,D),(E,F));(A,B,(C,D),(E,F));(A,(B,C),(D,(E,F)));";

TEST(Consensus, StrictHasWhatAllTreesHave) {
    EXPECT_EQ(consensus_text(four, strict_consensus), "(A,B,C,D,(E,F)1.00);");
    EXPECT_EQ(consensus_text("((A,B),(C,D),(E,F));((A,C),(B,E),(D,F));", strict_consensus), "(A,B,C,D,E,F);");
}

TEST(Consensus, MajorityIsMoreThanHalf) {
    EXPECT_EQ(consensus_text(four, majority_rule), "(A,B,(C,D)0.75,(E,F)1.00);");
    EXPECT_EQ(consensus_text(four, 0.74), "(A,B,(C,D)0.75,(E,F)1.00);");
    EXPECT_EQ(consensus_text(four, 0.75), "(A,B,C,D,(E,F)1.00);");
}

TEST(Consensus, ExtendedTakesWhatFits) {
    EXPECT_EQ(consensus_text(four, extended_majority_rule), "(A,B,((C,D)0.75,(E,F)1.00)0.50);");
}

TEST(Consensus, OfOneTreeIsTheTree) {
    for (double const threshold : {0.0, 0.5, 1.0}) {
        EXPECT_EQ(consensus_text("(A:1,B:2,((C:3,D:4):5,E:6,F:7):8);", threshold, false),
                  "(A:1,B:2,((C:3,D:4):5,E:6,F:7):8);");
    }
}

TEST(Consensus, HasMeanLengthsOfTheTreesWithTheEdge) {
    auto const text = "((A:1,B:1):2,C:3,D:4,E:5,F:6);((A:2,B:1):6,C,D:4,E,F:6);(A:3,(B:1,C:5):9,D:4,E,F:6);";
    EXPECT_EQ(consensus_text(text, majority_rule, false), "(A:2,B:1,(C:4,D:4,E:5,F:6):4);");
    EXPECT_EQ(consensus_text("((A,B),C,D,E,F);", majority_rule, false), "(A,B,(C,D,E,F));");
}

TEST(RobinsonFoulds, CountsSplitsOfOneOfTwoTrees) {
    SplitSets sets(6);
    for (auto const& tree : trees(four)) sets.add(tree);
    // The first and the last: AB, CD | BC, DEF.
    EXPECT_EQ(robinson_foulds(sets, 0), (std::vector<std::uint32_t>{0, 0, 1, 4}));
    EXPECT_EQ(robinson_foulds(sets, 3), (std::vector<std::uint32_t>{4, 4, 3, 0}));
    EXPECT_EQ(first_equals(sets), (std::vector<std::size_t>{0, 0, 2, 3}));
}

/// Copies of the two topologies of four taxa.
SplitSets two_topologies(std::size_t num_first, std::size_t num_second) {
    SplitSets sets(4);
    for (std::size_t i = 0; i < num_first; ++i) sets.add(trees("(A,B,(C,D));", abcd)[0]);
    for (std::size_t i = 0; i < num_second; ++i) sets.add(trees("(A,C,(B,D));", abcd)[0]);
    return sets;
}

TEST(Convergence, IsReachedByEqualReplicates) {
    auto const result = convergence(two_topologies(50, 0));
    EXPECT_EQ(result.mean_distance, 0);
    EXPECT_EQ(result.num_close, 1000u);
    EXPECT_TRUE(result.is_reached);
}

TEST(Convergence, IsNotReachedByLessThanTwo) {
    EXPECT_FALSE(convergence(two_topologies(0, 0)).is_reached);
    EXPECT_FALSE(convergence(two_topologies(1, 0)).is_reached);
}

TEST(Convergence, ComparesTheConsensusTreesOfHalves) {
    // XXXXYY: the Ys are in the same half in 8 of 20 halvings. Then the consensus trees are X (3 of 3 trees) and Y (2
    // of 3), at distance 3 + 2 of at most 3 (1 + 1). Else both are X, in 2 trees of each half, at distance 0.
    auto const result = convergence(two_topologies(4, 2), {.permutations = 40'000});
    EXPECT_NEAR(result.num_close, 40'000 * 0.6, 5 * std::sqrt(40'000 * 0.6 * 0.4));
    EXPECT_NEAR(result.mean_distance, (40'000 - result.num_close) / 40'000. * 5 / 6, 1e-12);
    EXPECT_FALSE(result.is_reached);
    // 2 X and nothing else, and with a cutoff that lets all pass.
    EXPECT_TRUE(convergence(two_topologies(2, 0)).is_reached);
    EXPECT_TRUE(convergence(two_topologies(4, 2), {.cutoff = 0.84}).is_reached);
    EXPECT_FALSE(convergence(two_topologies(4, 2), {.cutoff = 0.83}).is_reached);
}

TEST(Convergence, IsTheSameForAnyThreads) {
    SplitSets sets(30);
    for (std::uint64_t seed = 0; seed < 20; ++seed) sets.add(random_tree(30, seed % 7));
    auto const one = convergence(sets, {.permutations = 100, .seed = 5});
    auto const many = convergence(sets, {.permutations = 100, .seed = 5, .threads = 3});
    EXPECT_EQ(one.mean_distance, many.mean_distance);
    EXPECT_EQ(one.num_close, many.num_close);
    EXPECT_NE(one.mean_distance, convergence(sets, {.permutations = 100, .seed = 6}).mean_distance);
}

}  // namespace
}  // namespace regraft::msa
