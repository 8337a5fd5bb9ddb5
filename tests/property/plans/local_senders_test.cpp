// Senders that each PE finds alone: what all find together must be one plan.
#include "regraft/schedule/local_senders.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "regraft/load/plan.hpp"
#include "regraft/placement/permuted.hpp"
#include "support/store/store_placements.hpp"

namespace regraft::schedule {
namespace {

using placement::Directory;

BlockSizes random_sizes(std::uint64_t num_blocks, Random& random) {
    auto const longest = 1 + random.below(60);
    if (random.below(2) == 0) return {num_blocks, random.below(3) == 0 ? 0 : longest};
    std::vector<std::uint64_t> begins{0};
    for (std::uint64_t b = 0; b < num_blocks; ++b) begins.push_back(begins.back() + random.below(longest));
    return BlockSizes(std::move(begins));
}

/// A job in which some PEs died, some of that was repaired or dropped, and each PE wants something: ranges in any
/// order, some twice, some empty.
struct Job {
    std::vector<PeId> members;  // alive
    Directory directory;
    BlockSizes sizes;
    Csr<BlockRange> wanted;
    LocalRule rule;
};

BlockRange random_range(std::uint64_t num_blocks, Random& random) {
    auto const a = random.below(num_blocks + 1);
    auto const b = random.below(num_blocks + 1);
    return {BlockId{std::min(a, b)}, BlockId{std::max(a, b)}};
}

Job random_job(std::uint64_t seed) {
    Random random(seed);
    std::vector<PeId> founders;
    auto const num_founders = static_cast<std::uint32_t>(1 + random.below(12));
    for (std::uint32_t pe = 0; pe < num_founders; ++pe) founders.push_back(PeId{2 * pe + 1});
    auto const replicas = static_cast<std::uint32_t>(1 + random.below(std::min(4U, num_founders)));
    auto const num_blocks = random.below(150);
    auto const names = std::vector<std::string>{"mod_k", "pairwise", "permuted", "node_aware"};
    auto const rule = test::make_placement(names[random.below(4)], num_blocks, founders, replicas, 2, seed);
    Job job{{}, Directory(rule, founders), random_sizes(num_blocks, random), {}, {seed, 1 + random.below(200)}};
    for (auto const pe : founders) {
        if (pe == founders.front() || random.below(4) > 0) job.members.push_back(pe);
    }
    job.directory.retain(job.members);
    for (int change = 0; change < 4; ++change) {
        auto const pe = job.members[random.below(job.members.size())];
        auto const blocks = random_range(num_blocks, random);
        random.below(2) == 0 ? job.directory.add(blocks, pe) : job.directory.remove(blocks, pe);
    }
    for (std::uint32_t pe = 0; pe < 2 * num_founders; ++pe) {
        bool const is_member = std::binary_search(job.members.begin(), job.members.end(), PeId{pe});
        auto const count = is_member ? random.below(4) : 0;
        for (std::uint64_t i = 0; i < count; ++i) job.wanted.push_value(random_range(num_blocks, random));
        job.wanted.end_row();
    }
    return job;
}

LocalSenders senders_of(Job const& job, PeId self) {
    return load::senders_alone(job.directory, job.sizes, self, job.wanted, job.rule);
}

std::set<PeId> holders_of(Directory const& directory, BlockId block) {
    std::set<PeId> holders;
    directory.visit({block, advance(block, 1)},
                    [&](placement::Run const& run) { holders.insert(run.holders.begin(), run.holders.end()); });
    return holders;
}

TEST(LocalSenders, AreTogetherWhatAnObserverOfAllFinds) {
    using Transfer = std::tuple<PeId, PeId, BlockRange>;
    auto const add = [](std::vector<RangeTransfer> const& transfers, std::multiset<Transfer>& all) {
        for (auto const& transfer : transfers) all.emplace(transfer.sender, transfer.receiver, transfer.blocks);
    };
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto job = random_job(seed);
        std::multiset<Transfer> in, out, local;
        for (auto const self : job.members) {
            auto const senders = senders_of(job, self);
            add(senders.in, in);
            add(senders.out, out);
            add(senders.local, local);
        }
        auto const seen = load::senders_of_all(job.directory, job.sizes, job.members, job.wanted, job.rule);
        std::multiset<Transfer> transfers, stay;
        add(seen.transfers, transfers);
        add(seen.local, stay);
        ASSERT_EQ(transfers, in);
        ASSERT_EQ(transfers, out);
        ASSERT_EQ(stay, local);
    }
}

/// The senders of range `request` of the receiver's row, block by block; lost blocks have none.
using Deliveries = std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<PeId>>;

TEST(LocalSenders, ServeEveryBlockOnceByAHolder) {
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto const job = random_job(seed);
        for (auto const self : job.members) {
            auto const senders = senders_of(job, self);
            Deliveries deliveries;
            for (auto const* transfers : {&senders.in, &senders.local}) {
                for (auto const& [blocks, sender, receiver, request] : *transfers) {
                    ASSERT_EQ(receiver, self);
                    ASSERT_LT(blocks.first, blocks.last);
                    ASSERT_EQ(sender == self, transfers == &senders.local);
                    for (auto b = blocks.first; b < blocks.last; b = advance(b, 1)) {
                        deliveries[{request, value(b)}].push_back(sender);
                    }
                }
            }
            std::set<std::uint64_t> lost;
            auto const row = job.wanted[value(self)];
            for (std::uint64_t i = 0; i < row.size(); ++i) {
                for (auto b = row[i].first; b < row[i].last; b = advance(b, 1)) {
                    auto const holders = holders_of(job.directory, b);
                    auto const found = deliveries.find({i, value(b)});
                    if (holders.empty()) {
                        lost.insert(value(b));
                        ASSERT_EQ(found, deliveries.end());
                        continue;
                    }
                    ASSERT_NE(found, deliveries.end());
                    ASSERT_EQ(found->second.size(), 1u);
                    ASSERT_TRUE(holders.contains(found->second.front()));
                    ASSERT_EQ(found->second.front() == self, holders.contains(self));
                    deliveries.erase(found);
                }
            }
            ASSERT_TRUE(deliveries.empty());
            std::set<std::uint64_t> said_lost;
            for (auto const& range : senders.lost) {
                for (auto b = value(range.first); b < value(range.last); ++b) ASSERT_TRUE(said_lost.insert(b).second);
            }
            ASSERT_EQ(said_lost, lost);
        }
    }
}

TEST(LocalSenders, BothEndsFindTheSameInTheSameOrder) {
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto const job = random_job(seed);
        std::map<std::pair<PeId, PeId>, std::vector<RangeTransfer>> sent, received;
        for (auto const self : job.members) {
            auto const senders = senders_of(job, self);
            for (auto const& transfer : senders.out) {
                ASSERT_EQ(transfer.sender, self);
                sent[{self, transfer.receiver}].push_back(transfer);
            }
            for (auto const& transfer : senders.in) received[{transfer.sender, self}].push_back(transfer);
        }
        ASSERT_EQ(sent, received);
    }
}

TEST(LocalSenders, DivideEvenlyAmongHolders) {
    std::vector<PeId> const holders{PeId{2}, PeId{5}, PeId{6}};
    auto const parts_of = [&](std::uint64_t part_bytes, std::uint64_t seed) {
        std::map<PeId, std::uint64_t> bytes;
        BlockId next{10};
        divide_locally({{BlockId{10}, BlockId{40}}, PeId{0}}, holders, BlockSizes(50, 10), {seed, part_bytes},
                       [&](BlockRange part, PeId sender) {
                           EXPECT_EQ(part.first, next);
                           next = part.last;
                           EXPECT_TRUE(bytes.emplace(sender, part.size()).second);  // a part each
                       });
        EXPECT_EQ(next, BlockId{40});
        return bytes;
    };
    EXPECT_EQ(parts_of(100, 1), (std::map<PeId, std::uint64_t>{{PeId{2}, 10}, {PeId{5}, 10}, {PeId{6}, 10}}));
    std::map<PeId, int> drawn, drawn_twice;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        auto const whole = parts_of(151, seed);
        ASSERT_EQ(whole.size(), 1u);
        ++drawn[whole.begin()->first];
        auto const halves = parts_of(150, seed);
        ASSERT_EQ(halves.size(), 2u);
        for (auto const& [pe, blocks] : halves) {
            ++drawn_twice[pe];
            ASSERT_EQ(blocks, 15u);
        }
    }
    for (auto const pe : holders) {
        EXPECT_NEAR(drawn[pe], 100, 30);
        EXPECT_NEAR(drawn_twice[pe], 200, 30);
    }
}

/// Each PE loads what it submitted, from Permuted holders.
struct Rollback {
    double busiest = 0;  // bytes sent over the mean
    double bound = 0;    // that is exceeded once in a thousand times
};

Rollback roll_back(std::uint32_t num_pes, std::uint64_t blocks_per_pe, std::uint64_t range_blocks,
                   std::uint32_t num_dead, std::uint64_t seed) {
    auto const num_blocks = num_pes * blocks_per_pe;
    BlockSizes const sizes(num_blocks, 1000);
    std::vector<PeId> founders;
    for (std::uint32_t pe = 0; pe < num_pes; ++pe) founders.push_back(PeId{pe});
    Directory directory(placement::Permuted(num_blocks, num_pes, 3, {range_blocks, seed}), founders);
    auto members = founders;
    Random random(seed);
    while (members.size() > num_pes - num_dead) {
        members.erase(members.begin() + static_cast<std::ptrdiff_t>(random.below(members.size())));
    }
    directory.retain(members);
    std::vector<double> owed(num_pes, 0);
    std::vector<std::uint64_t> sent(num_pes, 0);
    double longest = 0, all = 0;
    LocalRule const rule{seed, 2000};
    for (auto const pe : members) {
        directory.visit(even_part<BlockId>(num_blocks, value(pe), num_pes), [&](placement::Run const& run) {
            auto const& holders = run.holders;
            if (holders.empty() || std::binary_search(holders.begin(), holders.end(), pe)) return;
            for (auto const holder : holders) {
                owed[value(holder)] +=
                    static_cast<double>(sizes.bytes(run.blocks)) / static_cast<double>(holders.size());
            }
            divide_locally({run.blocks, pe}, holders, sizes, rule, [&](BlockRange part, PeId sender) {
                sent[value(sender)] += sizes.bytes(part);
                longest = std::max(longest, static_cast<double>(sizes.bytes(part)));
                all += static_cast<double>(sizes.bytes(part));
            });
        });
    }
    auto const most_owed = *std::max_element(owed.begin(), owed.end());
    auto const log = std::log(static_cast<double>(num_pes) * 1000);
    auto const mean = all / static_cast<double>(members.size());
    return {static_cast<double>(*std::max_element(sent.begin(), sent.end())) / mean,
            (most_owed + std::sqrt(2 * longest * most_owed * log) + longest * log / 3) / mean};
}

TEST(LocalSenders, KeepTheBusiestNearAnEvenDivision) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        for (std::uint32_t const dead : {0U, 10U, 100U}) {
            auto const indivisible = roll_back(1000, 64, 1, dead, seed);
            EXPECT_LE(indivisible.busiest, indivisible.bound) << dead;
            auto const divisible = roll_back(1000, 64 * 9, 9, dead, seed);
            EXPECT_LE(divisible.busiest, divisible.bound) << dead;
            EXPECT_LE(divisible.busiest, indivisible.busiest) << dead;
        }
        EXPECT_LE(roll_back(1000, 64, 1, 0, seed).busiest, 1.45);
        EXPECT_LE(roll_back(1000, 64 * 9, 9, 0, seed).busiest, 1.1);
    }
}

}  // namespace
}  // namespace regraft::schedule
