#include "regraft/schedule/two_tier_rounds.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace regraft::schedule {
namespace {

using Edges = std::vector<Edge>;
using Numbers = std::vector<std::uint32_t>;

// Nodes {0, 1}, {2, 3}, {4, 5}. PE 4 receives two messages, so there are two rounds:
//   0 -> 4    3 -> 4    1 -> 2
TEST(TwoTierRounds, ANodeSendsInBothRoundsRatherThanTwiceInOne) {
    auto const rounds =
        two_tier_rounds(Edges{{0, 4}, {1, 2}, {3, 4}}, std::vector<std::uint64_t>{7, 7, 7}, Numbers{0, 0, 1, 1, 2, 2});
    EXPECT_NE(rounds[0], rounds[2]) << "PE 4 would receive two messages at once";
    EXPECT_NE(rounds[0], rounds[1]) << "node 0 would send two messages at once and none in the other round";
}

// Nodes 0 and 1 have four PEs each, which send 80, 80, 10 and 10 bytes to others; the messages of PE 16 force a second
// round. If one node sent 160 bytes in the first round and the other in the second, adapters would be busy with 320.
TEST(TwoTierRounds, NoNodeWaitsWhileAnotherIsBusy) {
    Edges const messages{{0, 8}, {4, 12}, {1, 9}, {5, 13}, {2, 10}, {6, 14}, {3, 11}, {7, 15}, {16, 17}, {16, 18}};
    std::vector<std::uint64_t> const bytes{80, 10, 10, 80, 80, 10, 10, 80, 5, 5};
    auto const rounds =
        two_tier_rounds(messages, bytes, Numbers{0, 0, 0, 0, 1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    std::vector<std::vector<std::uint64_t>> sent(2, std::vector<std::uint64_t>(2, 0));
    for (std::size_t i = 0; i < 8; ++i) sent.at(rounds[i])[i % 2] += bytes[i];
    auto const busy = std::max(sent[0][0], sent[0][1]) + std::max(sent[1][0], sent[1][1]);
    EXPECT_LE(busy, 183U) << "the bound is 180, and 1/50 is allowed";
    EXPECT_NE(rounds[8], rounds[9]);
}

TEST(TwoTierRounds, MessagesWithinNodesStayWhereTheColouringPutsThem) {
    Edges const messages{{0, 1}, {1, 0}, {2, 0}, {2, 1}, {3, 4}};
    auto const rounds = two_tier_rounds(messages, std::vector<std::uint64_t>{9, 8, 7, 6, 5}, Numbers{0, 0, 0, 1, 1});
    EXPECT_EQ(rounds, colour_edges(messages));
}

TEST(TwoTierRounds, NoMessageAndOneMessage) {
    EXPECT_EQ(two_tier_rounds({}, {}, {}), Numbers{});
    EXPECT_EQ(two_tier_rounds(Edges{{1, 0}}, std::vector<std::uint64_t>{3}, Numbers{0, 1}), Numbers{0});
    EXPECT_EQ(two_tier_rounds(Edges{{1, 0}}, std::vector<std::uint64_t>{0}, Numbers{0, 1}), Numbers{0});
}

}  // namespace
}  // namespace regraft::schedule
