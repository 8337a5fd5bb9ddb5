// Senders of ranges against the bound of a maximum flow, and against broken answers.
#include "regraft/schedule/range_senders.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include <boost/graph/push_relabel_max_flow.hpp>
#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "support/plans/flow_network.hpp"
#include "support/plans/matching_oracle.hpp"

namespace regraft::schedule {
namespace {

struct Instance {
    std::vector<RangeRequest> requests;
    Csr<PeId> holders;
    BlockSizes sizes;
};

BlockSizes random_sizes(Random& random, std::uint64_t num_blocks, std::uint64_t longest) {
    if (random.below(2) == 0) return {num_blocks, 1 + random.below(longest)};
    std::vector<std::uint64_t> begins{0};
    for (std::uint64_t i = 0; i < num_blocks; ++i) begins.push_back(begins.back() + random.below(longest));
    return BlockSizes(std::move(begins));
}

/// Random ranges; their holders are drawn from a few sets of PEs, some of them empty.
Instance random_instance(std::uint64_t seed, std::uint64_t num_requests, std::uint64_t longest_range) {
    Random random(seed);
    auto const num_pes = 1 + random.below(12);
    auto const num_blocks = 1 + random.below(200);
    Instance instance{{}, {}, random_sizes(random, num_blocks, 300)};
    std::vector<std::vector<PeId>> sets(1 + random.below(6));
    for (auto& set : sets) {
        for (std::uint32_t pe = 0; pe < num_pes; ++pe) {
            if (random.below(3) == 0) set.push_back(PeId{pe * 3});
        }
    }
    for (std::uint64_t i = 0; i < num_requests; ++i) {
        auto const first = random.below(num_blocks);
        auto const last = std::min(num_blocks, first + 1 + random.below(longest_range));
        instance.requests.push_back(
            {{BlockId{first}, BlockId{last}}, PeId{static_cast<std::uint32_t>(random.below(num_pes)) * 3}});
        instance.holders.push_row(sets[random.below(sets.size())]);
    }
    return instance;
}

std::uint64_t longest_block(BlockSizes const& sizes) {
    std::uint64_t longest = 0;
    for (std::uint64_t i = 0; i < sizes.num_blocks(); ++i) longest = std::max(longest, sizes.bytes(BlockId{i}));
    return longest;
}

TEST(RangeSenders, ServeEverybodyWithinABlockOfTheBound) {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        SCOPED_TRACE(seed);
        auto const [requests, holders, sizes] = random_instance(seed, seed % 40, 1 + seed % 60);
        auto const senders = choose_range_senders(requests, holders, sizes);
        ASSERT_TRUE(is_valid(senders, requests, holders, sizes));
        auto const slack = std::max(longest_block(sizes), senders.most_sent_bound / 20);
        EXPECT_LE(senders.most_sent, senders.most_sent_bound + slack);
        EXPECT_EQ(choose_range_senders(requests, holders, sizes).transfers, senders.transfers);
    }
}

/// The most that a sender must send if bytes can be divided at will, by a search over bounds with a flow for each.
std::uint32_t divisible_optimum(Instance const& instance) {
    auto const& [requests, holders, sizes] = instance;
    constexpr std::size_t num_pes = 40;
    test::FlowNetwork network(requests.size() + num_pes + 2);
    auto const source = requests.size() + num_pes;
    std::int64_t all = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        auto const row = holders[i];
        if (row.empty() || std::find(row.begin(), row.end(), requests[i].receiver) != row.end()) continue;
        auto const bytes = static_cast<std::int64_t>(sizes.bytes(requests[i].blocks));
        test::connect(network, source, i, bytes);
        for (auto const pe : row) test::connect(network, i, requests.size() + value(pe), bytes);
        all += bytes;
    }
    std::vector<test::FlowEdge> to_sink;
    for (std::size_t pe = 0; pe < num_pes; ++pe)
        to_sink.push_back(test::connect(network, requests.size() + pe, source + 1, 0));
    return test::smallest_feasible(0, [&](std::uint32_t bound) {
        for (auto const edge : to_sink) boost::put(boost::edge_capacity, network, edge, bound);
        return boost::push_relabel_max_flow(network, source, source + 1) == all;
    });
}

TEST(RangeSenders, HaveTheBoundOfAMaximumFlow) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        auto const instance = random_instance(seed, 1 + seed % 12, 20);
        auto const senders = choose_range_senders(instance.requests, instance.holders, instance.sizes);
        EXPECT_EQ(senders.most_sent_bound, divisible_optimum(instance));
    }
}

/// The node of each PeId below 40. PEs are multiples of 3.
std::vector<std::uint32_t> random_nodes(std::uint64_t seed) {
    Random random(seed);
    auto const num_nodes = 1 + random.below(5);
    std::vector<std::uint32_t> node_of;
    for (int pe = 0; pe < 40; ++pe) node_of.push_back(static_cast<std::uint32_t>(7 * random.below(num_nodes)));
    return node_of;
}

/// The bytes that each node sends to others.
std::map<std::uint32_t, std::uint64_t> sent_between(RangeSenders const& senders, BlockSizes const& sizes,
                                                    std::span<std::uint32_t const> node_of) {
    std::map<std::uint32_t, std::uint64_t> sent;
    for (auto const& transfer : senders.transfers) {
        auto const from = node_of[value(transfer.sender)];
        if (from != node_of[value(transfer.receiver)]) sent[from] += sizes.bytes(transfer.blocks);
    }
    return sent;
}

std::uint64_t sum(std::map<std::uint32_t, std::uint64_t> const& sent) {
    std::uint64_t all = 0;
    for (auto const& [node, bytes] : sent) all += bytes;
    return all;
}

TEST(RangeSenders, SendNoMoreBetweenNodesThanTheyMust) {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        SCOPED_TRACE(seed);
        auto const [requests, holders, sizes] = random_instance(seed, seed % 40, 1 + seed % 60);
        auto const node_of = random_nodes(seed);
        auto const senders = choose_range_senders(requests, holders, sizes, node_of);
        ASSERT_TRUE(is_valid(senders, requests, holders, sizes, node_of));
        std::uint64_t must = 0;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            bool const near = std::ranges::any_of(holders[i], [&, receiver = requests[i].receiver](PeId pe) {
                return node_of[value(pe)] == node_of[value(receiver)];
            });
            if (!near && !holders[i].empty()) must += sizes.bytes(requests[i].blocks);
        }
        auto const sent = sum(sent_between(senders, sizes, node_of));
        EXPECT_EQ(sent, must);
        EXPECT_LE(sent, sum(sent_between(choose_range_senders(requests, holders, sizes), sizes, node_of)));
        EXPECT_EQ(choose_range_senders(requests, holders, sizes, node_of).transfers, senders.transfers);
    }
}

TEST(RangeSenders, DoNotDependOnNodesOfOnePeEachOrOnASingleNode) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        auto const [requests, holders, sizes] = random_instance(seed, seed % 40, 1 + seed % 60);
        auto const senders = choose_range_senders(requests, holders, sizes);
        std::vector<std::uint32_t> own(40);
        std::iota(own.begin(), own.end(), 5U);
        EXPECT_EQ(choose_range_senders(requests, holders, sizes, own).transfers, senders.transfers);
        EXPECT_EQ(choose_range_senders(requests, holders, sizes, std::vector<std::uint32_t>(40, 3)).transfers,
                  senders.transfers);
    }
}

/// The least that the busiest node must send to others, over all choices of a node for each request, by trying all of
/// them. Precondition: a request is one block.
std::uint64_t best_of_all_choices(Instance const& instance, std::span<std::uint32_t const> node_of, std::size_t i,
                                  std::map<std::uint32_t, std::uint64_t>& sent) {
    auto const& [requests, holders, sizes] = instance;
    if (i == requests.size()) {
        std::uint64_t most = 0;
        for (auto const& [node, bytes] : sent) most = std::max(most, bytes);
        return most;
    }
    std::set<std::uint32_t> nodes;
    for (auto const pe : holders[i]) nodes.insert(node_of[value(pe)]);
    if (nodes.empty() || nodes.contains(node_of[value(requests[i].receiver)]))
        return best_of_all_choices(instance, node_of, i + 1, sent);
    auto best = std::numeric_limits<std::uint64_t>::max();
    for (auto const node : nodes) {
        sent[node] += sizes.bytes(requests[i].blocks);
        best = std::min(best, best_of_all_choices(instance, node_of, i + 1, sent));
        sent[node] -= sizes.bytes(requests[i].blocks);
    }
    return best;
}

TEST(RangeSenders, BalanceWhatNodesSendToOthers) {
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        SCOPED_TRACE(seed);
        auto const instance = random_instance(seed, 1 + seed % 7, 1);
        auto const node_of = random_nodes(seed + 1000);
        auto const senders = choose_range_senders(instance.requests, instance.holders, instance.sizes, node_of);
        std::uint64_t most = 0;
        for (auto const& [node, bytes] : sent_between(senders, instance.sizes, node_of)) most = std::max(most, bytes);
        std::map<std::uint32_t, std::uint64_t> sent;
        EXPECT_LE(most, best_of_all_choices(instance, node_of, 0, sent) + longest_block(instance.sizes));
    }
}

TEST(RangeSenders, MakeFewTransfersOfLongRanges) {
    // Three holders of everything, ten receivers that want all of it.
    BlockSizes const sizes(30000, 64);
    std::vector<RangeRequest> requests;
    Csr<PeId> holders;
    for (std::uint32_t pe = 3; pe < 13; ++pe) {
        requests.push_back({{BlockId{0}, BlockId{30000}}, PeId{pe}});
        holders.push_row(std::vector{PeId{0}, PeId{1}, PeId{2}});
    }
    auto const senders = choose_range_senders(requests, holders, sizes);
    EXPECT_EQ(senders.most_sent, 100000u * 64);
    EXPECT_LE(senders.transfers.size(), 12u);  // a cut between two senders, twice
}

TEST(RangeSenders, DealsFewLongBlocksOneByOne) {
    // Two holders and blocks of 6, 5, 4, 3, 2 bytes: divided evenly 10 each, which 6 + 4 and 5 + 3 + 2 reach.
    BlockSizes const sizes(std::vector<std::uint64_t>{0, 6, 11, 15, 18, 20});
    std::vector<RangeRequest> const requests{{{BlockId{0}, BlockId{5}}, PeId{2}}};
    Csr<PeId> holders;
    holders.push_row(std::vector{PeId{0}, PeId{1}});
    auto const senders = choose_range_senders(requests, holders, sizes);
    EXPECT_TRUE(is_valid(senders, requests, holders, sizes));
    EXPECT_LE(senders.most_sent, 11u);
}

TEST(RangeSendersChecker, NoticesEveryKindOfMistake) {
    BlockSizes const sizes(20, 8);
    std::vector<RangeRequest> const requests{{{BlockId{0}, BlockId{10}}, PeId{2}},
                                             {{BlockId{5}, BlockId{9}}, PeId{0}},
                                             {{BlockId{12}, BlockId{13}}, PeId{1}}};
    Csr<PeId> holders;
    holders.push_row(std::vector{PeId{0}, PeId{1}});
    holders.push_row(std::vector{PeId{0}, PeId{1}});
    holders.push_row(std::vector<PeId>{});
    auto const right = choose_range_senders(requests, holders, sizes);
    ASSERT_TRUE(is_valid(right, requests, holders, sizes));
    ASSERT_EQ(right.transfers.size(), 2u);
    auto const wrong = [&](auto mistake) {
        auto senders = right;
        mistake(senders);
        return !is_valid(senders, requests, holders, sizes);
    };
    EXPECT_TRUE(wrong([](auto& s) { s.transfers.pop_back(); }));
    EXPECT_TRUE(wrong([](auto& s) { s.transfers[0].sender = PeId{2}; }));
    EXPECT_TRUE(wrong([](auto& s) { s.transfers[0].receiver = PeId{1}; }));
    EXPECT_TRUE(wrong([](auto& s) { s.transfers[1].blocks.last = BlockId{11}; }));
    EXPECT_TRUE(wrong([](auto& s) { s.transfers[1].blocks.first = BlockId{0}; }));
    EXPECT_TRUE(wrong([](auto& s) { s.transfers[0].request = 9; }));
    EXPECT_TRUE(wrong([](auto& s) { s.local.clear(); }));
    EXPECT_TRUE(wrong([](auto& s) { s.unservable.clear(); }));
    EXPECT_TRUE(wrong([](auto& s) { s.unservable = {0}; }));
    EXPECT_TRUE(wrong([](auto& s) { ++s.most_sent; }));
    EXPECT_TRUE(wrong([](auto& s) { ++s.most_received; }));
    EXPECT_TRUE(wrong([](auto& s) { s.most_sent_bound = 1000; }));
}

}  // namespace
}  // namespace regraft::schedule
