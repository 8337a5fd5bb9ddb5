// Concordance factors are compared with their definitions, on sets of taxa.
#include "regraft/msa/concordance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"
#include "regraft/msa/parsimony.hpp"
#include "support/msa/tree_oracle.hpp"

namespace regraft::msa {
namespace {

using test::names;
using test::Taxa;

GeneralTree parse(std::string const& text, std::uint32_t n) {
    return parse_general_trees(text, "f", names(n)).at(0);
}

std::vector<PartialTree> parse_partial(std::string const& text, std::uint32_t n) {
    std::vector<PartialTree> result;
    auto const taxa = names(n);
    for_each_partial_tree(text, "f", taxa, "the tree", [&](PartialTree const& tree) { result.push_back(tree); });
    return result;
}

/// The subtrees at the ends of an edge, by their smallest taxa.
struct Ends {
    std::vector<Taxa> lower;
    std::vector<Taxa> upper;
};

Ends ends_of(GeneralTree const& tree, std::uint32_t edge) {
    Ends ends;
    for (std::uint32_t v = 1; v < tree.num_nodes(); ++v) {
        if (tree.parent[v] == edge) ends.lower.push_back(test::taxa_below(tree, v));
        if (tree.parent[v] == tree.parent[edge] && v != edge) ends.upper.push_back(test::taxa_below(tree, v));
    }
    if (tree.parent[edge] != 0)
        ends.upper.push_back(test::complement(test::taxa_below(tree, tree.parent[edge]), tree.num_taxa()));
    std::ranges::sort(ends.lower);  // sets compare by their smallest elements first
    std::ranges::sort(ends.upper);
    return ends;
}

Taxa united(Taxa a, Taxa const& b) {
    a.insert(b.begin(), b.end());
    return a;
}

Taxa common(Taxa const& a, Taxa const& b) {
    Taxa both;
    std::ranges::set_intersection(a, b, std::inserter(both, both.end()));
    return both;
}

/// Whether the gene tree has the split that a set of the reference's taxa makes of its taxa.
bool has_split(PartialTree const& gene, Taxa const& side) {
    Taxa numbers;
    for (std::uint32_t t = 0; t < gene.taxa.size(); ++t) {
        if (side.contains(gene.taxa[t])) numbers.insert(t);
    }
    return test::splits(gene.tree).contains(test::one_side(numbers, static_cast<std::uint32_t>(gene.taxa.size())));
}

GeneCounts expected_counts(Ends const& ends, std::vector<PartialTree> const& genes) {
    GeneCounts counts;
    for (auto const& gene : genes) {
        Taxa const taxa(gene.taxa.begin(), gene.taxa.end());
        auto const present = [&](std::vector<Taxa> const& subtrees) {
            return std::ranges::count_if(subtrees, [&](Taxa const& subtree) { return !common(subtree, taxa).empty(); });
        };
        if (present(ends.lower) < 2 || present(ends.upper) < 2) continue;
        ++counts.decisive;
        Taxa below;
        for (auto const& subtree : ends.lower) below = united(below, subtree);
        counts.concordant += has_split(gene, below) ? 1 : 0;
        if (ends.lower.size() > 2 || ends.upper.size() > 2) continue;
        for (std::size_t k = 0; k < 2; ++k)
            counts.alternative[k] += has_split(gene, united(ends.lower[0], ends.upper[k])) ? 1 : 0;
    }
    return counts;
}

/// A tree without some of its taxa, as text.
std::string without(GeneralTree const& tree, Taxa const& missing) {
    auto const children = tree.children();
    auto const text = [&](auto const& self, std::uint32_t v) -> std::string {
        if (tree.is_tip(v)) return missing.contains(tree.taxon[v]) ? "" : "t" + std::to_string(tree.taxon[v]);
        std::string inside;
        for (auto const child : children[v]) {
            auto const part = self(self, child);
            if (!part.empty()) inside += (inside.empty() ? "" : ",") + part;
        }
        return inside.empty() ? "" : "(" + inside + ")";
    };
    return text(text, 0) + ";\n";
}

TEST(GeneConcordanceProperty, IsWhatTheDefinitionsSay) {
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const n = static_cast<std::uint32_t>(4 + random.below(seed < 50 ? 4 : 20));
        auto const binary = random_tree(n, seed);
        auto const reference =
            test::contracted(to_general(binary).tree, random.below(3) == 0 ? random.unit() / 2 : 0, random);
        std::string text;
        auto const num_genes = 1 + random.below(10);
        for (std::uint64_t i = 0; i < num_genes; ++i) {
            auto const tree = test::shaken(binary, static_cast<std::uint32_t>(random.below(n)), random);
            auto const gene = test::contracted(to_general(tree).tree, random.below(2) == 0 ? 0 : 0.3, random);
            Taxa missing;
            auto const num_missing = random.below(2) == 0 ? 0 : random.below(n);
            while (missing.size() < num_missing) missing.insert(static_cast<std::uint32_t>(random.below(n)));
            text += without(gene, missing);
        }
        auto const genes = parse_partial(text, n);
        ASSERT_EQ(genes.size(), num_genes);
        GeneConcordance found(reference);
        for (auto const& gene : genes) found.add(gene);
        EXPECT_EQ(found.num_trees(), num_genes);
        auto const edges = inner_edges(reference);
        ASSERT_EQ(found.counts().size(), edges.size());
        for (std::size_t i = 0; i < edges.size(); ++i) {
            SCOPED_TRACE(testing::Message() << "edge " << i);
            auto const expected = expected_counts(ends_of(reference, edges[i]), genes);
            auto const& counts = found.counts()[i];
            EXPECT_EQ(counts.decisive, expected.decisive);
            EXPECT_EQ(counts.concordant, expected.concordant);
            EXPECT_EQ(counts.alternative, expected.alternative);
        }
    }
}

TEST(GeneConcordance, CountsOnlyDecisiveTrees) {
    auto const reference = parse("((t0,t1),(t2,t3),t4);", 5);
    GeneConcordance found(reference);
    std::string const text =
        "((t0,t1),(t2,t3),t4);"  // has both edges
        "((t0,t2),(t1,t3),t4);"  // has neither
        "(t0,t1,t2,t3,t4);"      // is decisive although it decides nothing
        "((t0,t1),(t2,t3));"     // lacks t4, which has t2 or t3 at its side
        "((t0,t1),t2,t4);"       // decides about one edge
        "(t0,t1,t2);(t0,t1);";   // too small for any
    for (auto const& gene : parse_partial(text, 5)) found.add(gene);
    EXPECT_EQ(found.num_trees(), 7u);
    for (auto const v : {0U, 1U}) {
        auto const edge = inner_edges(reference)[v];
        bool const is_of_01 = test::one_side(test::taxa_below(reference, edge), 5) == Taxa{2, 3, 4};
        auto const& counts = found.counts()[v];
        EXPECT_EQ(counts.decisive, is_of_01 ? 4u : 3u);
        EXPECT_EQ(counts.concordant, is_of_01 ? 2u : 1u);
    }
}

TEST(PartialTrees, KeepTheirTaxaAndRefuseOthers) {
    auto const trees = parse_partial("((t4:1,t1:2):3,t0:4,(t3,t5));\n(t2,t5,t4);(t1,t0);", 6);
    ASSERT_EQ(trees.size(), 3u);
    EXPECT_EQ(trees[0].taxa, (std::vector<std::uint32_t>{0, 1, 3, 4, 5}));
    EXPECT_EQ(test::mistake_in(trees[0].tree), "");
    EXPECT_TRUE(has_split(trees[0], {1, 4}));
    EXPECT_TRUE(has_split(trees[0], {3, 5}));
    EXPECT_EQ(trees[1].taxa, (std::vector<std::uint32_t>{2, 4, 5}));
    EXPECT_EQ(trees[2].taxa, (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(trees[2].tree.num_nodes(), 0u);
    for (auto const& [text, says] : {std::pair("(t0,t1,t2);\n(t0,t9,t1);", "f:2:5: taxon 't9' is not in the tree"),
                                     std::pair("(t0,t1,t0);", "f:1:8: taxon 't0' is in the tree twice"),
                                     std::pair("(t0,t1", "f:1:1: this '(' is never closed")}) {
        try {
            parse_partial(text, 6);
            ADD_FAILURE() << text;
        } catch (InputError const& error) {
            EXPECT_EQ(std::string(error.what()), says);
        }
    }
}

std::vector<std::vector<StateMask>> random_rows(std::uint32_t n, std::size_t num_sites, std::uint32_t num_states,
                                                Random& random) {
    std::vector<std::vector<StateMask>> rows(n);
    for (std::size_t site = 0; site < num_sites; ++site) {
        auto const common = random.below(num_states);
        for (auto& row : rows) {
            auto const state = random.below(2) == 0 ? common : random.below(num_states);
            auto const unknown = random.below(8);
            row.push_back(unknown == 0   ? all_states(num_states)
                          : unknown == 1 ? StateMask{1} << state | StateMask{1} << common
                                         : StateMask{1} << state);
        }
    }
    return rows;
}

std::array<std::uint64_t, 3> expected_pairings(std::vector<std::vector<StateMask>> const& rows,
                                               std::array<std::uint32_t, 4> const& quartet) {
    std::array<std::uint64_t, 3> count{};
    for (std::size_t site = 0; site < rows[0].size(); ++site) {
        std::vector<StateMask> x;
        bool known = true;
        for (auto const t : quartet) {
            x.push_back(rows[t][site]);
            known = known && x.back() != 0 && (x.back() & (x.back() - 1)) == 0;
        }
        if (!known) continue;
        if (x[0] == x[1] && x[2] == x[3] && x[0] != x[2]) ++count[0];
        if (x[0] == x[2] && x[1] == x[3] && x[0] != x[1]) ++count[1];
        if (x[0] == x[3] && x[1] == x[2] && x[0] != x[1]) ++count[2];
    }
    return count;
}

TEST(SiteConcordanceProperty, CountsThePairingsOfQuartets) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const num_states = static_cast<std::uint32_t>(1 + random.below(seed < 50 ? 5 : 32));
        auto const rows = random_rows(6, random.below(200), num_states, random);
        SiteStates const states(rows);
        for (int trial = 0; trial < 10; ++trial) {
            std::array<std::uint32_t, 6> taxa{0, 1, 2, 3, 4, 5};
            shuffle(std::span<std::uint32_t>(taxa), random);
            std::array const quartet{taxa[0], taxa[1], taxa[2], taxa[3]};
            EXPECT_EQ(states.pairings(quartet), expected_pairings(rows, quartet));
        }
    }
}

TEST(SiteConcordanceProperty, ApproachesTheMeanOverAllQuartets) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const n = static_cast<std::uint32_t>(4 + random.below(6));
        auto const reference = test::contracted(to_general(random_tree(n, seed)).tree, seed % 3 == 0 ? 0.4 : 0, random);
        auto const rows = random_rows(n, 60, 4, random);
        constexpr std::uint32_t quartets = 20'000;
        auto const found = site_concordance(reference, SiteStates(rows), {quartets, seed});
        auto const edges = inner_edges(reference);
        ASSERT_EQ(found.size(), edges.size());
        for (std::size_t i = 0; i < edges.size(); ++i) {
            auto const ends = ends_of(reference, edges[i]);
            std::array<double, 3> share{};
            std::array<double, 3> sites{};
            double weight = 0;
            auto const for_pairs = [&](std::vector<Taxa> const& subtrees, auto f) {
                for (std::size_t a = 0; a < subtrees.size(); ++a) {
                    for (std::size_t b = 0; b < subtrees.size(); ++b) {
                        if (a == b || (subtrees.size() == 2 && a > b)) continue;
                        auto const chance = 1.0 / static_cast<double>(subtrees[a].size() * subtrees[b].size());
                        for (auto const x : subtrees[a]) {
                            for (auto const y : subtrees[b]) f(x, y, chance);
                        }
                    }
                }
            };
            for_pairs(ends.lower, [&](std::uint32_t a, std::uint32_t b, double lower) {
                for_pairs(ends.upper, [&](std::uint32_t c, std::uint32_t d, double upper) {
                    auto const count = expected_pairings(rows, {a, b, c, d});
                    auto const all = static_cast<double>(count[0] + count[1] + count[2]);
                    weight += lower * upper;
                    for (std::size_t k = 0; k < 3; ++k) {
                        if (all > 0) share[k] += lower * upper * static_cast<double>(count[k]) / all;
                        sites[k] += lower * upper * static_cast<double>(count[k]);
                    }
                });
            });
            for (std::size_t k = 0; k < 3; ++k) {
                EXPECT_NEAR(found[i].share[k], share[k] / weight, 5 * 0.5 / std::sqrt(quartets));
                EXPECT_NEAR(found[i].sites[k], sites[k] / weight, 5 * 8 / std::sqrt(quartets));
            }
        }
        if (edges.empty()) continue;
        EXPECT_EQ(found[0].share, site_concordance(reference, SiteStates(rows), {quartets, seed})[0].share);
    }
}

TEST(SiteConcordance, OfFourTaxaIsExact) {
    auto const tree = parse("((t0,t1),t2,t3);", 4);
    //                       012345678
    std::array const text{"AACAGA-RA", "AACCTA-AC", "CCAAGGCCC", "CCACTGCCA"};
    std::vector<std::vector<StateMask>> rows;
    for (auto const* row : text) {
        rows.emplace_back();
        for (auto const* c = row; *c != 0; ++c) rows.back().push_back(state_mask(Alphabet::dna, *c));
    }
    auto const found = site_concordance(tree, SiteStates(rows), {10, 1}).at(0);
    EXPECT_EQ(found.sites, (std::array{4.0, 2.0, 1.0}));  // 0 1 2 5, 3 4, 8
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found.share[k], found.sites[k] / 7, 1e-15);
    EXPECT_EQ(found.decisive, 10u);
}

TEST(SiteConcordance, OfEqualSequencesIsNone) {
    auto const tree = parse("((t0,t1),t2,(t3,t4));", 5);
    std::vector<std::vector<StateMask>> const rows(5, {1, 2, 15, 0});
    for (auto const& factors : site_concordance(tree, SiteStates(rows), {5, 1})) {
        EXPECT_EQ(factors.share, (std::array{0.0, 0.0, 0.0}));
        EXPECT_EQ(factors.decisive, 0u);
    }
}

}  // namespace
}  // namespace regraft::msa
