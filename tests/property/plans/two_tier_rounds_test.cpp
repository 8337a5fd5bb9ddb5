// Rounds over PEs and nodes: against sums that are made anew, the colouring of PEs alone, and the lower bound.
#include "regraft/schedule/two_tier_rounds.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"

namespace regraft::schedule {
namespace {

struct Traffic {
    std::vector<Edge> messages;
    std::vector<std::uint64_t> bytes;
    std::vector<std::uint32_t> node_of;
};

/// The bytes of the busiest node in each round, summed up. What is in one round is told by a key.
template <class RoundOf>
std::uint64_t sum_of_busiest(Traffic const& traffic, RoundOf round_of) {
    std::map<std::uint32_t, std::map<std::pair<bool, std::uint32_t>, std::uint64_t>> sums;
    for (std::size_t i = 0; i < traffic.messages.size(); ++i) {
        auto const [from, to] = traffic.messages[i];
        if (traffic.node_of[from] == traffic.node_of[to]) continue;
        auto& round = sums[round_of(i)];
        round[{false, traffic.node_of[from]}] += traffic.bytes[i];
        round[{true, traffic.node_of[to]}] += traffic.bytes[i];
    }
    std::uint64_t sum = 0;
    for (auto const& [number, round] : sums) {
        std::uint64_t most = 0;
        for (auto const& [node, bytes] : round) most = std::max(most, bytes);
        sum += most;
    }
    return sum;
}

struct Sums {
    std::uint64_t bound = 0;
    std::uint64_t plain = 0;
    std::uint64_t two_tier = 0;
};

/// Checks that rounds are valid and no worse than those of the colouring.
Sums checked(Traffic const& traffic) {
    auto const rounds = two_tier_rounds(traffic.messages, traffic.bytes, traffic.node_of);
    EXPECT_TRUE(is_proper_colouring(traffic.messages, rounds, largest_degree(traffic.messages)));
    EXPECT_EQ(rounds, two_tier_rounds(traffic.messages, traffic.bytes, traffic.node_of));
    auto const plain = colour_edges(traffic.messages);
    Sums const sums{sum_of_busiest(traffic, [](std::size_t) { return 0U; }),
                    sum_of_busiest(traffic, [&](std::size_t i) { return plain[i]; }),
                    sum_of_busiest(traffic, [&](std::size_t i) { return rounds[i]; })};
    EXPECT_LE(sums.bound, sums.two_tier);
    EXPECT_LE(sums.two_tier, sums.plain);
    return sums;
}

std::uint32_t below(std::uint64_t bound, Random& random) {
    return static_cast<std::uint32_t>(random.below(bound));
}

TEST(TwoTierRoundsProperty, RoundsAreValidAndNoWorseThanWithoutNodes) {
    int better = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        Traffic traffic;
        auto const pes = 1 + below(24, random);
        auto const nodes = 1 + below(6, random);
        for (std::uint32_t pe = 0; pe < pes; ++pe) traffic.node_of.push_back(below(nodes, random));
        auto const largest = 1 + random.below(1000);
        for (auto left = random.below(120); left > 0; --left) {
            traffic.messages.push_back({below(pes, random), below(pes, random)});
            traffic.bytes.push_back(random.below(largest));
        }
        auto const sums = checked(traffic);
        if (sums.two_tier < sums.plain) ++better;
    }
    EXPECT_GT(better, 300);
}

/// Every PE sends at most a message to another node in each of num_rounds layers, and PE 0 sends one in all of them.
Traffic layered(std::uint32_t nodes, std::uint32_t node_size, std::uint32_t num_rounds, Random& random) {
    Traffic traffic;
    for (std::uint32_t pe = 0; pe < nodes * node_size; ++pe) traffic.node_of.push_back(pe / node_size);
    std::vector<std::uint32_t> place(node_size);
    std::iota(place.begin(), place.end(), 0U);
    for (std::uint32_t layer = 0; layer < num_rounds; ++layer) {
        shuffle(std::span(place), random);
        auto const distance = 1 + below(nodes - 1, random);
        for (std::uint32_t pe = 0; pe < nodes * node_size; ++pe) {
            if (pe > 0 && random.below(4) > 0) continue;
            auto const node = (pe / node_size + distance) % nodes;
            traffic.messages.push_back({pe, node * node_size + place[pe % node_size]});
        }
    }
    traffic.bytes.assign(traffic.messages.size(), 10);
    return traffic;
}

TEST(TwoTierRoundsProperty, EqualMessagesOfPowersOfTwoRoundsComeNearTheBound) {
    int better = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const power = below(5, random);
        auto const num_rounds = 1U << power;
        auto const traffic = layered(2 + below(5, random), 1 + below(20, random), num_rounds, random);
        ASSERT_EQ(largest_degree(traffic.messages), num_rounds);
        auto const sums = checked(traffic);
        EXPECT_LE(sums.two_tier, sums.bound + std::max<std::uint64_t>(sums.bound / 50, 10 * num_rounds * power / 2));
        if (sums.two_tier < sums.plain) ++better;
    }
    EXPECT_GT(better, 100);
}

}  // namespace
}  // namespace regraft::schedule
