#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/codec/binary_newick.hpp"
#include "regraft/codec/guide_tree.hpp"
#include "regraft/codec/rooted_tree.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"
#include "regraft/msa/parsimony.hpp"
#include "support/msa/rooted_trees.hpp"

namespace regraft::codec {
namespace {

using test::mistake_in;

std::vector<std::uint32_t> shuffled_rows(std::uint32_t n, Random& random) {
    std::vector<std::uint32_t> rows(n);
    std::iota(rows.begin(), rows.end(), 0);
    shuffle(std::span(rows), random);
    return rows;
}

std::vector<std::string> numbered_names(std::uint32_t n) {
    std::vector<std::string> names;
    for (std::uint32_t t = 0; t < n; ++t) names.push_back("taxon " + std::to_string(t));
    return names;
}

/// Calls visit with every unrooted binary tree of n labelled tips: (2n - 5)!! of them.
void for_all_trees(std::uint32_t n, std::function<void(msa::Tree const&)> const& visit) {
    auto const grow = [&](auto const& self, msa::Tree const& tree, std::uint32_t num_tips) -> void {
        if (num_tips == n) return visit(tree);
        auto const h = tree.half_edge(n + num_tips - 2);
        for (auto edge : tree.edges()) {
            auto larger = tree;
            larger.connect(h, num_tips);
            larger.regraft(h, edge);
            self(self, larger, num_tips + 1);
        }
    };
    msa::Tree smallest(n);
    for (std::uint32_t t = 0; t < 3; ++t) smallest.connect(t, smallest.half_edge(n) + t);
    grow(grow, smallest, 3);
}

/// The splits of an unrooted tree, by walking from each edge.
std::set<test::Split> splits(msa::Tree const& tree) {
    std::set<test::Split> found;
    for (auto edge : tree.edges()) {
        std::vector<bool> side(tree.num_tips());
        std::vector<msa::HalfEdge> open{edge};
        while (!open.empty()) {
            auto const h = open.back();
            open.pop_back();
            if (tree.is_tip(h)) {
                side[h] = true;
                continue;
            }
            open.push_back(tree.back(tree.next(h)));
            open.push_back(tree.back(tree.next(tree.next(h))));
        }
        test::Split split;
        for (std::uint32_t t = 0; t < tree.num_tips(); ++t) {
            if (side[t] != side[0]) split.push_back(t);
        }
        if (split.size() > 1 && split.size() + 1 < tree.num_tips()) found.insert(split);
    }
    return found;
}

/// The tips below each child of the root: none has more than half of all.
bool root_is_in_the_middle(RootedTree const& tree) {
    for (std::uint32_t v = 1; v < tree.num_nodes(); ++v) {
        if (tree.parent[v] == 0 && 2 * (tree.last_tip[v] - tree.first_tip[v]) > tree.num_tips()) return false;
    }
    return true;
}

/// Siblings come in order of size.
bool small_siblings_come_first(RootedTree const& tree) {
    std::vector<std::uint32_t> largest(tree.num_nodes());  // per node: tips of its last child so far
    for (std::uint32_t v = 1; v < tree.num_nodes(); ++v) {
        auto const size = tree.last_tip[v] - tree.first_tip[v];
        if (size < largest[tree.parent[v]]) return false;
        largest[tree.parent[v]] = size;
    }
    return true;
}

void expect_hung_up_well(msa::Tree const& tree) {
    auto const hung = hang_up(tree);
    EXPECT_EQ(mistake_in(hung), "");
    EXPECT_TRUE(root_is_in_the_middle(hung));
    EXPECT_TRUE(small_siblings_come_first(hung));
    EXPECT_EQ(test::splits(hung), splits(tree));
    EXPECT_EQ(decode_topology(encode_topology(hung), hung.row_of_tip), hung);
    auto const names = numbered_names(tree.num_tips());
    auto const again = guide_tree_from_newick(to_newick(hung, names), "f", names);
    EXPECT_EQ(mistake_in(again), "");
    EXPECT_EQ(test::splits(again), splits(tree));
}

TEST(TopologyProperty, EverySmallTreeIsHungUpAndComesBackFromItsBits) {
    std::uint32_t num_trees = 1;
    for (std::uint32_t n = 3; n <= 7; ++n) {
        SCOPED_TRACE(n);
        num_trees *= n > 3 ? 2 * n - 5 : 1;
        std::uint32_t seen = 0;
        for_all_trees(n, [&](msa::Tree const& tree) {
            expect_hung_up_well(tree);
            ++seen;
        });
        EXPECT_EQ(seen, num_trees);
    }
}

TEST(TopologyProperty, RandomTreesAreHungUpAndComeBackFromTheirBits) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        expect_hung_up_well(msa::random_tree(static_cast<std::uint32_t>(8 + seed), seed));
    }
}

/// The number of trees with each number of tips, if tips have no names and come before their inner siblings, which
/// have an order.
std::vector<std::uint64_t> count_ordered_trees(std::uint32_t most_tips) {
    std::vector<std::uint64_t> inner(most_tips + 1);  // subtrees that are no tips
    auto const pairs = [&](std::uint32_t n) {
        std::uint64_t sum = 0;
        for (std::uint32_t i = 1; i < n; ++i) sum += inner[i] * inner[n - i];
        return sum;
    };
    for (std::uint32_t n = 2; n <= most_tips; ++n) inner[n] = (n == 2 ? 1 : 0) + inner[n - 1] + pairs(n);
    std::vector<std::uint64_t> trees(most_tips + 1);
    for (std::uint32_t n = 3; n <= most_tips; ++n) {
        trees[n] = (n == 3 ? 1 : 0) + inner[n - 2] + pairs(n - 1);
        for (std::uint32_t i = 1; i < n; ++i) trees[n] += inner[i] * pairs(n - i);
    }
    return trees;
}

/// All bit strings: each is an error, or exactly what encoding its tree gives. So a damaged topology is an error
/// or another tree.
TEST(TopologyProperty, AllBitsAreATreeOfTheirOwnOrAnError) {
    auto const expected = count_ordered_trees(10);
    for (std::uint32_t n = 3; n <= 10; ++n) {
        SCOPED_TRACE(n);
        Random random(n);
        auto const rows = shuffled_rows(n, random);
        std::uint64_t num_trees = 0;
        for (std::uint64_t bits = 0; bits < std::uint64_t{1} << (2 * n - 4); ++bits) {
            std::vector<std::byte> topology;
            for (std::size_t i = 0; i < topology_bytes(n); ++i) {
                topology.push_back(static_cast<std::byte>(bits >> 8 * i & 0xff));
            }
            try {
                auto const tree = decode_topology(topology, rows);
                ++num_trees;
                ASSERT_EQ(mistake_in(tree), "") << bits;
                ASSERT_EQ(tree.row_of_tip, rows);
                ASSERT_EQ(encode_topology(tree), topology) << bits;
            } catch (InputError const&) {
            }
        }
        EXPECT_EQ(num_trees, expected[n]);
    }
}

TEST(TopologyProperty, DamagedBytesAreAnotherTreeOrAnError) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        SCOPED_TRACE(seed);
        auto const n = static_cast<std::uint32_t>(3 + 2 * seed);
        auto const tree = hang_up(msa::random_tree(n, seed));
        auto const topology = encode_topology(tree);
        for (std::size_t bit = 0; bit < 8 * topology.size(); ++bit) {
            auto flipped = topology;
            flipped[bit / 8] ^= std::byte{1} << bit % 8;
            // One bit more or less opened than closed.
            EXPECT_THROW(decode_topology(flipped, tree.row_of_tip), InputError);
            auto swapped = topology;
            for (auto i : {bit, (bit + 7) % (8 * topology.size())}) swapped[i / 8] ^= std::byte{1} << i % 8;
            try {
                auto const other = decode_topology(swapped, tree.row_of_tip);
                EXPECT_EQ(mistake_in(other), "");
                EXPECT_EQ(encode_topology(other), swapped);
            } catch (InputError const&) {
            }
        }
        for (std::size_t size = 0; size < topology.size(); ++size) {
            EXPECT_THROW(decode_topology(std::span(topology).first(size), tree.row_of_tip), InputError);
        }
    }
}

}  // namespace
}  // namespace regraft::codec
