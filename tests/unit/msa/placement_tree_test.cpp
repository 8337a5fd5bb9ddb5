#include "regraft/msa/placement_tree.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "regraft/core/errors.hpp"
#include "regraft/msa/parsimony.hpp"
#include "support/msa/surveillance.hpp"

namespace regraft::msa {
namespace {

DifferenceRows rows_of(std::string_view text) {
    auto found = read_differences(pieces_of(text));
    return found->rows;
}

/// The rows below each node, without the node itself.
std::vector<std::vector<std::uint32_t>> children_of(PlacementTree const& tree) {
    std::vector<std::vector<std::uint32_t>> children(tree.num_nodes());
    for (std::uint32_t node = 1; node < tree.num_nodes(); ++node) children[tree.parent[node]].push_back(node);
    return children;
}

/// Checks what the header promises.
void expect_tidy(PlacementTree const& tree, DifferenceRows const& rows) {
    auto const children = children_of(tree);
    std::vector<std::uint32_t> lowest(tree.row);
    for (auto node = tree.num_nodes(); node-- > 1;)
        lowest[tree.parent[node]] = std::min(lowest[tree.parent[node]], lowest[node]);
    std::vector<std::uint32_t> found;
    auto const rank = [&](std::uint32_t node) {
        return std::tuple(!tree.is_tip(node) ? 2 : tree.changes[node].empty() ? 0 : 1, lowest[node]);
    };
    for (std::uint32_t node = 0; node < tree.num_nodes(); ++node) {
        EXPECT_TRUE(std::ranges::is_sorted(children[node], {}, rank)) << node;
        EXPECT_TRUE(std::ranges::is_sorted(tree.changes[node], {}, &SiteLetter::site)) << node;
        if (tree.is_tip(node)) {
            EXPECT_TRUE(children[node].empty());
            found.push_back(tree.row[node]);
        } else if (node != 0) {
            EXPECT_GE(children[node].size(), 2U) << node;
            EXPECT_FALSE(tree.changes[node].empty()) << node;
        }
    }
    std::ranges::sort(found);
    ASSERT_EQ(found.size(), rows.num_taxa());
    for (std::uint32_t row = 0; row < found.size(); ++row) EXPECT_EQ(found[row], row);
    EXPECT_EQ(differences_of(tree, rows.reference, rows.runs), rows.differences);
}

TEST(PlacementTree, OfOneRowHasOneTip) {
    auto const rows = rows_of(">a\nACGT\n");
    auto const tree = placement_tree(rows);
    EXPECT_EQ(tree.num_nodes(), 2U);
    expect_tidy(tree, rows);
    EXPECT_EQ(to_newick(tree, rows.names), "a;");
}

TEST(PlacementTree, PutsEqualRowsTogether) {
    auto const rows = rows_of(">a\nAAAAAA\n>b\nAACCAA\n>c\nAAAAAA\n>d\nAACCAA\n>e\nAACCTA\n>f\nAANCAA\n>g\nAAAAAA\n");
    auto const tree = placement_tree(rows);
    expect_tidy(tree, rows);
    // The reference is AAACAA, as f may be.
    EXPECT_EQ(tree.changes.values.size(), 3U);
    EXPECT_EQ(to_newick(tree, rows.names), "(f,(a,c,g),(b,d,e));");
}

TEST(PlacementTree, FindsAChangeBack) {
    // Row h has changed back one of three changes of its clade.
    auto const rows =
        rows_of(">a\nAAAAAAAA\n>b\nAAAAAAAA\n>c\nAAAAAAAA\n>d\nCCCAAAAA\n>e\nCCCAAAAG\n>f\nCCCAAATA\n>h\nCCAAAATA\n");
    auto const tree = placement_tree(rows);
    expect_tidy(tree, rows);
    EXPECT_EQ(tree.changes.values.size(), 6U);
}

TEST(PlacementTree, NeedsHardlyMoreChangesThanAnExactSearch) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        auto const text = test::surveillance_text({.taxa = 250, .sites = 1500, .seed = seed});
        auto const rows = rows_of(text);
        auto const tree = placement_tree(rows);
        expect_tidy(tree, rows);
        auto alignment = parse_alignment(text, "f");
        std::ranges::replace(alignment.cells, '-', 'N');
        // Characters for some bases would be cheaper or dearer in one of the two.
        std::ranges::replace_if(
            alignment.cells, [](char c) { return std::string_view("ACGTN").find(c) == std::string_view::npos; }, 'N');
        ParsimonySites const sites(alignment, character_table(alignment));
        auto const best = parsimony_score(shorten_by_spr(stepwise_addition(sites, 1), sites, {}), sites);
        EXPECT_LE(static_cast<double>(tree.changes.values.size()), 1.02 * static_cast<double>(best) + 2)
            << "seed " << seed;
        // The changes of a tree cannot be fewer than the best tree's, and those of the exact search are nearly that.
        EXPECT_GE(static_cast<double>(tree.changes.values.size()), 0.98 * static_cast<double>(best)) << "seed " << seed;
    }
}

TEST(PlacementTree, HasNoMoreChangesAfterPruningAndPlacingAgain) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        auto const rows = rows_of(test::surveillance_text({.taxa = 600, .sites = 400, .seed = seed}));
        auto const once = placement_tree(rows, {.rounds = 0});
        auto const again = placement_tree(rows, {.rounds = 3});
        expect_tidy(once, rows);
        expect_tidy(again, rows);
        EXPECT_LE(again.changes.values.size(), once.changes.values.size());
    }
}

/// The first rows alone.
DifferenceRows first_rows(DifferenceRows const& rows, std::size_t count) {
    DifferenceRows first{rows.names, rows.letters, rows.reference, {}, {}};
    first.names.resize(count);
    for (std::size_t row = 0; row < count; ++row) {
        first.differences.push_row(rows.differences[row]);
        first.runs.push_row(rows.runs[row]);
    }
    return first;
}

TEST(PlacementTree, IsExtendedByRowsThatItDoesNotHave) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE(seed);
        auto const rows = rows_of(test::surveillance_text({.taxa = 500, .sites = 600, .seed = seed}));
        auto const at_once = placement_tree(rows);
        for (std::size_t const count : {1U, 2U, 250U, 499U, 500U}) {
            auto const tree = extended_tree(placement_tree(first_rows(rows, count)), rows, {.rounds = 0});
            expect_tidy(tree, rows);
            auto const compact = extended_tree(tree, rows);
            expect_tidy(compact, rows);
            EXPECT_LE(compact.changes.values.size(), tree.changes.values.size());
            EXPECT_LE(static_cast<double>(compact.changes.values.size()),
                      1.04 * static_cast<double>(at_once.changes.values.size()) + 1);
        }
    }
}

TEST(PlacementTree, RefusesMoreDifferencesThanAllowed) {
    auto const rows = rows_of(">a\nAAAA\n>b\nAAAA\n>c\nCAAA\n>d\nCACA\n");
    auto const tree = placement_tree(rows);
    EXPECT_NO_THROW(static_cast<void>(differences_of(tree, rows.reference, rows.runs, 3)));
    EXPECT_THROW(static_cast<void>(differences_of(tree, rows.reference, rows.runs, 2)), InputError);
}

#ifdef _OPENMP
TEST(PlacementTree, IsTheSameForAnyNumberOfThreads) {
    auto const rows = rows_of(test::surveillance_text({.taxa = 3000, .sites = 500, .seed = 5}));
    auto const before = omp_get_max_threads();
    std::vector<PlacementTree> trees;
    for (int const threads : {1, 2, 5}) {
        omp_set_num_threads(threads);
        trees.push_back(placement_tree(rows));
    }
    omp_set_num_threads(before);
    EXPECT_EQ(trees[0], trees[1]);
    EXPECT_EQ(trees[0], trees[2]);
}
#endif

}  // namespace
}  // namespace regraft::msa
