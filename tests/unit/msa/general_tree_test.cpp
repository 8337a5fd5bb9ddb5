#include "regraft/msa/general_tree.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "regraft/msa/newick.hpp"
#include "support/msa/tree_oracle.hpp"

namespace regraft::msa {
namespace {

std::vector<std::string> const abcde{"A", "B", "C", "D", "E"};

GeneralTree general(std::string const& text, std::vector<std::string> const& names = abcde) {
    auto const trees = parse_general_trees(text, "f", names);
    EXPECT_EQ(trees.size(), 1u) << text;
    EXPECT_EQ(test::mistake_in(trees[0]), "") << text;
    return trees[0];
}

std::string rewritten(std::string const& text, std::vector<std::string> const& names = abcde) {
    return to_newick(general(text, names), names);
}

std::string error_of(std::string const& text, std::vector<std::string> const& names = abcde) {
    try {
        parse_general_trees(text, "f", names, "the reference");
    } catch (InputError const& e) {
        return e.what();
    }
    return "no error";
}

TEST(GeneralTrees, KeepNodesOfAnyDegree) {
    EXPECT_EQ(rewritten("(E:5,(D:4,B:2,C:3):6,A:1);"), "(A:1,(B:2,C:3,D:4):6,E:5);");
    EXPECT_EQ(rewritten("(E,D,C,B,A);"), "(A,B,C,D,E);");
    EXPECT_EQ(general("(A,B,(C,D,E));").num_nodes(), 7u);
}

TEST(GeneralTrees, AreWrittenWithTheLabelOfTheirTop) {
    auto tree = general("(A:1,(B:2,C:3):6,D:4,E:5);");
    tree.label.resize(tree.num_nodes());
    tree.label[0] = "top";
    EXPECT_EQ(to_newick(tree, abcde), "(A:1,(B:2,C:3):6,D:4,E:5)top;");
}

TEST(GeneralTrees, LoseEdgesAndKeepTheLengthsAndLabelsOfTheOthers) {
    //  A, (B, (C, D)x:7)y:6, E
    auto tree = general("(A:1,(B:2,(C:3,D:4):7):6,E:5);");
    auto const inner = inner_edges(tree);
    ASSERT_EQ(inner.size(), 2u);
    tree.label.resize(tree.num_nodes());
    tree.label[inner[0]] = "y";
    tree.label[inner[1]] = "x";
    EXPECT_EQ(to_newick(without_edges(tree, {}), abcde), "(A:1,(B:2,(C:3,D:4)x:7)y:6,E:5);");
    EXPECT_EQ(to_newick(without_edges(tree, std::vector{inner[0]}), abcde), "(A:1,B:2,(C:3,D:4)x:7,E:5);");
    EXPECT_EQ(to_newick(without_edges(tree, std::vector{inner[1]}), abcde), "(A:1,(B:2,C:3,D:4)y:6,E:5);");
    EXPECT_EQ(to_newick(without_edges(tree, inner), abcde), "(A:1,B:2,C:3,D:4,E:5);");
    for (auto const& some : {std::vector<std::uint32_t>{}, {inner[0]}, {inner[1]}, inner})
        EXPECT_EQ(test::mistake_in(without_edges(tree, some)), "");
    tree.label.clear();
    EXPECT_EQ(to_newick(without_edges(tree, inner), abcde), "(A:1,B:2,C:3,D:4,E:5);");
}

TEST(GeneralTrees, AreUnrooted) {
    // A root of two children is no node of an unrooted tree.
    EXPECT_EQ(rewritten("((A:1,B:2):1,(C:3,D:4,E:5):2);"), "(A:1,B:2,(C:3,D:4,E:5):3);");
    EXPECT_EQ(rewritten("(A:1,(B:2,C:3,D:4,E:5):2);"), "(A:3,B:2,C:3,D:4,E:5);");
    EXPECT_EQ(rewritten("((B:2,C:3,D:4,E:5),A:1);"), "(A:1,B:2,C:3,D:4,E:5);");
    EXPECT_EQ(rewritten("(((A,B,C,D,E)));"), "(A,B,C,D,E);");
    EXPECT_EQ(rewritten("(((A:1):2,(((B)),C:1):1,(D,E):-1));"), "(A:3,(B,C:1):1,(D,E):-1);");
    EXPECT_EQ(rewritten("((A,B):1,C:2);", {"A", "B", "C"}), "(A,B,C:3);");
}

TEST(GeneralTrees, MayLackLengthsAndHaveNegativeOnes) {
    auto const tree = general("(A:-0.5,B,(C:0,D:-0,E:+1):1e-3);");
    EXPECT_EQ(to_newick(tree, abcde), "(A:-0.5,B,(C:0,D:0,E:1):0.001);");
    EXPECT_EQ(error_of("(A:+-1,B,C,D,E);"), "f:1:4: expected the length of a branch (a number), found '+-1'");
    EXPECT_EQ(error_of("(A:1e301,B,C,D,E);"), "f:1:4: expected the length of a branch (a number), found '1e301'");
    EXPECT_EQ(error_of("(A:nan,B,C,D,E);"), "f:1:4: expected the length of a branch (a number), found 'nan'");
}

TEST(GeneralTrees, SkipLabelsAndComments) {
    EXPECT_EQ(rewritten("[&U](A:1[&x=1],B:2,(C,D,'E'[q])99[&p={1,2}]:3[y])'ro(ot';\n[end]"), "(A:1,B:2,(C,D,E):3);");
}

TEST(GeneralTrees, SayWhatIsWrong) {
    EXPECT_EQ(error_of(""), "f:1:1: expected '(' at the beginning of a tree, found the end of the text");
    EXPECT_EQ(error_of("(A,B,(C,D,E));\n(A,B,(C,D,X));"), "f:2:11: taxon 'X' is not in the reference");
    EXPECT_EQ(error_of("(A,B,(C,D,E));\n(A,B,(C,D,D));"), "f:2:11: taxon 'D' is in the tree twice");
    EXPECT_EQ(error_of("(A,B,(C,D,E));\n\n (A,B,(C,D));"), "f:3:2: the tree lacks 1 of the 5 taxa: 'E'");
    EXPECT_EQ(error_of("(A,B,(C,D,E));\n(A,B,(C,D,"), "f:2:11: expected a taxon or '(', found the end of the text");
    EXPECT_EQ(error_of("(A,B,(C,D,E));\n(A,B,(C,D,E)"), "f:2:1: this '(' is never closed");
    EXPECT_EQ(error_of("(A,B,(C,D,E)); x"), "f:1:16: expected '(' at the beginning of a tree, found 'x'");
    EXPECT_EQ(error_of("(A,B);", {"A", "B"}), "f: a tree needs at least three taxa");
}

TEST(NamedTrees, HaveTheTaxaOfTheFirstTree) {
    auto const [taxa, trees] = parse_named_trees("[x]((c:1,'b d'),(A,é)z);\n(c,(A,'b d'),é);", "f");
    EXPECT_EQ(taxa, (std::vector<std::string>{"A", "b d", "c", "é"}));
    ASSERT_EQ(trees.size(), 2u);
    EXPECT_EQ(to_newick(trees[0], taxa), "((A,é),'b d',c:1);");
    EXPECT_EQ(to_newick(trees[1], taxa), "((A,'b d'),c,é);");
}

TEST(NamedTrees, SayWhatIsWrong) {
    auto const error = [](std::string const& text) {
        try {
            parse_named_trees(text, "f");
        } catch (InputError const& e) {
            return std::string(e.what());
        }
        return std::string("no error");
    };
    EXPECT_EQ(error(""), "f:1:1: expected '(' at the beginning of a tree, found the end of the text");
    EXPECT_EQ(error(" \n[x]"), "f:2:4: expected '(' at the beginning of a tree, found the end of the text");
    EXPECT_EQ(error("(A,B,C,A);"), "f:1:8: taxon 'A' is in the tree twice");
    EXPECT_EQ(error("(A,B,C);\n(A,B,D);"), "f:2:6: taxon 'D' is not in the first tree");
    EXPECT_EQ(error("(A,B,C,D);\n(A,B,D);"), "f:2:1: the tree lacks 1 of the 4 taxa: 'C'");
    EXPECT_EQ(error("(A,B);"), "f: a tree needs at least three taxa");
    EXPECT_EQ(error("(A,B,[C,D);"), "f:1:6: this comment has no closing ']'");
    EXPECT_EQ(error("(A,B,'C,D);"), "f:1:6: this label has no closing quote");
    EXPECT_EQ(error("(A,B,C]);"), "f:1:7: expected ',' or ')', found ']'");
    EXPECT_EQ(error("(A,B,'');"), "f:1:8: expected a taxon or '(', found ')'");
    EXPECT_EQ(error(std::string(100'000, '(')), "f:1:100001: expected a taxon or '(', found the end of the text");
}

TEST(GeneralTrees, HangUpAnywhere) {
    // (A,B)-(C)-(D,E), hung up at each of its three inner nodes.
    auto tree = general("(A:1,B:2,(C:3,(D:4,E:5):6):7);");
    tree.label.resize(tree.num_nodes());
    for (auto const v : inner_edges(tree)) tree.label[v] = tree.length[v] == 6 ? "six" : "seven";
    std::vector<std::string> texts;
    for (std::uint32_t v = 0; v < tree.num_nodes(); ++v) {
        if (tree.is_tip(v)) continue;
        auto const hung = hung_up_at(tree, v);
        EXPECT_EQ(test::mistake_in(hung), "");
        EXPECT_EQ(test::splits(hung, true), test::splits(tree, true));
        texts.push_back(to_newick(hung, abcde));
    }
    std::ranges::sort(texts);
    EXPECT_EQ(texts, (std::vector<std::string>{"(((A:1,B:2)seven:7,C:3)six:6,D:4,E:5);",
                                               "((A:1,B:2)seven:7,C:3,(D:4,E:5)six:6);",
                                               "(A:1,B:2,(C:3,(D:4,E:5)six:6)seven:7);"}));
}

std::string with_outgroup(std::string const& text, std::vector<std::uint32_t> const& outgroup) {
    try {
        return to_newick(hung_up_at(general(text), outgroup, abcde), abcde);
    } catch (InputError const& e) {
        return e.what();
    }
}

TEST(Outgroup, IsAChildOfTheRoot) {
    std::string const text = "(A:1,B:2,(C:3,(D:4,E:5):6):7);";
    EXPECT_EQ(with_outgroup(text, {0}), "(A:1,B:2,(C:3,(D:4,E:5):6):7);");
    EXPECT_EQ(with_outgroup(text, {2}), "((A:1,B:2):7,C:3,(D:4,E:5):6);");
    EXPECT_EQ(with_outgroup(text, {4, 3}), "((A:1,B:2):7,C:3,(D:4,E:5):6);");
    EXPECT_EQ(with_outgroup(text, {0, 1}), "((A:1,B:2):7,C:3,(D:4,E:5):6);");
    EXPECT_EQ(with_outgroup(text, {0, 2, 1}), "(((A:1,B:2):7,C:3):6,D:4,E:5);");
    EXPECT_EQ(with_outgroup(text, {0, 1, 2, 3}), "(((A:1,B:2):7,C:3):6,D:4,E:5);");
    EXPECT_EQ(with_outgroup("(A,B,C,D,E);", {3}), "(A,B,C,D,E);");
}

TEST(Outgroup, HasToBeAClade) {
    std::string const text = "(A:1,B:2,(C:3,(D:4,E:5):6):7);";
    EXPECT_EQ(with_outgroup(text, {1, 2}),
              "the outgroup 'B', 'C' is not a clade: no edge of the tree cuts these taxa off from the others; the "
              "smallest clade with them also has 'A'");
    auto const others = [](std::string const& error) { return error.substr(error.rfind(" has ")); };
    EXPECT_EQ(others(with_outgroup(text, {3, 2})), " has 'E'");
    EXPECT_EQ(others(with_outgroup(text, {0, 3})), " has 'B', 'C'");
    EXPECT_EQ(others(with_outgroup("(A,B,C,D,E);", {0, 3})), " has 'B', 'C'");
    EXPECT_EQ(with_outgroup(text, {}), "the outgroup has 0 of the 5 taxa, expected at least one, but not all");
    EXPECT_EQ(with_outgroup(text, {0, 1, 2, 3, 4}),
              "the outgroup has 5 of the 5 taxa, expected at least one, but not all");
}

TEST(ToNewick, WritesLabelsAndAnOutgroup) {
    auto const tree = parse_newick("(A:1,B:2,(C:3,(D:4,E:5):6):7);", "f", abcde);
    std::vector<std::string> labels;
    for (auto const h : tree.edges()) labels.push_back("l " + std::to_string(static_cast<int>(tree.length(h))));
    EXPECT_EQ(to_newick(tree, abcde, {.labels = labels}), "(A:1,B:2,(C:3,(D:4,E:5)'l 6':6)'l 7':7);");
    std::vector<std::uint32_t> const outgroup{3, 4};
    EXPECT_EQ(to_newick(tree, abcde, {.labels = labels, .outgroup = outgroup}),
              "((A:1,B:2)'l 7':7,C:3,(D:4,E:5)'l 6':6);");
    EXPECT_EQ(to_newick(tree, abcde, NewickFeatures{}), to_newick(tree, abcde));
}

}  // namespace
}  // namespace regraft::msa
