#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/msa/compare.hpp"
#include "regraft/msa/consensus.hpp"
#include "regraft/msa/newick.hpp"
#include "regraft/msa/parsimony.hpp"
#include "regraft/msa/support.hpp"
#include "support/tree_oracle.hpp"

namespace regraft::msa {
namespace {

using test::Taxa;

std::vector<std::string> names(std::uint32_t n) {
    std::vector<std::string> result;
    for (std::uint32_t t = 0; t < n; ++t) result.push_back("t" + std::to_string(t));
    return result;
}

/// A reference and trees near and far from it, of any degrees.
struct Instance {
    explicit Instance(std::uint64_t seed) : random(seed) {
        auto const n = static_cast<std::uint32_t>(3 + (seed < 40 ? seed / 4 : random.below(40)));
        auto binary = random_tree(n, seed);
        for (auto const h : binary.edges()) binary.set_length(h, static_cast<double>(1 + random.below(100)) / 64);
        auto const contraction = random.below(2) == 0 ? 0 : random.unit() / 2;
        reference = test::contracted(to_general(binary).tree, contraction, random);
        auto const num_trees = 1 + random.below(12);
        for (std::uint64_t i = 0; i < num_trees; ++i) {
            auto const tree = test::shaken(binary, static_cast<std::uint32_t>(random.below(n)), random);
            trees.push_back(test::contracted(to_general(tree).tree, contraction, random));
        }
    }
    std::uint32_t num_taxa() const { return reference.num_taxa(); }

    Random random;
    GeneralTree reference;
    std::vector<GeneralTree> trees;
};

constexpr std::uint64_t num_seeds = 120;

TEST(GeneralTrees, AreReadAsTheyWereWritten) {
    for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
        SCOPED_TRACE(seed);
        Instance instance(seed);
        auto const taxa = names(instance.num_taxa());
        std::string text;
        for (auto const& tree : instance.trees) text += to_newick(tree, taxa) + "\n";
        auto const again = parse_general_trees(text, "f", taxa);
        ASSERT_EQ(again.size(), instance.trees.size());
        for (std::size_t i = 0; i < again.size(); ++i) {
            EXPECT_EQ(test::mistake_in(again[i]), "");
            EXPECT_EQ(test::splits(again[i], true), test::splits(instance.trees[i], true));
        }
    }
}

TEST(GeneralTrees, KeepTheirEdgesWhereverTheyHang) {
    for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
        SCOPED_TRACE(seed);
        Instance instance(seed);
        auto const& tree = instance.reference;
        auto node = static_cast<std::uint32_t>(instance.random.below(tree.num_nodes()));
        if (tree.is_tip(node)) node = tree.parent[node];
        auto const hung = hung_up_at(tree, node);
        EXPECT_EQ(test::mistake_in(hung), "");
        EXPECT_EQ(test::splits(hung, true), test::splits(tree, true));
    }
}

TEST(Outgroup, IsCutOffAtTheRootIfAnEdgeDoesThat) {
    for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
        SCOPED_TRACE(seed);
        Instance instance(seed);
        auto const taxa = names(instance.num_taxa());
        for (auto const& [split, length] : test::splits(instance.reference, true)) {
            for (auto const& side : {split, test::complement(split, instance.num_taxa())}) {
                std::vector<std::uint32_t> const outgroup(side.begin(), side.end());
                auto const hung = hung_up_at(instance.reference, outgroup, taxa);
                auto const rest = test::complement(side, instance.num_taxa());
                bool is_child = false;
                for (std::uint32_t v = 1; v < hung.num_nodes(); ++v) {
                    if (hung.parent[v] != 0) continue;
                    auto const below = test::taxa_below(hung, v);
                    is_child |= below == side || (rest.size() == 1 && below == rest);
                }
                EXPECT_TRUE(is_child);
                EXPECT_EQ(test::splits(hung, true), test::splits(instance.reference, true));
            }
        }
    }
}

TEST(Support, IsWhatTheDefinitionsSay) {
    for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
        SCOPED_TRACE(seed);
        Instance const instance(seed);
        auto const n = instance.num_taxa();
        auto const found = edge_support(instance.reference, instance.trees, SupportMetric::felsenstein);
        auto const transfer = edge_support(instance.reference, instance.trees, SupportMetric::transfer);
        std::vector<std::map<Taxa, double>> splits;
        for (auto const& tree : instance.trees) splits.push_back(test::splits(tree, true));
        for (auto const v : inner_edges(instance.reference)) {
            auto const split = test::one_side(test::taxa_below(instance.reference, v), n);
            double num_found = 0;
            double mean_distance = 0;
            for (auto const& of_tree : splits) {
                auto least = std::size_t{n};
                for (auto const& [other, length] : of_tree) least = std::min(least, test::transfers(split, other, n));
                if (least == 0) ++num_found;
                mean_distance += static_cast<double>(least) / static_cast<double>(splits.size());
            }
            auto const p = static_cast<double>(std::min(split.size(), n - split.size()));
            EXPECT_NEAR(found[v], num_found / static_cast<double>(splits.size()), 1e-12);
            EXPECT_NEAR(transfer[v], 1 - mean_distance / (p - 1), 1e-12);
        }
    }
}

TEST(Support, OfBinaryTreesIsThatOfTheirGeneralForms) {
    for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const n = static_cast<std::uint32_t>(3 + random.below(20));
        auto const reference = random_tree(n, seed);
        std::vector<Tree> replicates;
        std::vector<GeneralTree> general;
        for (int i = 0; i < 5; ++i) {
            replicates.push_back(test::shaken(reference, 3, random));
            general.push_back(to_general(replicates.back()).tree);
        }
        auto const [form, node_of_edge] = to_general(reference);
        auto const support = edge_support(reference, replicates, SupportMetric::transfer);
        auto const expected = edge_support(form, general, SupportMetric::transfer);
        auto const edges = reference.edges();
        for (std::size_t i = 0; i < edges.size(); ++i) {
            std::vector<HalfEdge> below;  // the side of the edge that does not have tip 0
            for (auto const side : {edges[i], reference.back(edges[i])}) {
                auto const tips = postorder(reference, side);
                if (std::ranges::find(tips, HalfEdge{0}) == tips.end()) below = tips;
            }
            Taxa taxa;
            for (auto const h : below) {
                if (reference.is_tip(h)) taxa.insert(h);
            }
            EXPECT_EQ(test::one_side(test::taxa_below(form, node_of_edge[i]), n), taxa);
            auto const value = expected[node_of_edge[i]];
            EXPECT_TRUE(support[i] == value || (std::isnan(support[i]) && std::isnan(value)));
        }
    }
}

TEST(RobinsonFoulds, IsTheSymmetricDifference) {
    for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
        SCOPED_TRACE(seed);
        Instance const instance(seed);
        SplitSets sets(instance.num_taxa());
        for (auto const& tree : instance.trees) sets.add(tree);
        auto const first = first_equals(sets);
        for (std::size_t i = 0; i < instance.trees.size(); ++i) {
            auto const distances = robinson_foulds(sets, i);
            auto const splits = test::splits(instance.trees[i]);
            std::size_t first_at_0 = i;
            for (std::size_t j = 0; j < instance.trees.size(); ++j) {
                auto const others = test::splits(instance.trees[j]);
                std::size_t common = 0;
                for (auto const& [split, length] : splits) common += others.count(split);
                EXPECT_EQ(distances[j], splits.size() + others.size() - 2 * common);
                if (distances[j] == 0) first_at_0 = std::min(first_at_0, j);
            }
            EXPECT_EQ(first[i], first_at_0);
        }
    }
}

TEST(Consensus, HasTheSplitsOfTheNaiveOne) {
    for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
        Instance const instance(seed);
        std::vector<std::map<Taxa, double>> splits;
        for (auto const& tree : instance.trees) splits.push_back(test::splits(tree, true));
        for (double const threshold : {extended_majority_rule, 0.3, majority_rule, 0.75, strict_consensus}) {
            SCOPED_TRACE("seed " + std::to_string(seed) + ", threshold " + std::to_string(threshold));
            auto const [tree, support] = consensus(instance.trees, threshold);
            ASSERT_EQ(test::mistake_in(tree), "");
            auto const expected = test::greedy_consensus(instance.trees, threshold);
            EXPECT_EQ(inner_edges(tree).size(), expected.size());
            for (auto const v : inner_edges(tree)) {
                auto const found = expected.find(test::one_side(test::taxa_below(tree, v), instance.num_taxa()));
                ASSERT_NE(found, expected.end());
                auto const count = static_cast<double>(found->second);
                EXPECT_NEAR(support[v], count / static_cast<double>(instance.trees.size()), 1e-12);
            }
            for (auto const& [split, length] : test::splits(tree, true)) {
                double sum = 0;
                double count = 0;
                for (auto const& all : splits) {
                    if (auto const found = all.find(split); found != all.end()) sum += found->second, ++count;
                }
                EXPECT_NEAR(length, sum / count, 1e-12);
            }
        }
    }
}

TEST(Consensus, DoesNotDependOnTheOrderOfTheTrees) {
    for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
        SCOPED_TRACE(seed);
        Instance instance(seed);
        auto const first = consensus(instance.trees, extended_majority_rule).tree;
        shuffle(std::span(instance.trees), instance.random);
        auto const second = consensus(instance.trees, extended_majority_rule).tree;
        EXPECT_EQ(first.parent, second.parent);
        EXPECT_EQ(first.taxon, second.taxon);
    }
}

}  // namespace
}  // namespace regraft::msa
