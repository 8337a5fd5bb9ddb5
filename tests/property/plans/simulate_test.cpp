// Simulated lives of jobs: failures as they are drawn, exchanges against a naive sum, time that is neither lost nor
// counted twice, and the closed form of jobs on disk against jobs that are drawn.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "simulate/disk.hpp"
#include "simulate/failures.hpp"
#include "simulate/life.hpp"
#include "simulate/simulation.hpp"
#include "simulate/traffic.hpp"

namespace regraft::plan::simulated {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

Machine machine_of(std::uint32_t ranks, std::uint32_t node, std::uint32_t rack, std::uint32_t group) {
    return {ranks, {1, node, rack, group}};
}

TEST(Machine, EveryRankIsInOneUnitOfEachKind) {
    for (std::uint32_t ranks = 1; ranks < 40; ++ranks) {
        auto const machine = machine_of(ranks, 3, 6, 12);
        for (auto const unit : all_units) {
            auto const numbers = machine.of_ranks(unit);
            std::uint32_t next = 0;
            for (std::uint32_t number = 0; number < machine.count(unit); ++number) {
                auto const [first, last] = machine.members(unit, number);
                ASSERT_EQ(value(first), next);
                ASSERT_LT(first, last);
                for (; next < value(last); ++next) ASSERT_EQ(numbers[next], number);
            }
            ASSERT_EQ(next, ranks);
        }
    }
}

TEST(Failures, HitEachUnitAtMostOnceInOrderOfTime) {
    auto const machine = machine_of(200, 4, 16, 64);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto const failures = draw_failures(machine, {{100, 200, 300, 400}, 0.7}, 1e6, seed);
        std::set<std::pair<Unit, std::uint32_t>> units;
        double last = 0;
        for (auto const& failure : failures) {
            ASSERT_LE(last, failure.seconds);
            ASSERT_LT(failure.seconds, 1e6);
            ASSERT_LT(failure.number, machine.count(failure.unit));
            ASSERT_TRUE(units.insert({failure.unit, failure.number}).second);
            last = failure.seconds;
        }
        auto const sooner = draw_failures(machine, {{100, 200, 300, 400}, 0.7}, 2e5, seed);
        ASSERT_TRUE(std::equal(sooner.begin(), sooner.end(), failures.begin())) << "a longer time changes the begin";
        auto const of_nodes = draw_failures(machine, {{0, 200, 0, 0}, 0.7}, 1e6, seed);
        std::vector<Failure> nodes;
        std::copy_if(failures.begin(), failures.end(), std::back_inserter(nodes),
                     [](Failure const& failure) { return failure.unit == Unit::node; });
        ASSERT_EQ(nodes, of_nodes) << "failures of nodes depend on those of others";
    }
}

TEST(Failures, ComeAfterTheirMeanTimeWhateverTheShape) {
    constexpr std::uint32_t nodes = 40000;
    auto const machine = machine_of(nodes, 1, 0, 0);
    for (auto const shape : {0.6, 1.0, 2.5}) {
        SCOPED_TRACE(testing::Message() << "shape " << shape);
        auto const failures = draw_failures(machine, {{0, 50, 0, 0}, shape}, never, 3);
        ASSERT_EQ(failures.size(), nodes);
        double sum = 0;
        double squares = 0;
        for (auto const& failure : failures) {
            auto const hours = failure.seconds / 3600;
            sum += hours;
            squares += hours * hours;
        }
        auto const mean = sum / nodes;
        auto const error = std::sqrt((squares / nodes - mean * mean) / nodes);
        EXPECT_LT(std::abs(mean - 50), 4 * error);
        // Half of them have failed after the median, scale * (ln 2)^(1 / shape).
        auto const median = 50 / std::tgamma(1 + 1 / shape) * std::pow(std::log(2), 1 / shape);
        auto const early = std::count_if(failures.begin(), failures.end(),
                                         [&](Failure const& failure) { return failure.seconds < 3600 * median; });
        EXPECT_LT(std::abs(static_cast<double>(early) - nodes / 2.0), 4 * std::sqrt(nodes / 4.0));
    }
}

TEST(Failures, ABurstHitsSoManyNodesAtOnce) {
    auto const machine = machine_of(30, 3, 0, 0);
    std::map<std::uint32_t, int> hits;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        auto const failures = draw_burst(machine, 4, 7, seed);
        std::set<std::uint32_t> nodes;
        for (auto const& failure : failures) {
            ASSERT_EQ(failure.seconds, 7);
            nodes.insert(failure.number);
            ++hits[failure.number];
        }
        ASSERT_EQ(nodes.size(), 4U);
    }
    for (auto const& [node, count] : hits) EXPECT_LT(std::abs(count - 800), 4 * std::sqrt(2000 * 0.4 * 0.6)) << node;
    EXPECT_EQ(hits.size(), 10U);
}

Constants random_constants(Random& random) {
    Constants constants;
    for (auto const& constant : named_constants()) constants.*(constant.value) = 0.1 + random.unit();
    constants.cores_per_node = static_cast<double>(random.below(5));
    return constants;
}

std::vector<Message> random_messages(std::uint32_t ranks, Random& random) {
    std::vector<Message> messages(random.below(60));
    for (auto& message : messages) {
        message = {PeId{static_cast<std::uint32_t>(random.below(ranks))},
                   PeId{static_cast<std::uint32_t>(random.below(ranks))}, 1 + random.below(1000000)};
    }
    return messages;
}

/// The slowest rank or node in one direction, from sums over all pairs.
double naive_slowest(std::map<std::pair<std::uint32_t, std::uint32_t>, double> const& pairs,
                     std::map<std::uint32_t, double> const& copies, Machine const& machine, Constants const& constants,
                     bool sending, Into memory) {
    auto const node_of = machine.of_ranks(Unit::node);
    double most = 0;
    std::map<std::uint32_t, double> of_node, of_cores;
    for (std::uint32_t rank = 0; rank < machine.ranks; ++rank) {
        double seconds = 0;
        if (!sending && copies.contains(rank)) seconds += copies.at(rank) * 1e-9 / constants.memory_gbps;
        for (auto const& [ends, bytes] : pairs) {
            auto const [from, to] = ends;
            if ((sending ? from : to) != rank) continue;
            bool const within = node_of[from] == node_of[to];
            seconds += 1e-6 * (within ? constants.alpha_within_us : constants.alpha_between_us);
            bool const carries = !within || !sending;  // within a node the receiver copies
            if (carries) seconds += bytes * 1e-9 / (within ? constants.within_gbps : constants.between_gbps);
            if (!sending && memory == Into::fresh_memory) seconds += bytes * 1e-9 / constants.fresh_gbps;
            if (!within) of_node[node_of[rank]] += bytes * 1e-9 / constants.node_gbps;
        }
        most = std::max(most, seconds);
        of_cores[node_of[rank]] += seconds;
    }
    for (auto const& [node, seconds] : of_cores) {
        if (constants.cores_per_node > 0) most = std::max(most, seconds / constants.cores_per_node);
    }
    for (auto const& [node, seconds] : of_node) most = std::max(most, seconds);
    return most;
}

TEST(Network, ACollectiveExchangeTakesAsLongAsItsBusiestRankOrNode) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const machine = machine_of(1 + static_cast<std::uint32_t>(random.below(12)),
                                        1 + static_cast<std::uint32_t>(random.below(4)), 0, 0);
        auto const constants = random_constants(random);
        auto const messages = random_messages(machine.ranks, random);
        auto const memory = random.below(2) == 0 ? Into::used_memory : Into::fresh_memory;
        std::map<std::pair<std::uint32_t, std::uint32_t>, double> pairs;
        std::map<std::uint32_t, double> copies;
        double all = 0;
        for (auto const& [from, to, bytes] : messages) {
            if (from == to) {
                copies[value(from)] += static_cast<double>(bytes);
            } else {
                pairs[{value(from), value(to)}] += static_cast<double>(bytes);
                all += static_cast<double>(bytes);
            }
        }
        auto const fixed =
            pairs.empty() ? 0 : 1e-6 * (constants.exchange_us + machine.ranks * constants.exchange_us_per_rank);
        auto const expected = fixed + std::max(naive_slowest(pairs, copies, machine, constants, true, memory),
                                               naive_slowest(pairs, copies, machine, constants, false, memory));
        Network collective(machine.of_ranks(Unit::node), constants, Transport::collective);
        for (int again = 0; again < 2; ++again) {
            auto const volume = collective.exchange(messages, machine.ranks, memory);
            ASSERT_NEAR(volume.seconds, expected, 1e-12 + 1e-9 * expected);
            ASSERT_EQ(static_cast<double>(volume.bytes_within + volume.bytes_between), all);
        }
        // One after the other is never faster than all at once.
        for (auto const transport : {Transport::rounds, Transport::two_tier}) {
            Network rounds(machine.of_ranks(Unit::node), constants, transport);
            auto const volume = rounds.exchange(messages, machine.ranks, memory);
            ASSERT_GE(volume.seconds + fixed + 1e-12, expected);
            ASSERT_EQ(static_cast<double>(volume.bytes_within + volume.bytes_between), all);
        }
    }
}

JobPlan small_job(std::uint32_t ranks, std::uint32_t node, Random& random) {
    JobPlan plan;
    plan.machine = machine_of(ranks, node, 2 * node, 0);
    plan.work_seconds = 1000;
    plan.blocks_per_rank = 1 + random.below(20);
    plan.block_bytes = 1 + random.below(5000);
    plan.state_bytes = random.below(2) == 0 ? 0 : 1 + random.below(100000);
    plan.replicas = 1 + static_cast<std::uint32_t>(random.below(std::min(ranks, 4U)));
    if (random.below(3) == 0) {
        auto const data = 1 + static_cast<std::uint32_t>(random.below(4));
        auto const parity = 1 + static_cast<std::uint32_t>(random.below(2));
        if (data + parity <= ranks) plan.code = erasure::Code(data, parity);
    }
    plan.placement = std::vector<std::string>{"mod-k", "permuted", "pairwise", "node-aware"}[random.below(4)];
    plan.mending = random.below(4) != 0 ? Mending::wanted : Mending::left;
    if (random.below(2) == 0) plan.transport = plan.replicas % 2 == 0 ? Transport::two_tier : Transport::rounds;
    return plan;
}

TEST(Life, AllItsTimeIsAccountedFor) {
    int lost = 0;
    int finished = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const node = 1 + static_cast<std::uint32_t>(random.below(4));
        auto const plan = small_job(node * (2 + static_cast<std::uint32_t>(random.below(12))), node, random);
        auto const failures = draw_failures(plan.machine, {{0, 2, 9, 0}, 1}, 1e4, seed);
        LifeOptions options{5 + 100 * random.unit(), 1000, 9000};
        auto const life = live(plan, failures, options);
        double recovering = 0;
        std::uint32_t dead = 0;
        for (std::size_t i = 0; i < life.events.size(); ++i) {
            auto const& event = life.events[i];
            ASSERT_LE(event.begin, event.end);
            ASSERT_TRUE(i == 0 || life.events[i - 1].end <= event.begin);
            ASSERT_TRUE(i == 0 || life.events[i - 1].work_done <= event.work_done);
            ASSERT_GT(event.dead, 0U);
            ASSERT_LE(event.work_lost, *options.interval * (1 + 1e-9));
            recovering += event.end - event.begin;
            dead += event.dead;
        }
        ASSERT_EQ(plan.machine.ranks - dead, life.survivors);
        // What is missing is the commits that a failure interrupted, and the submit.
        Job job(plan);
        auto const submit = job.submit().seconds;
        auto const known = life.computing + life.commit_seconds + recovering + submit;
        auto const longest_commit = life.commits == 0 ? 0 : 2 * job.commit().seconds * plan.machine.ranks + 1;
        ASSERT_GE(life.seconds * (1 + 1e-9), known);
        ASSERT_LE(life.seconds, known + longest_commit * static_cast<double>(life.events.size()) + 1e-6);
        if (life.fate == Fate::finished) {
            ++finished;
            ASSERT_NEAR(life.work_done, plan.work_seconds, 1e-6);
            // Survivors are never faster than all ranks together.
            ASSERT_GE(life.computing - life.work_lost, plan.work_seconds * (1 - 1e-9));
        }
        if (life.fate == Fate::data_lost) {
            ++lost;
            ASSERT_FALSE(life.events.empty());
            ASSERT_LT(life.work_done, plan.work_seconds);
        }
    }
    EXPECT_GT(lost, 20);
    EXPECT_GT(finished, 20);
}

TEST(Life, WithoutFailuresIsWorkAndCommits) {
    Random random(1);
    auto const plan = small_job(12, 3, random);
    auto const life = live(plan, {}, {100.0, never, 1e9});
    EXPECT_EQ(life.fate, Fate::finished);
    EXPECT_EQ(life.commits, 10U);  // one at the begin, and none at the end
    Job job(plan);
    EXPECT_NEAR(life.seconds, job.submit().seconds + 1000 + 10 * job.commit().seconds, 1e-9);
    EXPECT_TRUE(life.events.empty());
}

TEST(Life, MoreCopiesNeverLoseDataSooner) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        JobPlan plan;
        plan.machine = machine_of(24, 2, 0, 0);
        plan.work_seconds = 1e5;
        plan.mending = Mending::left;
        auto const failures = draw_failures(plan.machine, {{0, 10, 0, 0}, 1}, 1e6, seed);
        double before = 0;
        for (plan.replicas = 1; plan.replicas <= 12; plan.replicas *= 2) {
            auto const life = live(plan, failures, {1000.0, 1000, 1e6});
            // 1, 2 and 4 divide 12 nodes: the sets of nodes with the copies of a block contain each other.
            if (life.fate == Fate::finished) break;
            ASSERT_LE(before, life.seconds + 1000);
            before = life.seconds;
        }
    }
}

TEST(Disk, TheClosedFormIsTheMeanOfJobsThatAreDrawn) {
    for (auto const mtbf : {500.0, 2000.0, 50000.0}) {
        SCOPED_TRACE(testing::Message() << "mtbf " << mtbf);
        DiskPlan const plan{10000, 20, 60, mtbf};
        auto const computed = job_on_disk(plan);
        auto const segments = plan.work_seconds / computed.interval;
        Random random(5);
        constexpr int trials = 20000;
        double sum = 0;
        double squares = 0;
        auto const until_failure = [&] { return -mtbf * std::log(1 - random.unit()); };
        for (int trial = 0; trial < trials; ++trial) {
            double seconds = 0;
            for (;;) {
                auto const lives = until_failure();
                seconds += std::min(lives, computed.interval + plan.checkpoint_seconds);
                if (lives >= computed.interval + plan.checkpoint_seconds) break;
                for (;;) {  // restarts fail, too
                    auto const again = until_failure();
                    seconds += std::min(again, plan.restart_seconds);
                    if (again >= plan.restart_seconds) break;
                }
            }
            sum += seconds;
            squares += seconds * seconds;
        }
        auto const mean = sum / trials;
        auto const error = std::sqrt((squares / trials - mean * mean) / trials);
        EXPECT_LT(std::abs(computed.seconds / segments - mean), 4 * error);
    }
    EXPECT_EQ(job_on_disk({100, 1, 1, never}).seconds, 100);
}

TEST(Share, TheIntervalIsThatOfWilson) {
    auto const none = share_of(0, 10);
    EXPECT_EQ(none.least, 0);
    EXPECT_NEAR(none.most, 0.277533, 1e-6);  // 1.96^2 / (10 + 1.96^2)
    auto const half = share_of(50, 100);
    EXPECT_NEAR(half.least, 0.403832, 1e-6);
    EXPECT_NEAR(half.most, 0.596168, 1e-6);
    for (std::uint64_t all = 1; all < 30; ++all) {
        for (std::uint64_t count = 0; count <= all; ++count) {
            auto const share = share_of(count, all);
            ASSERT_TRUE(0 <= share.least && share.least <= share.part && share.part <= share.most && share.most <= 1);
        }
    }
}

TEST(Quantile, IsTheSmallestValueThatEnoughDoNotExceed) {
    EXPECT_EQ(quantile({3, 1, 2}, 0.5), 2);
    EXPECT_EQ(quantile({3, 1, 2, 4}, 0.5), 2);
    EXPECT_EQ(quantile({3, 1, 2}, 0.99), 3);
    EXPECT_EQ(quantile({}, 0.5), 0);
}

}  // namespace
}  // namespace regraft::plan::simulated
