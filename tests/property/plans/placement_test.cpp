#include "regraft/placement/placement.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/node_aware.hpp"
#include "regraft/placement/pairwise.hpp"
#include "regraft/placement/permutation.hpp"
#include "regraft/placement/permuted.hpp"
#include "regraft/placement/uneven.hpp"
#include "support/plans/placement_checks.hpp"

namespace regraft::placement {
namespace {

using test::holders;
using test::is_sound;
using test::loads;
using test::spread;

/// How far counts are from all being equally likely, in standard deviations of Pearson's chi-square: up to about 4 for
/// honest dice, and hundreds of tests.
double surprise(std::vector<std::uint64_t> const& counts) {
    if (counts.size() < 2) return 0;
    auto const trials = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    auto const expected = static_cast<double>(trials) / static_cast<double>(counts.size());
    double chi_square = 0;
    for (auto const count : counts) chi_square += std::pow(static_cast<double>(count) - expected, 2) / expected;
    auto const freedom = static_cast<double>(counts.size() - 1);
    return (chi_square - freedom) / std::sqrt(2 * freedom);
}

struct Case {
    std::uint64_t num_blocks = 0;
    std::uint32_t num_slots = 0;
    std::uint32_t replicas = 0;
    RangeOptions options;
};

Case random_case(std::uint64_t seed) {
    Random random(seed);
    Case c;
    c.num_slots = static_cast<std::uint32_t>(1 + random.below(2 + seed / 25));
    c.replicas =
        static_cast<std::uint32_t>(1 + random.below(std::min<std::uint64_t>(c.num_slots, 1 + random.below(7))));
    c.num_blocks = random.below(1 + seed / 4);
    c.options.range_blocks = random.below(4) == 0 ? 0 : 1 + random.below(1 + random.below(20));
    if (random.below(3) == 0) c.options.seed = {};
    if (c.options.seed) c.options.seed = random.bits();
    return c;
}

std::uint64_t length_of_range(Case const& c, std::uint64_t num_ranges) {
    return num_ranges == 0 ? 1 : (c.num_blocks + num_ranges - 1) / num_ranges;
}

TEST(PlacementProperty, AllRulesAreSound) {
    for (std::uint64_t seed = 0; seed < 700; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto const c = random_case(seed);
        ASSERT_TRUE(is_sound(Permuted(c.num_blocks, c.num_slots, c.replicas, c.options)));
        ASSERT_TRUE(is_sound(Pairwise(c.num_blocks, c.num_slots, c.replicas)));
        ASSERT_TRUE(is_sound(ModK(c.num_blocks, c.num_slots, c.replicas, {.seed = c.options.seed})));
    }
}

/// A random rule over as many blocks as slots.
Any random_partners(Case const& c, Random& random) {
    switch (random.below(4)) {
        case 0:
            return Pairwise(c.num_slots, c.num_slots, c.replicas);
        case 1:
            return Permuted(c.num_slots, c.num_slots, c.replicas, c.options);
        case 2:
            return ModK(c.num_slots, c.num_slots, c.replicas, {.seed = c.options.seed});
        default: {
            std::vector<std::uint32_t> node_of;
            for (std::uint32_t s = 0; s < c.num_slots; ++s)
                node_of.push_back(static_cast<std::uint32_t>(random.below(4)));
            return NodeAware(c.num_slots, node_of, c.replicas, c.options);
        }
    }
}

TEST(UnevenProperty, IsSoundForAnyPartners) {
    for (std::uint64_t seed = 0; seed < 700; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto const c = random_case(seed);
        Random random(seed);
        std::vector<std::uint64_t> sizes;
        for (std::uint32_t s = 0; s < c.num_slots; ++s) sizes.push_back(random.below(3) * random.below(6));
        ASSERT_TRUE(is_sound(Uneven(sizes, random_partners(c, random))));
    }
}

TEST(UnevenProperty, KeepsPartsAtHomeAndWithThePartnersOfTheirSlot) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto const c = random_case(seed);
        Random random(seed);
        auto const partners = random_partners(c, random);
        std::vector<std::uint64_t> sizes;
        for (std::uint32_t s = 0; s < c.num_slots; ++s) sizes.push_back(random.below(5));
        Uneven const rule(sizes, partners);
        std::uint64_t block = 0;
        for (std::uint32_t s = 0; s < c.num_slots; ++s) {
            auto right = holders(partners, BlockId{s});
            std::erase(right, Slot{s});
            right.insert(right.begin(), Slot{s});
            for (std::uint64_t i = 0; i < sizes[s]; ++i, ++block) {
                ASSERT_EQ(holders(rule, BlockId{block}), right);
                ASSERT_EQ(rule.run(BlockId{block}).size(), sizes[s]);
            }
        }
        ASSERT_EQ(rule.shape().num_blocks, block);
    }
}

TEST(UnevenProperty, IsPairwiseIfPartsAreEven) {
    for (std::uint32_t slots = 1; slots < 12; ++slots) {
        for (std::uint32_t replicas = 1; replicas <= slots; ++replicas) {
            std::vector<std::uint64_t> const sizes(slots, 3);
            Uneven const uneven(sizes, Pairwise(slots, slots, replicas));
            Pairwise const pairwise(3 * slots, slots, replicas);
            for (std::uint64_t b = 0; b < 3 * slots; ++b)
                ASSERT_EQ(holders(uneven, BlockId{b}), holders(pairwise, BlockId{b}));
            for (std::uint32_t s = 0; s < slots; ++s) ASSERT_EQ(uneven.num_held(Slot{s}), pairwise.num_held(Slot{s}));
        }
    }
}

TEST(PlacementProperty, PermutedFollowsTheFormulaOfReStore) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto c = random_case(seed);
        c.options = {.range_blocks = 1 + seed % 5, .seed = seed};
        auto const num_ranges = c.num_slots * (1 + seed % 4);  // parts are equal: no matter how they are rounded
        c.num_blocks = num_ranges * c.options.range_blocks - seed % c.options.range_blocks;
        Permuted const rule(c.num_blocks, c.num_slots, c.replicas, c.options);
        ASSERT_EQ(rule.num_ranges(), num_ranges);
        RandomPermutation const pi(num_ranges, seed);
        for (std::uint64_t b = 0; b < c.num_blocks; ++b) {
            auto const position = pi(b / c.options.range_blocks);
            for (std::uint64_t k = 0; k < c.replicas; ++k) {
                auto const slot = (position * c.num_slots / num_ranges + k * c.num_slots / c.replicas) % c.num_slots;
                ASSERT_EQ(value(rule.holder(BlockId{b}, static_cast<std::uint32_t>(k))), slot);
            }
        }
    }
}

TEST(PlacementProperty, PairwiseKeepsEvenPartsAtEvenDistances) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto const c = random_case(seed);
        Pairwise const pairwise(c.num_blocks, c.num_slots, c.replicas);
        for (std::uint64_t home = 0; home < c.num_slots; ++home) {
            auto const part = even_part<BlockId>(c.num_blocks, home, c.num_slots);
            for (auto b = value(part.first); b < value(part.last); ++b) {
                ASSERT_EQ(pairwise.run(BlockId{b}), part);
                for (std::uint64_t k = 0; k < c.replicas; ++k) {
                    auto const slot = (home + k * c.num_slots / c.replicas) % c.num_slots;
                    ASSERT_EQ(value(pairwise.holder(BlockId{b}, static_cast<std::uint32_t>(k))), slot);
                }
            }
        }
    }
}

TEST(PlacementProperty, SlotsHaveEqualLoadsButForOneRangePerCopy) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto const c = random_case(seed);
        Permuted const rule(c.num_blocks, c.num_slots, c.replicas, c.options);
        auto const range = c.options.range_blocks > 0 ? c.options.range_blocks : length_of_range(c, rule.num_ranges());
        // The short last range may be missing from any of the copies.
        ASSERT_LE(spread(loads(rule)), (c.replicas + 1) * range);
        ASSERT_LE(spread(loads(Pairwise(c.num_blocks, c.num_slots, c.replicas))), c.replicas);
    }
}

/// Nodes of random sizes whose slots are anywhere; sizes are alike, mixed, or one is huge.
std::vector<std::uint32_t> random_nodes(std::uint32_t num_nodes, Random& random) {
    auto const style = random.below(3);
    auto const common = 1 + random.below(4);
    std::vector<std::uint32_t> node_of;
    for (std::uint32_t node = 0; node < num_nodes; ++node) {
        auto size = style == 0 ? common : 1 + random.below(5);
        if (style == 2 && node == 0) size += random.below(20);
        node_of.insert(node_of.end(), size, node * 1000);
    }
    if (random.below(2) == 0) shuffle(std::span(node_of), random);
    return node_of;
}

struct NodeCase {
    std::vector<std::uint32_t> node_of;
    std::map<std::uint32_t, std::uint64_t> sizes;
    std::uint32_t replicas = 0;
    std::uint64_t num_blocks = 0;
    RangeOptions options;
};

NodeCase random_node_case(std::uint64_t seed) {
    Random random(seed);
    NodeCase c;
    c.node_of =
        random_nodes(static_cast<std::uint32_t>(1 + random.below(2 + std::min<std::uint64_t>(7, seed / 40))), random);
    for (auto const node : c.node_of) ++c.sizes[node];
    c.replicas = static_cast<std::uint32_t>(1 + random.below(std::min<std::uint64_t>(c.node_of.size(), 6)));
    c.num_blocks = random.below(1 + seed / 4);
    c.options.range_blocks = random.below(4) == 0 ? 0 : 1 + random.below(1 + random.below(6));
    if (random.below(2) == 0) {
        c.options.seed = {};
    } else {
        c.options.seed = random.bits();
    }
    return c;
}

TEST(NodeAwareProperty, IsSound) {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto const c = random_node_case(seed);
        ASSERT_TRUE(is_sound(NodeAware(c.num_blocks, c.node_of, c.replicas, c.options)));
    }
}

TEST(NodeAwareProperty, LosesNothingWithFewerNodesThanCopiesAreOn) {
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto const c = random_node_case(seed);
        NodeAware const rule(c.num_blocks, c.node_of, c.replicas, c.options);
        std::vector<std::uint32_t> nodes;
        for (auto const& [node, size] : c.sizes) nodes.push_back(node);
        auto const bearable = std::min<std::size_t>(c.replicas, nodes.size()) - 1;
        for (std::uint32_t set = 0; set < 1U << nodes.size(); ++set) {
            std::set<std::uint32_t> dead;
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                if ((set >> i & 1) != 0) dead.insert(nodes[i]);
            }
            if (dead.size() > bearable) continue;
            for (std::uint64_t b = 0; b < c.num_blocks; ++b) {
                auto const slots = holders(rule, BlockId{b});
                ASSERT_TRUE(std::any_of(slots.begin(), slots.end(),
                                        [&](Slot slot) { return !dead.contains(c.node_of[value(slot)]); }))
                    << "block " << b << " is lost";
            }
        }
    }
}

/// The number of copies on each node if all nodes with a free slot get one in turn until less than a whole turn is
/// left.
std::map<std::uint32_t, std::uint64_t> whole_turns(NodeCase const& c) {
    std::map<std::uint32_t, std::uint64_t> copies;
    auto left = c.replicas;
    for (;;) {
        std::vector<std::uint32_t> takers;
        for (auto const& [node, size] : c.sizes) {
            if (copies[node] < size) takers.push_back(node);
        }
        if (takers.empty() || takers.size() > left) return copies;
        for (auto const node : takers) ++copies[node];
        left -= static_cast<std::uint32_t>(takers.size());
    }
}

TEST(NodeAwareProperty, UsesNodesInTurn) {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto const c = random_node_case(seed);
        NodeAware const rule(c.num_blocks, c.node_of, c.replicas, c.options);
        auto least = whole_turns(c);
        for (std::uint64_t b = 0; b < c.num_blocks; ++b) {
            std::map<std::uint32_t, std::uint64_t> copies;
            for (auto const slot : holders(rule, BlockId{b})) ++copies[c.node_of[value(slot)]];
            for (auto const& [node, size] : c.sizes) {
                ASSERT_GE(copies[node], least[node]);
                ASSERT_LE(copies[node], std::min(least[node] + 1, size));
            }
        }
    }
}

/// The least number of ranges in the fullest slot, if nodes have bounds for how often they have everything.
std::uint64_t least_fullest(NodeCase const& c, std::uint64_t num_ranges) {
    auto copies = whole_turns(c);
    std::uint64_t fullest = 0;
    for (auto const& [node, size] : c.sizes) fullest = std::max(fullest, (copies[node] * num_ranges + size - 1) / size);
    for (;; ++fullest) {
        std::uint64_t room = 0;
        for (auto const& [node, size] : c.sizes)
            room += std::min(size * fullest, std::min(copies[node] + 1, size) * num_ranges);
        if (room >= c.replicas * num_ranges) return fullest;
    }
}

TEST(NodeAwareProperty, HasTheLeastFullestSlot) {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto c = random_node_case(seed);
        c.options.range_blocks = 1;
        auto const held = loads(NodeAware(c.num_blocks, c.node_of, c.replicas, c.options));
        ASSERT_EQ(*std::max_element(held.begin(), held.end()), least_fullest(c, c.num_blocks));
    }
}

TEST(NodeAwareProperty, HasEqualLoadsWhereverNodesAreNotAtABound) {
    std::uint32_t equal_sizes = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto c = random_node_case(seed);
        c.options.range_blocks = 1;
        auto const held = loads(NodeAware(c.num_blocks, c.node_of, c.replicas, c.options));
        auto least = whole_turns(c);
        std::map<std::uint32_t, std::uint64_t> of_node;
        for (std::size_t slot = 0; slot < held.size(); ++slot) of_node[c.node_of[slot]] += held[slot];
        std::vector<std::uint64_t> within;
        for (std::size_t slot = 0; slot < held.size(); ++slot) {
            auto const node = c.node_of[slot];
            auto const most = std::min(least[node] + 1, c.sizes[node]);
            if (of_node[node] > least[node] * c.num_blocks && of_node[node] < most * c.num_blocks)
                within.push_back(held[slot]);
        }
        if (!within.empty()) {
            ASSERT_LE(spread(within), 1u);
        }
        auto const size = c.sizes.begin()->second;
        if (std::all_of(c.sizes.begin(), c.sizes.end(), [&](auto const& node) { return node.second == size; })) {
            ++equal_sizes;
            ASSERT_LE(spread(held), 1u);
        }
    }
    EXPECT_GT(equal_sizes, 200u);
}

TEST(RandomPermutationProperty, AllOrdersOfFewNumbersAreEquallyLikely) {
    for (std::uint64_t n = 2; n <= 6; ++n) {
        SCOPED_TRACE(testing::Message() << "n " << n);
        std::map<std::vector<std::uint64_t>, std::uint64_t> count;
        std::vector<std::uint64_t> order(n);
        std::iota(order.begin(), order.end(), 0U);
        do count[order] = 0;
        while (std::next_permutation(order.begin(), order.end()));
        for (std::uint64_t seed = 0; seed < 100 * count.size(); ++seed) {
            RandomPermutation const permutation(n, seed);
            for (std::uint64_t i = 0; i < n; ++i) order[i] = permutation(i);
            ++count[order];
        }
        std::vector<std::uint64_t> counts;
        for (auto const& [which, times] : count) counts.push_back(times);
        EXPECT_LT(surprise(counts), 4);
    }
}

TEST(RandomPermutationProperty, PairsOfImagesAreEquallyLikely) {
    for (std::uint64_t n : {10U, 33U, 64U, 257U, 300U}) {
        SCOPED_TRACE(testing::Message() << "n " << n);
        std::vector<std::uint64_t> counts(n * n);
        for (std::uint64_t seed = 0; seed < 10 * n * n; ++seed) {
            RandomPermutation const permutation(n, seed);
            ++counts[permutation(0) * n + permutation(n / 2)];
        }
        for (std::uint64_t i = 0; i < n; ++i) EXPECT_EQ(counts[i * n + i], 0u);
        std::vector<std::uint64_t> different;
        for (std::uint64_t i = 0; i < n * n; ++i) {
            if (i / n != i % n) different.push_back(counts[i]);
        }
        EXPECT_LT(surprise(different), 4);
    }
}

}  // namespace
}  // namespace regraft::placement
