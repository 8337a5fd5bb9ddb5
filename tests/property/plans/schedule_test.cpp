#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "regraft/schedule/h_relation.hpp"
#include "support/plans/matching_oracle.hpp"

namespace regraft::schedule {
namespace {

/// Requests of random PEs for blocks with random holders, some lost.
struct Instance {
    std::vector<Request> requests;
    Csr<PeId> holders;
};

Instance random_instance(std::uint32_t num_requests, std::uint32_t num_pes, Random& random) {
    Instance instance;
    auto const rows = test::random_graph(static_cast<test::Family>(random.below(3)), num_requests, num_pes, 4, random);
    for (std::uint32_t i = 0; i < num_requests; ++i) {
        instance.requests.push_back({BlockId{i}, PeId{10 * static_cast<std::uint32_t>(random.below(num_pes))}});
        for (auto const pe : rows[i]) instance.holders.push_value(PeId{10 * pe});
        instance.holders.end_row();
    }
    return instance;
}

/// The requests for remote blocks, as a graph on PE numbers / 10.
test::Graph remote_part(Instance const& instance) {
    test::Graph graph;
    for (std::size_t i = 0; i < instance.requests.size(); ++i) {
        auto const row = instance.holders[i];
        if (std::find(row.begin(), row.end(), instance.requests[i].receiver) != row.end()) continue;
        for (auto const pe : row) graph.push_value(value(pe) / 10);
        graph.end_row();
    }
    return graph;
}

/// The largest number of remote requests of one PE.
std::uint32_t most_received(Instance const& instance) {
    std::map<PeId, std::uint32_t> count;
    std::uint32_t most = 0;
    for (std::size_t i = 0; i < instance.requests.size(); ++i) {
        auto const row = instance.holders[i];
        auto const receiver = instance.requests[i].receiver;
        if (row.empty() || std::find(row.begin(), row.end(), receiver) != row.end()) continue;
        most = std::max(most, ++count[receiver]);
    }
    return most;
}

Instance small_instance(std::uint64_t seed, std::uint32_t& num_pes) {
    Random random(seed);
    num_pes = static_cast<std::uint32_t>(1 + random.below(8));
    return random_instance(static_cast<std::uint32_t>(random.below(1 + seed / 60)), num_pes, random);
}

TEST(HRelationProperty, HasAsManyRoundsAsItMust) {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::uint32_t num_pes = 0;
        auto const instance = small_instance(seed, num_pes);
        auto const plan = h_relation(instance.requests, instance.holders);
        ASSERT_TRUE(is_valid(plan, instance.requests, instance.holders));
        auto const least = test::brute_force_b(remote_part(instance), num_pes);
        ASSERT_EQ(plan.h, std::max(least, most_received(instance)));

        auto const balanced = h_relation(instance.requests, instance.holders, {.balance = Balance::fully});
        ASSERT_TRUE(is_valid(balanced, instance.requests, instance.holders));
        ASSERT_EQ(balanced.b, least);
        ASSERT_EQ(balanced.h, plan.h);
    }
}

TEST(HRelationProperty, BundlesAllMessagesOfAPair) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::uint32_t num_pes = 0;
        auto const instance = small_instance(seed, num_pes);
        Options const options{.messages = Messages::bundled};
        auto const plan = h_relation(instance.requests, instance.holders, options);
        ASSERT_TRUE(is_valid(plan, instance.requests, instance.holders, options));
        ASSERT_LE(plan.h, num_pes);
        auto const senders = choose_senders(instance.requests, instance.holders, options);
        ASSERT_TRUE(is_valid(senders, instance.requests, instance.holders, options));
        ASSERT_EQ(senders.transfers.size(), plan.rounds.values.size());
    }
}

TEST(HRelationProperty, BalancesBytes) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::uint32_t num_pes = 0;
        auto const instance = small_instance(seed, num_pes);
        Random random(seed + 1);
        std::vector<std::uint64_t> bytes;
        for (std::size_t i = 0; i < instance.requests.size(); ++i) bytes.push_back(random.below(1 + seed));
        for (auto const messages : {Messages::per_block, Messages::bundled}) {
            Options const options{.messages = messages, .bytes = bytes};
            auto const plan = h_relation(instance.requests, instance.holders, options);
            ASSERT_TRUE(is_valid(plan, instance.requests, instance.holders, options));
        }
        std::fill(bytes.begin(), bytes.end(), 7);
        auto const equal = choose_senders(instance.requests, instance.holders, {.bytes = bytes});
        ASSERT_EQ(equal.most_bytes, 7 * equal.b) << "as many bytes as blocks";
    }
}

//  Asking twice for everything takes twice the rounds: each block has a twin with the same holders.
/// The bytes that the busiest node sends or receives in each round, summed up. bytes: by block.
std::uint64_t sum_of_busiest(HRelation const& plan, std::span<std::uint64_t const> bytes,
                             std::span<std::uint32_t const> node_of) {
    std::uint64_t sum = 0;
    for (std::size_t round = 0; round < plan.rounds.size(); ++round) {
        std::map<std::pair<bool, std::uint32_t>, std::uint64_t> amount;
        std::uint64_t most = 0;
        for (auto const& [block, sender, receiver] : plan.rounds[round]) {
            auto const from = node_of[value(sender)];
            auto const to = node_of[value(receiver)];
            if (from == to) continue;
            most = std::max(
                {most, amount[{false, from}] += bytes[value(block)], amount[{true, to}] += bytes[value(block)]});
        }
        sum += most;
    }
    return sum;
}

TEST(HRelationProperty, SpreadsWhatNodesSendOverAsManyRounds) {
    int better = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const num_pes = static_cast<std::uint32_t>(1 + random.below(30));
        auto const instance = random_instance(static_cast<std::uint32_t>(random.below(100)), num_pes, random);
        std::vector<std::uint64_t> bytes;
        for (std::size_t i = 0; i < instance.requests.size(); ++i) bytes.push_back(random.below(100));
        std::vector<std::uint32_t> node_of;
        for (std::uint32_t pe = 0; pe < 10 * num_pes; ++pe) node_of.push_back(pe / 10 / 4);
        for (auto const messages : {Messages::per_block, Messages::bundled}) {
            Options options{.messages = messages, .bytes = bytes};
            auto const plain = h_relation(instance.requests, instance.holders, options);
            options.node_of = node_of;
            auto const spread = h_relation(instance.requests, instance.holders, options);
            ASSERT_TRUE(is_valid(spread, instance.requests, instance.holders, options));
            ASSERT_EQ(spread.h, plain.h);
            auto const before = sum_of_busiest(plain, bytes, node_of);
            auto const after = sum_of_busiest(spread, bytes, node_of);
            ASSERT_LE(after, before);
            if (after < before) ++better;
        }
    }
    EXPECT_GT(better, 1000);
}

TEST(HRelationProperty, TakesTwiceTheRoundsForTwiceTheRequests) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const once = random_instance(50, 9, random);
        auto twice = once;
        for (std::uint32_t i = 0; i < 50; ++i) {
            twice.requests.push_back({BlockId{50 + i}, once.requests[i].receiver});
            twice.holders.push_row(once.holders[i]);
        }
        auto const h = h_relation(once.requests, once.holders).h;
        auto const h2 = h_relation(twice.requests, twice.holders).h;
        ASSERT_LE(h2, 2 * h);
        ASSERT_GE(h2 + 1, 2 * h);
    }
}

TEST(HRelationProperty, IsValidAndTheSameTwiceForManyPEs) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const instance = random_instance(5000, 200, random);
        for (auto const messages : {Messages::per_block, Messages::bundled}) {
            Options const options{.messages = messages};
            auto const plan = h_relation(instance.requests, instance.holders, options);
            ASSERT_TRUE(is_valid(plan, instance.requests, instance.holders, options));
            ASSERT_EQ(plan.rounds, h_relation(instance.requests, instance.holders, options).rounds);
        }
    }
}

}  // namespace
}  // namespace regraft::schedule
