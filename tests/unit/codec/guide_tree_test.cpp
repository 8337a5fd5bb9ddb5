#include "regraft/codec/guide_tree.hpp"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "support/msa/rooted_trees.hpp"

namespace regraft::codec {
namespace {

using test::mistake_in;

msa::Alignment alignment(std::vector<std::string> const& rows) {
    msa::Alignment out;
    for (auto const& row : rows) {
        out.names.push_back(std::string(1, static_cast<char>('a' + out.names.size())));
        out.cells.insert(out.cells.end(), row.begin(), row.end());
    }
    return out;
}

std::string topology(std::vector<std::string> const& rows, GuideOptions const& options = {}) {
    auto const input = alignment(rows);
    auto const tree = guide_tree(input, options);
    EXPECT_EQ(mistake_in(tree), "");
    return to_newick(tree, input.names);
}

TEST(GuideTree, IsTrivialForOneAndTwoTaxa) {
    EXPECT_EQ(topology({"ACGT"}), "a;");
    EXPECT_EQ(topology({"ACGT", "ACGA"}), "(a,b);");
    EXPECT_EQ(topology({"", ""}), "(a,b);");
}

TEST(GuideTree, GroupsWhatIsAlikeInAnyAlphabet) {
    for (std::vector<std::string> const& rows : std::vector<std::vector<std::string>>{
             {"AAC", "CCG", "AAG", "CCA"}, {"WW-", "KKL", "wwF", "kk-"}, {"000", "112", "002", "11?"}}) {
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            auto const tree = guide_tree(alignment(rows), {.seed = seed});
            EXPECT_EQ(test::splits(tree), (std::set<test::Split>{{1, 3}})) << rows[0];
        }
    }
}

TEST(GuideTree, IsThereWithoutAnySites) {
    EXPECT_EQ(mistake_in(guide_tree(alignment({"", "", "", "", ""}))), "");
    EXPECT_EQ(mistake_in(guide_tree(alignment(std::vector<std::string>(20, "-A")))), "");
}

TEST(GuideTree, DependsOnTheOptions) {
    std::vector<std::string> const rows(8, "A");
    EXPECT_EQ(topology(rows, {.seed = 3}), topology(rows, {.seed = 3}));
    EXPECT_NE(topology(rows, {.seed = 3}), topology(rows, {.seed = 4}));
}

std::vector<std::string> const abcd{"a", "b", "c", "d"};

std::string again(std::string const& text, std::vector<std::string> const& names) {
    auto const tree = guide_tree_from_newick(text, "f", names);
    EXPECT_EQ(mistake_in(tree), "");
    return to_newick(tree, names);
}

TEST(GuideTreeFromNewick, TakesTreesOfAnyNumberOfTaxa) {
    EXPECT_EQ(again("a;", {"a"}), "a;");
    EXPECT_EQ(again("(b:1,a:2);", {"a", "b"}), "(a,b);");
    EXPECT_EQ(again("(b,(a,c));", {"a", "b", "c"}), "(a,b,c);");
}

TEST(GuideTreeFromNewick, KeepsOrResolvesTheTopology) {
    auto const splits = [](std::string const& text) {
        auto const tree = guide_tree_from_newick(text, "f", abcd);
        EXPECT_EQ(mistake_in(tree), "");
        return test::splits(tree);
    };
    EXPECT_EQ(splits("((a,d),(b,c));"), (std::set<test::Split>{{1, 2}}));
    EXPECT_EQ(splits("(b,((a)),(d,c));"), (std::set<test::Split>{{2, 3}}));
    EXPECT_EQ(splits("(a,c,b,d);"), (std::set<test::Split>{{1, 3}}));
}

TEST(GuideTreeFromNewick, SaysWhatIsWrongAndWhere) {
    auto const error = [](std::string const& text, std::vector<std::string> const& names) {
        try {
            guide_tree_from_newick(text, "t.nwk", names);
        } catch (InputError const& e) {
            return std::string(e.what());
        }
        return std::string("no error");
    };
    EXPECT_EQ(error("b;", {"a"}), "t.nwk:1:1: taxon 'b' is not in the alignment");
    EXPECT_EQ(error("(a,a);", {"a", "b"}), "t.nwk:1:4: taxon 'a' is in the tree twice");
    EXPECT_EQ(error("(a);", {"a", "b"}), "t.nwk:1:1: the tree lacks 1 of the 2 taxa: 'b'");
    EXPECT_EQ(error("(a,b,c,e);", abcd), "t.nwk:1:8: taxon 'e' is not in the alignment");
}

TEST(ToNewick, QuotesNamesWhereNeeded) {
    EXPECT_EQ(to_newick(trivial_tree(2), std::vector<std::string>{"it's", "b c"}), "('it''s','b c');");
}

}  // namespace
}  // namespace regraft::codec
