#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "regraft/msa/compare.hpp"
#include "regraft/msa/consensus.hpp"
#include "regraft/msa/convergence.hpp"
#include "regraft/msa/newick.hpp"
#include "regraft/msa/parsimony.hpp"
#include "regraft/msa/support.hpp"
#include "support/msa/tree_oracle.hpp"
#include "support/mutated.hpp"

namespace regraft::msa {
namespace {

using test::names;
using test::Taxa;

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

/// The relative distance of two halves, by definition. Equally frequent splits go by `order`.
double halves_distance(std::vector<GeneralTree> const& trees, std::vector<bool> const& is_first,
                       std::map<Taxa, SplitId> const& order) {
    std::map<Taxa, std::size_t> counts[2];
    for (std::size_t i = 0; i < trees.size(); ++i) {
        for (auto const& [split, length] : test::splits(trees[i])) ++counts[is_first[i] ? 0 : 1][split];
    }
    std::map<Taxa, std::size_t> consensus[2];
    for (int half = 0; half < 2; ++half) {
        std::vector<std::pair<Taxa, std::size_t>> all(counts[half].begin(), counts[half].end());
        std::ranges::sort(all, [&](auto const& a, auto const& b) {
            return a.second != b.second ? a.second > b.second : order.at(a.first) < order.at(b.first);
        });
        for (auto const& [split, count] : all) {
            bool fits = true;
            for (auto const& [other, c] : consensus[half]) fits = fits && test::are_compatible(split, other);
            if (fits) consensus[half][split] = count;
        }
    }
    double distance = 0;
    for (auto const& [split, count] : consensus[0]) {
        auto const other = consensus[1].find(split);
        distance += std::abs(static_cast<double>(count) -
                             (other == consensus[1].end() ? 0. : static_cast<double>(other->second)));
    }
    for (auto const& [split, count] : consensus[1])
        distance += consensus[0].contains(split) ? 0. : static_cast<double>(count);
    auto const num_splits = static_cast<double>(consensus[0].size() + consensus[1].size());
    return num_splits == 0 ? 0 : distance / (num_splits * static_cast<double>(trees.size()) / 2);
}

TEST(Convergence, IsTheMeanOverAllHalvings) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const n = static_cast<std::uint32_t>(4 + random.below(6));
        auto const base = random_tree(n, seed);
        std::vector<GeneralTree> trees;
        SplitSets sets(n);
        std::map<Taxa, SplitId> order;
        for (int i = 0; i < 6; ++i) {
            trees.push_back(to_general(test::shaken(base, static_cast<std::uint32_t>(random.below(4)), random)).tree);
            sets.add(trees.back());
            auto const edges = inner_edges(trees.back());
            for (std::size_t k = 0; k < edges.size(); ++k) {
                order[test::one_side(test::taxa_below(trees.back(), edges[k]), n)] = sets[sets.size() - 1][k];
            }
        }
        std::vector<bool> is_first{false, false, false, true, true, true};
        double sum = 0;
        double close = 0;
        do {
            auto const distance = halves_distance(trees, is_first, order);
            sum += distance;
            if (distance <= 0.2 + 1e-12) ++close;
        } while (std::next_permutation(is_first.begin(), is_first.end()));
        constexpr double num_halvings = 20;
        constexpr std::uint32_t permutations = 8000;
        auto const result = convergence(sets, {.cutoff = 0.2 + 1e-12, .permutations = permutations, .seed = seed});
        auto const five_sigma = 5 * 0.5 / std::sqrt(permutations);
        EXPECT_NEAR(result.mean_distance, sum / num_halvings, five_sigma);
        EXPECT_NEAR(result.num_close / static_cast<double>(permutations), close / num_halvings, five_sigma);
    }
}

TEST(NamedTrees, AreRefusedOrReadWellWhateverTheTextIs) {
    std::size_t num_read = 0;
    for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const text = test::mutated("((a:1,'b c':2)99:.5,c[x],(d,(e:1e-2,f)));\n(a,('b c',c,d):3,(e,f));\n",
                                        "()[]':;,+-.e1abcdef \n\r\t\\\"", random);
        try {
            auto const [taxa, trees] = parse_named_trees(text, "f");
            std::string again;
            for (auto const& tree : trees) {
                EXPECT_EQ(test::mistake_in(tree), "");
                again += to_newick(tree, taxa);
            }
            auto const reread = parse_named_trees(again, "f");
            EXPECT_EQ(reread.taxa, taxa);
            ASSERT_EQ(reread.trees.size(), trees.size());
            for (std::size_t i = 0; i < trees.size(); ++i)
                EXPECT_EQ(to_newick(reread.trees[i], taxa), to_newick(trees[i], taxa));
            ++num_read;
        } catch (InputError const& error) {
            EXPECT_EQ(std::string(error.what()).substr(0, 2), "f:");
        }
    }
    EXPECT_GT(num_read, 100u);
    EXPECT_LT(num_read, 9900u);
}

}  // namespace
}  // namespace regraft::msa
