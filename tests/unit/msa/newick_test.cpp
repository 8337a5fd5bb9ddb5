#include "regraft/msa/newick.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "regraft/core/errors.hpp"
#include "regraft/msa/compare.hpp"
#include "regraft/msa/parsimony.hpp"

namespace regraft::msa {
namespace {

std::vector<std::string> const abcd{"A", "B", "C", "D"};

std::string canonical_text(std::string const& text, std::vector<std::string> const& names = abcd) {
    return to_newick(parse_newick(text, "f", names), names);
}

std::string error_of(std::string const& text, std::vector<std::string> const& names = abcd) {
    try {
        parse_newick(text, "f", names);
    } catch (InputError const& e) {
        return e.what();
    }
    return "no error";
}

TEST(Newick, TakesBlanksAndUnderscoresForTheSameIfNoNameIsThatOne) {
    std::vector<std::string> const names{"sp one", "sp_two", "sp three", "sp_three", "x"};
    auto const tree = parse_newick("((sp_one,'sp two'),sp_three,('sp three',x));", "f", names);
    EXPECT_EQ(tree, parse_newick("(('sp one',sp_two),sp_three,('sp three',x));", "f", names));
    EXPECT_THROW(parse_newick("((sp_one,'sp one'),sp_two,(sp_three,x));", "f", names), InputError);
    EXPECT_THROW(parse_newick("((sp_four,sp_two),sp_three,('sp three',x));", "f", names), InputError);
}

TEST(Newick, WritesCanonicalText) {
    auto const expected = "(A:1,B:2,(C:3,D:4):5);";
    EXPECT_EQ(canonical_text("(A:1,B:2,(C:3,D:4):5);"), expected);
    EXPECT_EQ(canonical_text("((D:4,C:3):5,B:2,A:1);"), expected);
    EXPECT_EQ(canonical_text("(C:3,(B:2,A:1):5,D:4);"), expected);
}

TEST(Newick, JoinsTheEdgesAtARoot) {
    EXPECT_EQ(canonical_text("((A:1,B:2):2,(C:3,D:4):3);"), "(A:1,B:2,(C:3,D:4):5);");
    EXPECT_EQ(canonical_text("(A:1,(B:2,(C:3,D:4):5):0.5):7;"), "(A:1.5,B:2,(C:3,D:4):5);");
    EXPECT_EQ(canonical_text("((A:1,B:2),(C:3,D:4):3);"), "(A:1,B:2,(C:3,D:4):3);");
}

TEST(Newick, GivesMissingLengthsADefault) {
    auto const tree = parse_newick("((A,B),(C:1,D));", "f", abcd);
    EXPECT_EQ(tree.length(0), Tree::default_length);
    EXPECT_EQ(tree.length(2), 1);
    for (auto edge : tree.edges()) EXPECT_EQ(tree.length(edge), edge == 2 ? 1 : Tree::default_length);
}

TEST(Newick, SkipsBlanksCommentsAndInnerLabels) {
    EXPECT_EQ(canonical_text("[&U]\n ( A : [x] 1e0 ,\tB:+2.0,( C:3E+0,D:.4e1 )'in (n)er'[c]:5 ) root : 3 ;\r\n\n"),
              "(A:1,B:2,(C:3,D:4):5);");
    EXPECT_EQ(canonical_text("(A:1,B:2,(C:3,D:4)99:5);"), "(A:1,B:2,(C:3,D:4):5);");
}

TEST(Newick, MayBeginWithNumbersOfTaxaAndTrees) {
    auto const expected = canonical_text("((A,B),(C,D));");
    EXPECT_EQ(canonical_text("1\n((A,B),(C,D));"), expected);
    EXPECT_EQ(canonical_text("\n  4  1\r\n\r\n((A,B),(C,D));\n"), expected);
    EXPECT_EQ(canonical_text("1\n[best] ((A,B),(C,D));"), expected);
    EXPECT_EQ(error_of("1 ((A,B),(C,D));"), "f:1:1: expected '(' at the beginning of a tree, found '1'");
    EXPECT_EQ(error_of("1\nA;"), "f:1:1: expected '(' at the beginning of a tree, found '1'");
    EXPECT_EQ(error_of("4 1\n((A,B),(C,D))\n"), "f:3:1: expected ';' after the tree, found the end of the text");
    EXPECT_EQ(parse_named_trees("3 2\n(x,y,z);\n(z,y,x);\n", "f").taxa, (std::vector<std::string>{"x", "y", "z"}));
}

TEST(Newick, MayHaveRemarksOfPamlAroundTrees) {
    auto const expected = "(A:1,B:2,(C:3,D:4):5);";
    std::string const tree = "(A:1,B:2,(C:3,D:4):5);";
    for (std::string const end : {"\n", "\r\n"}) {
        EXPECT_EQ(canonical_text(tree + " // the (true) tree; [not closed" + end), expected);
        EXPECT_EQ(canonical_text(" 4 1 // taxa" + end + "// [first" + end + tree + "//" + end + "// last"), expected);
    }
    EXPECT_EQ(canonical_text("(A//:1,B:2,(C:3,D:4):5); // end", {"A//", "B", "C", "D"}), "(A//:1,B:2,(C:3,D:4):5);");
    EXPECT_EQ(error_of("(A,B,(C,D)); / one"), "f:1:14: expected nothing after the tree's ';', found '/'");
    EXPECT_EQ(error_of("(A,B, // two\n(C,D));"), "f:1:7: taxon '//' is not in the alignment");
    EXPECT_EQ(parse_named_trees("(x,y,z); // one\n(z,y,x);// two\n", "f").trees.size(), 2u);
}

TEST(Newick, QuotesLabelsWhereNeeded) {
    std::vector<std::string> const names{"Homo sapiens", "it's", "a_b", "(", "\xc3\xa9t\xc3\xa9"};
    auto const text = "('Homo sapiens':1,'it''s':1,(a_b:1,('(':1,\xc3\xa9t\xc3\xa9:1):1):1);";
    EXPECT_EQ(canonical_text(text, names), text);
    EXPECT_EQ(canonical_text("('Homo sapiens':1,'it''s':1,('a_b':1,('(':1,'\xc3\xa9t\xc3\xa9':1):1):1);", names), text);
}

TEST(Newick, ReadsBackAnyNames) {
    std::vector<std::string> const names{"a(b",   "c,d",  "e'f", "g:h", "i;j", "[k]", "l m", "''",
                                         "\"q\"", "_x__", "1e5", ":",   "-",   "\\",  "'",   "\xe2\x80\x93"};
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        auto const tree = random_tree(static_cast<std::uint32_t>(names.size()), seed);
        auto const text = to_newick(tree, names);
        auto const again = parse_newick(text, "f", names);
        EXPECT_EQ(robinson_foulds(again, tree), 0u);
        EXPECT_EQ(to_newick(again, names), text);
    }
}

TEST(Newick, ReadsBackTheLongestAndTheShortestEdges) {
    auto const text = canonical_text("((A:1e300,B:4.9406564584124654e-324):1e300,(C:0,D:1e300):1e300);");
    EXPECT_EQ(canonical_text(text), text);
    EXPECT_EQ(parse_newick(text, "f", abcd).length(1), 4.9406564584124654e-324);
}

TEST(Newick, SkipsAByteOrderMark) {
    EXPECT_EQ(canonical_text("\xef\xbb\xbf(A:1,B:2,(C:3,D:4):5);"), "(A:1,B:2,(C:3,D:4):5);");
    EXPECT_EQ(error_of("\xef\xbb\xbf(X"), "f:1:2: taxon 'X' is not in the alignment");
}

TEST(Newick, ShowsOddCharactersWhole) {
    EXPECT_EQ(error_of("\xe2\x80\x93(A,B,(C,D));"),
              "f:1:1: expected '(' at the beginning of a tree, found '\xe2\x80\x93'");
    EXPECT_EQ(error_of("(A,\xe9,(C,D));"), "f:1:4: taxon '\\xe9' is not in the alignment");
    EXPECT_EQ(error_of(std::string("(A,B,(C,D));\0", 13)),
              "f:1:13: expected nothing after the tree's ';', found '\\x00'");
    EXPECT_EQ(error_of("(A,B,\r(C,X));\r"), "f:2:4: taxon 'X' is not in the alignment");  // old Mac
}

TEST(Newick, SaysWhatIsWrongWithTaxa) {
    EXPECT_EQ(error_of("(A,B,\n (C,X));"), "f:2:5: taxon 'X' is not in the alignment");
    EXPECT_EQ(error_of("(A,B,(C,A));"), "f:1:9: taxon 'A' is in the tree twice");
    EXPECT_EQ(error_of("(A,B,C);"), "f:1:1: the tree lacks 1 of the 4 taxa: 'D'");
    EXPECT_EQ(error_of("(A,B);", {"A", "B", "c", "d", "e", "f", "g"}),
              "f:1:1: the tree lacks 5 of the 7 taxa: 'c', 'd', 'e' and 2 more");
    EXPECT_EQ(error_of("(A,B);", {"A", "B"}), "f: a tree needs at least three taxa");
    EXPECT_EQ(error_of("(A,B,,C,D);"), "f:1:6: expected a taxon or '(', found ','");
}

TEST(Newick, SaysWhatIsWrongWithParentheses) {
    EXPECT_EQ(error_of(""), "f:1:1: expected '(' at the beginning of a tree, found the end of the text");
    EXPECT_EQ(error_of("A;"), "f:1:1: expected '(' at the beginning of a tree, found 'A'");
    EXPECT_EQ(error_of("(A,B,(C,D);"), "f:1:11: expected ',' or ')', found ';'");
    EXPECT_EQ(error_of("(A,B,(C,D)"), "f:1:1: this '(' is never closed");
    EXPECT_EQ(error_of("(A,B,(C,D)));"), "f:1:12: this ')' closes no '('");
    EXPECT_EQ(error_of("(A,B,(C,D))"), "f:1:12: expected ';' after the tree, found the end of the text");
    EXPECT_EQ(error_of("(A,B,(C,D)); (A,B,C,D);"), "f:1:14: expected nothing after the tree's ';', found '('");
    EXPECT_EQ(error_of("(A B,(C,D));"), "f:1:4: expected ',' or ')', found 'B'");
    EXPECT_EQ(error_of("(A,'B,(C,D));"), "f:1:4: this label has no closing quote");
    EXPECT_EQ(error_of("(A,[B,(C,D));"), "f:1:4: this comment has no closing ']'");
}

TEST(Newick, RejectsWhatIsNotBinary) {
    EXPECT_EQ(error_of("(A,B,C,D);"), "f:1:7: only binary trees are supported: the root has more than three children");
    EXPECT_EQ(error_of("(A,(B,C,D));"), "f:1:8: only binary trees are supported: a node has more than two children");
    EXPECT_EQ(error_of("(A,B,((C),D));"), "f:1:9: only binary trees are supported: a node has one child");
    EXPECT_EQ(error_of("(((A,B),C));", {"A", "B", "C"}),
              "f:1:11: only binary trees are supported: a node has one child");
}

TEST(Newick, RejectsWhatIsNoLength) {
    auto const expected = std::string("expected the length of a branch (a number from 0), found ");
    for (std::string const bad : {"-1", "nan", "inf", "1e999", "x", "1x", "1e300000", "--1", "1.2.3", "+-1"}) {
        auto const text = std::string("(A:,B,(C,D));").insert(3, bad);
        EXPECT_EQ(error_of(text), std::string("f:1:4: ").append(expected).append("'").append(bad).append("'"));
    }
    EXPECT_EQ(error_of("(A:,B,(C,D));"), "f:1:4: " + expected + "','");
    EXPECT_EQ(error_of("(A,B,(C,D:"), "f:1:11: " + expected + "''");
}

TEST(Newick, NestingCostsNoStack) {
    EXPECT_EQ(error_of(std::string(1'000'000, '(')), "f:1:5: nested deeper than a binary tree of 4 taxa can be");
    std::uint32_t const n = 100'000;  // a caterpillar
    std::vector<std::string> names;
    std::string text(n - 2, '(');
    for (std::uint32_t t = 0; t < n; ++t) {
        names.push_back(std::to_string(t));
        text += names.back() + (t == 0 || t == n - 2 ? "," : t == n - 1 ? ");" : "),");
    }
    auto const tree = parse_newick(text, "f", names);
    EXPECT_TRUE(tree.is_complete());
    EXPECT_EQ(to_newick(parse_newick(to_newick(tree, names), "f", names), names), to_newick(tree, names));
}

TEST(Newick, WritesTheChosenLengthSet) {
    auto tree = parse_newick("(A:1,B:2,(C:3,D:4):5);", "f", abcd).with_length_sets(2);
    tree.set_length(2, 1.0 / 3, 1);
    EXPECT_EQ(to_newick(tree, abcd, 1), "(A:1,B:2,(C:0.3333333333333333,D:4):5);");
}

constexpr NewickOptions resolved{.multifurcations = Multifurcations::resolved};

std::string resolved_text(std::string const& text, std::vector<std::string> const& names = abcd) {
    return to_newick(parse_newick(text, "f", names, resolved), names);
}

TEST(ResolvedNewick, LeavesBinaryTreesAlone) {
    for (std::string const text : {"(A:1,B:2,(C:3,D:4):5);", "((A:1,B:2):2,(C:3,D:4):3);", "(A,(B,(C,D)));"}) {
        EXPECT_EQ(parse_newick(text, "f", abcd, resolved), parse_newick(text, "f", abcd)) << text;
    }
}

TEST(ResolvedNewick, JoinsTheFirstTwoOfTooManyChildren) {
    EXPECT_EQ(resolved_text("(A:1,B:2,C:3,D:4);"), "(A:1,B:2,(C:3,D:4):0);");
    std::vector<std::string> const names{"A", "B", "C", "D", "E", "F", "G"};
    // A B C D E below a node: C D E (A,B), then E (A,B) (C,D), then (C,D) (E,(A,B)).
    EXPECT_EQ(resolved_text("(F:6,G:7,(A:1,B:2,C:3,D:4,E:5):8);", names),
              canonical_text("(F:6,G:7,((C:3,D:4):0,(E:5,(A:1,B:2):0):0):8);", names));
}

TEST(ResolvedNewick, PutsAnOnlyChildInItsParentsPlace) {
    EXPECT_EQ(resolved_text("(A:1,B:2,((((C:3),D:4):1):4));"), "(A:1,B:2,(C:3,D:4):5);");
    EXPECT_EQ(resolved_text("(((A:1,B:2,(C:3,D:4):5):1):1);"), canonical_text("((C:3,D:4):5,(A:1,B:2):0);"));
    EXPECT_EQ(resolved_text("((A:1):2,(B),(C:3,(D):4));"), canonical_text("(A:3,B,(C:3,D:4));"));
}

TEST(ResolvedNewick, CopesWithStarsAndWithDeepNesting) {
    std::vector<std::string> names;
    std::string star;
    for (int t = 0; t < 100'000; ++t) {
        names.push_back("t" + std::to_string(t));
        star += (t == 0 ? "(" : ",") + names.back();
    }
    EXPECT_TRUE(parse_newick(star + ");", "f", names, resolved).is_complete());
    std::string const nested(100'000, '(');
    auto const tree = parse_newick(nested + "(A,B,(C,D))" + std::string(100'000, ')') + ";", "f", abcd, resolved);
    EXPECT_EQ(robinson_foulds(tree, parse_newick("(A,B,(C,D));", "f", abcd)), 0u);
}

TEST(ResolvedNewick, ReportsTheSameMistakes) {
    auto const error = [](std::string const& text) {
        try {
            parse_newick(text, "f", abcd, resolved);
        } catch (InputError const& e) {
            return std::string(e.what());
        }
        return std::string("no error");
    };
    EXPECT_EQ(error("(A,B,\n(C,E));"), "f:2:4: taxon 'E' is not in the alignment");
    EXPECT_EQ(error("(A,B,C,\nA,D);"), "f:2:1: taxon 'A' is in the tree twice");
    EXPECT_EQ(error("(A,B,C);"), "f:1:1: the tree lacks 1 of the 4 taxa: 'D'");
    EXPECT_EQ(error("(A,B,C,D"), "f:1:1: this '(' is never closed");
    EXPECT_EQ(error("(A,B,(),C,D);"), "f:1:7: expected a taxon or '(', found ')'");
    EXPECT_EQ(error("A;"), "f:1:1: expected '(' at the beginning of a tree, found 'A'");
}

TEST(CheckNewick, AcceptsTreesOfOneAndTwoTaxa) {
    std::vector<std::string> const one{"A"};
    std::vector<std::string> const two{"A", "B"};
    for (std::string const text : {"A;", " A:1 ;\n", "(A);", "((A:1)x):2;", "'A';"}) {
        EXPECT_NO_THROW(check_newick(text, "f", one, resolved)) << text;
        EXPECT_THROW(check_newick(text, "f", two, resolved), InputError) << text;
    }
    for (std::string const text : {"(A,B);", "(B:1,A:2);", "((A,B));", "((A),(B));"}) {
        EXPECT_NO_THROW(check_newick(text, "f", two, resolved)) << text;
        EXPECT_THROW(check_newick(text, "f", one, resolved), InputError) << text;
    }
    for (std::string const text : {"", ";", "A", "B;", "A,A;", "();", "(A));", "A;A;"}) {
        EXPECT_THROW(check_newick(text, "f", one, resolved), InputError) << text;
    }
    EXPECT_NO_THROW(check_newick("(A,B);", "f", two));
    EXPECT_THROW(check_newick("((A),B);", "f", two), InputError);
}

TEST(ReadNewickTrees, ReadsAllTreesOfAFile) {
    auto const path = std::filesystem::path(testing::TempDir()) / "regraft_newick_trees.nwk";
    auto const error = [&](std::string const& text) {
        std::ofstream(path) << text;
        try {
            read_newick_trees(path, abcd);
        } catch (InputError const& e) {
            return std::string(e.what()).substr(path.string().size());
        }
        return std::string("no error");
    };
    std::ofstream(path) << "(A:1,B:2,(C:3,D:4):5);[x]\n\n((A,C),(B,D));(A:1,B:2,(C:3,D:4):5);";
    auto const trees = read_newick_trees(path, abcd);
    ASSERT_EQ(trees.size(), 3u);
    EXPECT_EQ(trees[0], parse_newick("(A:1,B:2,(C:3,D:4):5);", "f", abcd));
    EXPECT_EQ(trees[1], parse_newick("((A,C),(B,D));", "f", abcd));
    EXPECT_EQ(trees[2], trees[0]);
    EXPECT_EQ(error(""), ":1:1: expected '(' at the beginning of a tree, found the end of the text");
    EXPECT_EQ(error("(A,B,(C,D));\n(A,B,C,D);"),
              ":2:7: only binary trees are supported: the root has more than three children");
    EXPECT_EQ(error("(A,B,(C,D));\n (A,B,C);"), ":2:2: the tree lacks 1 of the 4 taxa: 'D'");
    EXPECT_EQ(error("(A,B,(C,D));\n(A,B,(C,"), ":2:9: expected a taxon or '(', found the end of the text");
    std::filesystem::remove(path);
}

TEST(NexusTrees, AreReadFromAllBlocks) {
    auto const text =
        "#NEXUS [written by hand [really]]\n"
        "begin taxa; dimensions ntax=4; taxlabels 'A' B C D; end;\n"
        "begin notes; text 'begin trees; tree no = (A,B);'; end;\n"
        "Begin Trees;\n"
        "  [short names] Translate 1 A, two B,\n 3 'C', 4 D;\n"
        "  tree one [&lnP=-1.5] = [&R] (1[&rate=1.0,h={1,[2]}]:[&x]1,two:2,(3:3,4[&p]:4)[&posterior=1]:5);\n"
        "  utree * 'another one' = ((4:4,3:3):5,\"two\":2,1:1);\n"
        "end;\n"
        "begin trees; tree third = (1,2,('C',D)); endblock;\n";
    NamedTrees const named = parse_named_trees(text, "f");
    EXPECT_EQ(named.taxa, abcd);
    ASSERT_EQ(named.trees.size(), 3U);
    auto const trees = parse_general_trees(text, "f", abcd);
    EXPECT_EQ(to_newick(trees[0], abcd), to_newick(trees[1], abcd));
    EXPECT_EQ(taxa_in_text_order(text, "f"), abcd);
    std::string const first(text, std::string_view(text).find("  utree"));
    EXPECT_EQ(canonical_text(first + "end;"), "(A:1,B:2,(C:3,D:4):5);");
}

TEST(NexusTrees, HaveNamesWithBlanksQuotesAndUnderscores) {
    std::vector<std::string> const names{"t1_x", "t2_the_name", "O'Brien's", "x.y-z"};
    EXPECT_EQ(
        canonical_text("#NEXUS\nbegin trees;\ntranslate\n1 t1_x,\n2 't2 the name',\n3 'O''Brien''s',\n4 x.y-z\n;\n"
                       "tree t = [&U] (1:1,2:2,(3:3,4:4):5);\nend;\n",
                       names),
        "(t1_x:1,t2_the_name:2,('O''Brien''s':3,x.y-z:4):5);");
}

TEST(NexusTrees, SayWhatIsWrong) {
    auto const trees = [](std::string const& commands) { return "#NEXUS\nbegin trees;\n" + commands + "\nend;\n"; };
    for (auto const& [text, expected] : std::vector<std::array<std::string, 2>>{
             {"#NEXUS\nbegin data; matrix A C; end;", "f: has no tree; expected a block such as 'begin trees;"},
             {trees("tree t = (A,B,(C,E));"), "f:3:18: taxon 'E' is not in the alignment"},
             {trees("tree t = (A,B,(C,D));\ntree u = (A,B,(C,D));"), "f:4:10: expected nothing after the tree's ';'"},
             {trees("tree t (A,B,(C,D));"), "f:3:8: expected '=' after the name of a tree"},
             {trees("translate 1 A, 1 B;\ntree t = (1,B,(C,D));"), "f:3:16: the label '1' has a meaning already"},
             {trees("translate 1 A, 2;\ntree t = (1,B,(C,D));"), "f:3:17: expected the name of a taxon"},
             {trees("translate 1 A\ntree t = (1,B,(C,D));"), "f:4:8: expected the name of a taxon"},
             {trees("tree t = (A,B,(C,D)"), "f:5:1: expected 'end;', found the end of the file"},
             {trees("tree t = (5,B,(C,D));"), "f:3:11: taxon '5' is not in the alignment"},
             {"#NEXUS\nbegin taxa; taxlabels A B", "expected the name of a taxon"},
         })
        EXPECT_NE(error_of(text).find(expected), std::string::npos) << text << " -> " << error_of(text);
}

TEST(NewickLabel, IsQuotedIfItHasToBe) {
    EXPECT_EQ(newick_label("a_b|c.d"), "a_b|c.d");
    EXPECT_EQ(newick_label("it's (me)"), "'it''s (me)'");
    EXPECT_EQ(newick_label(""), "''");
}

TEST(NewickLabel, IsReadBackWhateverIsInIt) {
    std::vector<std::string> names{"\"quoted\"", "a b", "(c)",   "d:1",  "e,f;", "g[h]",
                                   "it's",       "i_j", "{k}=l", "m\\n", "Ä",    "''"};
    for (std::string const c : {"\"", "{", "}", "=", "\\", " ", "(", ")", "[", "]", ":", ",", ";"})
        EXPECT_EQ(newick_label("a" + c), "'a" + c + "'");
    auto const tree = random_tree(static_cast<std::uint32_t>(names.size()), 1);
    EXPECT_EQ(parse_newick(to_newick(tree, names), "f", names).num_tips(), names.size());
    EXPECT_EQ(to_newick(parse_newick(to_newick(tree, names), "f", names), names), to_newick(tree, names));
}

/// The tree of a text that is read as `how` says, and what was changed.
ReadTrees read_text(std::string const& text, std::vector<std::string> const& names, NewickOptions const& how) {
    auto const path = std::filesystem::temp_directory_path() / ("newick" + std::to_string(getpid()));
    std::ofstream(path) << text;
    auto read = read_trees(path, names, how, TreeCount::any);
    std::filesystem::remove(path);
    return read;
}

TEST(RandomNewick, ResolvesBySeedToEveryTopology) {
    std::set<std::string> seen;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        NewickOptions const how{.multifurcations = Multifurcations::at_random, .seed = seed};
        auto const read = read_text("(A:1,B:2,C:3,D:4);", abcd, how);
        EXPECT_TRUE(read.trees[0].is_complete());
        EXPECT_EQ(read.num_resolved, 1U);
        EXPECT_EQ(read_text("(A:1,B:2,C:3,D:4);", abcd, how).trees, read.trees);
        seen.insert(to_newick(read.trees[0], abcd));
    }
    EXPECT_EQ(seen,
              (std::set<std::string>{"(A:1,B:2,(C:3,D:4):0);", "(A:1,(B:2,C:3):0,D:4);", "(A:1,(B:2,D:4):0,C:3);"}));
}

TEST(RandomNewick, LeavesBinaryTreesAlone) {
    for (std::string const text : {"(A:1,B:2,(C:3,D:4):5);", "((A:1,B:2):2,(C:3,D:4):3);", "(A,(B,(C,D)));"}) {
        auto const read = read_text(text, abcd, {.multifurcations = Multifurcations::at_random});
        EXPECT_EQ(read.trees[0], parse_newick(text, "f", abcd)) << text;
        EXPECT_EQ(read.num_resolved, 0U);
    }
}

TEST(RandomNewick, CountsNodesOfAllTrees) {
    std::vector<std::string> const names{"A", "B", "C", "D", "E", "F", "G"};
    NewickOptions const how{.multifurcations = Multifurcations::at_random};
    auto const read = read_text("(F,G,(A,B,C,D,E));((A,B,C),D,E,(F,G));(((A,B),C),D,(E,(F,G)));", names, how);
    EXPECT_EQ(read.trees.size(), 3U);
    EXPECT_EQ(read.num_resolved, 3U);
}

TEST(LimitedNewick, SetsLengthsToTheNearerLimitAndCountsThem) {
    NewickOptions const how{.multifurcations = Multifurcations::at_random, .limits = LengthLimits{0.5, 8}};
    auto const text_of = [&](std::string const& text) {
        auto const read = read_text(text, abcd, how);
        return to_newick(read.trees[0], abcd) + std::to_string(read.num_limited);
    };
    EXPECT_EQ(text_of("(A:0.5,B:8,(C:3,D:4):5);"), "(A:0.5,B:8,(C:3,D:4):5);0");
    EXPECT_EQ(text_of("(A:0,B:-2,(C:9,D:1e300):5);"), "(A:0.5,B:0.5,(C:8,D:8):5);4");
    EXPECT_EQ(text_of("((A:1,B:1):0,(C:1,D:1):5);"), "(A:1,B:1,(C:1,D:1):5);0") << "one edge, of length 5";
    EXPECT_EQ(text_of("((A:1,B:1):5,(C:1,D:1):5);"), "(A:1,B:1,(C:1,D:1):8);1");
    EXPECT_EQ(text_of("(A,B,(C,D));"), "(A:0.5,B:0.5,(C:0.5,D:0.5):0.5);0");
    auto const star = read_text("(A:1,B:1,C:1,D:1);", abcd, how);
    EXPECT_EQ(star.num_limited, 0U) << "the edge that is added was in no file";
    EXPECT_NE(to_newick(star.trees[0], abcd).find("):0.5"), std::string::npos);
}

}  // namespace
}  // namespace regraft::msa
