#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <boost/graph/push_relabel_max_flow.hpp>
#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/repair/plan.hpp"
#include "support/plans/flow_network.hpp"
#include "support/plans/listed_placement.hpp"
#include "support/plans/repair_checks.hpp"

namespace regraft::repair {
namespace {

using Pes = std::vector<PeId>;
using Bytes = std::vector<std::uint64_t>;
using placement::Directory;

Pes all_of(std::uint32_t count) {
    Pes pes;
    for (std::uint32_t pe = 0; pe < count; ++pe) pes.push_back(PeId{3 * pe + 1});
    return pes;
}

/// A job that loses members and repairs.
struct Job {
    Directory directory;
    BlockSizes sizes;
    Pes members;
    std::uint32_t replicas = 0;

    test::RepairModel model() const {
        test::RepairModel model{
            {}, {}, members, std::min<std::uint32_t>(replicas, static_cast<std::uint32_t>(members.size()))};
        directory.visit({BlockId{0}, BlockId{directory.num_blocks()}}, [&](placement::Run const& run) {
            for (auto b = run.blocks.first; b != run.blocks.last; b = advance(b, 1)) {
                model.holders.emplace_back(run.holders.begin(), run.holders.end());
                model.bytes.push_back(sizes.bytes(b));
            }
        });
        return model;
    }
    void kill(PeId victim) {
        std::erase(members, victim);
        directory.retain(members);
    }
    void kill_one(Random& random) { kill(members[random.below(members.size())]); }
    void carry_out(Plan const& plan) {
        for (auto const& step : plan.steps) {
            for (auto const& copy : step.copies) directory.add(copy.blocks, copy.receiver);
            for (auto const& drop : step.drops) directory.remove(drop.blocks, drop.holder);
        }
    }
};

BlockSizes random_sizes(std::uint64_t num_blocks, Random& random) {
    auto const most = 1 + random.below(40);
    if (random.below(2) == 0) return BlockSizes(num_blocks, random.below(3) == 0 ? random.below(2) : most);
    Bytes begins{0};
    for (std::uint64_t b = 0; b < num_blocks; ++b) {
        begins.push_back(begins.back() + (random.below(4) == 0 ? 0 : random.below(most)));
    }
    return BlockSizes(begins);
}

Job random_job(Random& random) {
    auto const slots = static_cast<std::uint32_t>(1 + random.below(20));
    auto const replicas = static_cast<std::uint32_t>(1 + random.below(std::min<std::uint32_t>(slots, 4)));
    auto const pes = all_of(slots);
    if (random.below(2) == 0) {
        auto const num_blocks = random.below(100);
        return {Directory(placement::ModK(num_blocks, slots, replicas), pes), random_sizes(num_blocks, random), pes,
                replicas};
    }
    auto const rule = test::shifted_runs(slots, replicas, random.below(5), 1 + random.below(6), random.bits());
    return {Directory(rule, pes), random_sizes(rule.shape().num_blocks, random), pes, replicas};
}

/// A room between just too little and more than enough.
Bytes random_room(Job const& job, Random& random) {
    auto const total = job.sizes.bytes() * job.replicas;
    auto const members = job.members.size();
    Bytes room;
    for (std::size_t i = 0; i < members; ++i) {
        auto const mean = total / members + 1;
        room.push_back(mean * (40 + random.below(100)) / 100 + random.below(20));
    }
    return room;
}

TEST(RepairProperty, RestoresAllCopiesWithoutLimits) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto job = random_job(random);
        while (job.members.size() > 1) {
            for (auto deaths = 1 + random.below(3); deaths > 0 && job.members.size() > 1; --deaths)
                job.kill_one(random);
            auto model = job.model();
            auto const plan = repair::plan(job.directory, job.sizes, job.members);
            ASSERT_EQ(test::fault(plan, model), "");
            job.carry_out(plan);
            ASSERT_EQ(job.model().holders, model.holders);
        }
    }
}

TEST(RepairProperty, KeepsToRoomAndNodes) {
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto job = random_job(random);
        for (int round = 0; round < 4 && job.members.size() > 1; ++round) {
            for (auto deaths = 1 + random.below(3); deaths > 0 && job.members.size() > 1; --deaths)
                job.kill_one(random);
            auto const room = random_room(job, random);
            std::vector<std::uint32_t> node_of;
            for (std::size_t i = 0; i < job.members.size(); ++i)
                node_of.push_back(static_cast<std::uint32_t>(random.below(4)));
            if (random.below(2) == 0) node_of.clear();
            job.replicas = static_cast<std::uint32_t>(1 + random.below(4));
            auto model = job.model();
            for (std::size_t i = 0; i < room.size(); ++i) model.room[job.members[i]] = room[i];
            Options const options{.replicas = job.replicas, .room = room, .node_of = node_of};
            auto const plan = repair::plan(job.directory, job.sizes, job.members, options);
            ASSERT_EQ(test::fault(plan, model), "");
            job.carry_out(plan);
            ASSERT_EQ(job.model().holders, model.holders);
        }
    }
}

/// The fewest blocks at the busiest receiver, if all blocks have one size: the smallest capacity with which a flow from
/// blocks to members that do not hold them takes all missing copies.
std::uint64_t fewest_received(test::RepairModel const& model) {
    auto const num_blocks = model.holders.size();
    std::int64_t wanted = 0;
    for (auto const& holders : model.holders) {
        if (!holders.empty() && holders.size() < model.replicas) {
            wanted += static_cast<std::int64_t>(model.replicas - holders.size());
        }
    }
    for (std::int64_t capacity = 0;; ++capacity) {
        test::FlowNetwork network(num_blocks + model.members.size() + 2);
        auto const source = num_blocks + model.members.size();
        auto const sink = source + 1;
        for (std::size_t b = 0; b < num_blocks; ++b) {
            auto const& holders = model.holders[b];
            if (holders.empty() || holders.size() >= model.replicas) continue;
            test::connect(network, source, b, static_cast<std::int64_t>(model.replicas - holders.size()));
            for (std::size_t i = 0; i < model.members.size(); ++i) {
                if (!holders.contains(model.members[i])) test::connect(network, b, num_blocks + i, 1);
            }
        }
        for (std::size_t i = 0; i < model.members.size(); ++i) test::connect(network, num_blocks + i, sink, capacity);
        if (boost::push_relabel_max_flow(network, source, sink) == wanted) return static_cast<std::uint64_t>(capacity);
    }
}

/// The fewest bytes at the busiest sender, if blocks could be divided.
std::uint64_t fewest_sent(test::RepairModel const& model) {
    std::map<std::set<PeId>, std::int64_t> wanted;
    std::int64_t all = 0;
    for (std::size_t b = 0; b < model.holders.size(); ++b) {
        auto const& holders = model.holders[b];
        if (holders.empty() || holders.size() >= model.replicas) continue;
        auto const bytes = static_cast<std::int64_t>((model.replicas - holders.size()) * model.bytes[b]);
        wanted[holders] += bytes;
        all += bytes;
    }
    auto const suffices = [&](std::int64_t capacity) {
        test::FlowNetwork network(wanted.size() + model.members.size() + 2);
        auto const source = wanted.size() + model.members.size();
        std::size_t group = 0;
        for (auto const& [holders, bytes] : wanted) {
            test::connect(network, source, group, bytes);
            for (std::size_t i = 0; i < model.members.size(); ++i) {
                if (holders.contains(model.members[i])) test::connect(network, group, wanted.size() + i, bytes);
            }
            ++group;
        }
        for (std::size_t i = 0; i < model.members.size(); ++i) {
            test::connect(network, wanted.size() + i, source + 1, capacity);
        }
        return boost::push_relabel_max_flow(network, source, source + 1) == all;
    };
    std::int64_t low = 0;
    std::int64_t high = all;
    while (low < high) {
        auto const middle = low + (high - low) / 2;
        suffices(middle) ? high = middle : low = middle + 1;
    }
    return static_cast<std::uint64_t>(low);
}

/// Draws up to most_copies holders of every block, any; or mostly the first half of the slots; or often the same as of
/// the block before.
Job scattered_job(std::uint32_t slots, std::uint64_t num_blocks, std::uint32_t most_copies, Random& random) {
    std::vector<test::ListedPlacement::Slots> slots_of;
    bool const skewed = random.below(2) == 0;
    bool const alike = random.below(2) == 0;
    for (std::uint64_t b = 0; b < num_blocks; ++b) {
        if (b > 0 && alike && random.below(6) > 0) {
            slots_of.push_back(slots_of.back());
            continue;
        }
        std::vector<std::uint32_t> all(skewed && random.below(8) > 0 ? (slots + 1) / 2 : slots);
        std::iota(all.begin(), all.end(), 0U);
        shuffle(std::span(all), random);
        all.resize(1 + random.below(std::min<std::uint64_t>(most_copies, all.size())));
        slots_of.emplace_back();
        for (auto const slot : all) slots_of.back().push_back(placement::Slot{slot});
    }
    auto const pes = all_of(slots);
    return {Directory(test::ListedPlacement(std::move(slots_of), slots, 1), pes), BlockSizes(num_blocks, 1), pes, 1};
}

TEST(RepairProperty, BusiestReceiverIsAsGoodAsAFlow) {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const slots = static_cast<std::uint32_t>(1 + random.below(7));
        auto job = scattered_job(slots, random.below(25), 3, random);
        job.replicas = static_cast<std::uint32_t>(1 + random.below(slots));
        auto model = job.model();
        auto const plan = repair::plan(job.directory, job.sizes, job.members, {.replicas = job.replicas});
        ASSERT_EQ(test::fault(plan, model), "");
        auto const mean = plan.bytes_missing / slots;
        auto const allowed = mean + (plan.bytes_missing % slots == 0 ? 0 : 1) + mean / 16;
        ASSERT_LE(plan.most_received, std::max(allowed, fewest_received(job.model())));
    }
}

/// The best that any sequence of single copies and drops can reach on a small instance with blocks of one byte, such
/// that each PE keeps to its room in the end: by a search through all states, in which no block has fewer than min(what
/// it had, level) copies. Level 0: there is no such sequence.
class BestReachable {
public:
    explicit BestReachable(test::RepairModel const& model) : model_(model), members_(model.members.size()) {
        for (auto const& holders : model.holders) start_.push_back(mask(holders));
    }

    struct Best {
        std::size_t level = 0;
        std::size_t copies = 0;  // none counted above level + 1 or model.replicas
        auto operator<=>(Best const&) const = default;
    };

    Best find() const {
        for (std::size_t level = model_.replicas; level > 0; --level) {
            auto const best = search(level);
            if (best.level == level) return best;
        }
        return {};
    }

private:
    using State = std::vector<unsigned>;

    unsigned mask(std::set<PeId> const& holders) const {
        unsigned bits = 0;
        for (std::size_t i = 0; i < members_; ++i) bits |= holders.contains(model_.members[i]) ? 1U << i : 0;
        return bits;
    }
    static std::size_t count(unsigned bits) { return static_cast<std::size_t>(std::popcount(bits)); }
    std::uint64_t used(State const& state, std::size_t member) const {
        std::uint64_t sum = 0;
        for (auto const bits : state) sum += bits >> member & 1;
        return sum;
    }
    Best worth(State const& state, std::size_t level) const {
        Best best{level, 0};
        for (std::size_t i = 0; i < members_; ++i) {
            if (used(state, i) > model_.room.at(model_.members[i])) return {};
        }
        for (auto const bits : state) {
            if (bits != 0 && count(bits) < level) best.level = 0;
            best.copies += std::min({count(bits), level + 1, std::size_t{model_.replicas}});
        }
        return best;
    }
    Best search(std::size_t level) const {
        std::set<State> seen{start_};
        std::vector<State> open{start_};
        auto best = worth(start_, level);
        while (!open.empty()) {
            auto const state = open.back();
            open.pop_back();
            best = std::max(best, worth(state, level));
            for (std::size_t b = 0; b < state.size(); ++b) {
                for (std::size_t i = 0; i < members_; ++i) {
                    if (state[b] == 0) continue;
                    bool const drops = (state[b] >> i & 1) != 0;
                    auto next = state;
                    next[b] ^= 1U << i;
                    if (drops && count(next[b]) < std::max<std::size_t>(1, std::min(count(start_[b]), level))) continue;
                    if (!drops && used(state, i) >= model_.room.at(model_.members[i])) continue;
                    if (seen.insert(next).second) open.push_back(next);
                }
            }
        }
        return best;
    }

    test::RepairModel const& model_;
    std::size_t members_;
    State start_;
};

TEST(RepairProperty, RoomIsUsedAsWellAsBySearchingAllStates) {
    std::uint64_t exchanged = 0;
    std::uint64_t lowered = 0;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const slots = static_cast<std::uint32_t>(1 + random.below(4));
        auto const num_blocks = 1 + random.below(slots == 4 ? 3 : 4);
        auto job = scattered_job(slots, num_blocks, 3, random);
        job.replicas = static_cast<std::uint32_t>(1 + random.below(slots));
        auto model = job.model();
        auto const used = model.used();
        Bytes room;
        for (auto const pe : job.members) {
            room.push_back(seed % 4 == 0 ? random.below(num_blocks + 1) : used.at(pe) + random.below(3));
            model.room[pe] = room.back();
        }
        auto const best = BestReachable(model).find();
        auto const plan = repair::plan(job.directory, job.sizes, job.members, {.replicas = job.replicas, .room = room});
        ASSERT_EQ(test::fault(plan, model), "");
        if (best.level == 0) continue;
        for (auto const& [pe, bytes] : model.used()) ASSERT_LE(bytes, model.room.at(pe));
        ASSERT_GE(plan.least_copies, best.level);
        std::size_t copies = 0;
        for (auto const& holders : model.holders) {
            copies += std::min({holders.size(), best.level + 1, std::size_t{job.replicas}});
        }
        ASSERT_GE(copies, best.copies);
        if (plan.bytes_copied > plan.bytes_missing) ++exchanged;
        if (plan.least_copies < job.replicas) ++lowered;
        if (plan.least_copies < job.replicas) {
            ASSERT_LE(plan.most_copies, plan.least_copies + 1);
        }
    }
    EXPECT_GT(exchanged, 20u);
    EXPECT_GT(lowered, 100u);
}

/// The most copies, at most `copies` of each block, that fit into the room, wherever they are now. Blocks of one byte.
std::uint64_t most_that_fit(test::RepairModel const& model, std::size_t copies) {
    auto const num_blocks = model.holders.size();
    auto const source = num_blocks + model.members.size();
    test::FlowNetwork network(source + 2);
    for (std::size_t b = 0; b < num_blocks; ++b) {
        if (model.holders[b].empty()) continue;
        test::connect(network, source, b, static_cast<std::int64_t>(copies));
        for (std::size_t i = 0; i < model.members.size(); ++i) test::connect(network, b, num_blocks + i, 1);
    }
    for (std::size_t i = 0; i < model.members.size(); ++i) {
        auto const room = static_cast<std::int64_t>(model.room.at(model.members[i]));
        test::connect(network, num_blocks + i, source + 1, room);
    }
    return static_cast<std::uint64_t>(boost::push_relabel_max_flow(network, source, source + 1));
}

/// Larger instances, where room is just enough or too little: whatever fits is reached.
TEST(RepairProperty, RoomIsUsedAsWellAsByAFlow) {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const slots = static_cast<std::uint32_t>(2 + random.below(9));
        auto const num_blocks = 1 + random.below(60);
        auto job = scattered_job(slots, num_blocks, 3, random);
        job.replicas = static_cast<std::uint32_t>(1 + random.below(std::min(slots, 4U)));
        auto model = job.model();
        Bytes room;
        for (auto const& [pe, bytes] : model.used()) {
            auto const mean = num_blocks * job.replicas / slots;
            room.push_back(seed % 2 == 0 ? bytes + random.below(3) : mean + random.below(3));
            model.room[pe] = room.back();
        }
        std::size_t level = 0;
        auto const living = static_cast<std::uint64_t>(std::count_if(
            model.holders.begin(), model.holders.end(), [](auto const& holders) { return !holders.empty(); }));
        while (level < job.replicas && most_that_fit(model, level + 1) == living * (level + 1)) ++level;
        auto const most = most_that_fit(model, std::min<std::size_t>(level + 1, job.replicas));
        auto const plan = repair::plan(job.directory, job.sizes, job.members, {.replicas = job.replicas, .room = room});
        ASSERT_EQ(test::fault(plan, model), "");
        if (level == 0) continue;
        std::uint64_t copies = 0;
        for (auto const& holders : model.holders) {
            copies += std::min({holders.size(), level + 1, std::size_t{job.replicas}});
        }
        ASSERT_GE(plan.least_copies, level);
        ASSERT_GE(copies, most);
    }
}

/// Blocks of different sizes, where each PE has room for half as much again as its part and for some blocks more.
TEST(RepairProperty, EverythingIsRestoredIfThereIsSomeRoomToSpare) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const slots = static_cast<std::uint32_t>(4 + random.below(9));
        auto const num_blocks = 1 + random.below(80);
        auto job = scattered_job(slots, num_blocks, 2, random);
        Bytes begins{0};
        for (std::uint64_t b = 0; b < num_blocks; ++b) begins.push_back(begins.back() + random.below(30));
        job.sizes = BlockSizes(begins);
        job.replicas = 2;
        auto model = job.model();
        Bytes room;
        for (auto const& [pe, bytes] : model.used()) room.push_back(bytes + model.missing() * 5 / 4 / slots + 30);
        for (std::size_t i = 0; i < room.size(); ++i) model.room[job.members[i]] = room[i];
        auto const plan = repair::plan(job.directory, job.sizes, job.members, {.replicas = 2, .room = room});
        ASSERT_EQ(test::fault(plan, model), "");
        ASSERT_EQ(plan.bytes_not_restored, 0u);
        ASSERT_EQ(plan.bytes_copied, plan.bytes_missing);
        ASSERT_LE(plan.steps.size(), 1u);
    }
}

TEST(RepairProperty, NewCopiesGoToNewNodesAsLongAsThereAre) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const slots = static_cast<std::uint32_t>(1 + random.below(10));
        auto job = scattered_job(slots, random.below(60), 2, random);
        job.replicas = static_cast<std::uint32_t>(1 + random.below(std::min(slots, 5U)));
        std::map<PeId, std::uint32_t> node;
        std::vector<std::uint32_t> node_of;
        std::set<std::uint32_t> nodes;
        for (auto const pe : job.members) {
            node_of.push_back(7 * static_cast<std::uint32_t>(random.below(5)));
            node[pe] = node_of.back();
            nodes.insert(node_of.back());
        }
        auto const before = job.model();
        auto after = before;
        auto const plan =
            repair::plan(job.directory, job.sizes, job.members, {.replicas = job.replicas, .node_of = node_of});
        ASSERT_EQ(test::fault(plan, after), "");
        auto const spread = [&](std::set<PeId> const& holders) {
            std::set<std::uint32_t> on;
            for (auto const pe : holders) on.insert(node.at(pe));
            return on.size();
        };
        for (std::size_t b = 0; b < before.holders.size(); ++b) {
            auto const added = after.holders[b].size() - before.holders[b].size();
            ASSERT_EQ(spread(after.holders[b]), std::min(spread(before.holders[b]) + added, nodes.size()));
        }
    }
}

struct Balance {
    double received = 0;  // most / mean
    double sent = 0;
    double held = 0;
};

Balance balance_of(Plan const& plan, Job const& job) {
    auto const members = static_cast<double>(job.members.size());
    auto const mean = static_cast<double>(plan.bytes_copied) / members;
    std::uint64_t most = 0;
    std::uint64_t all = 0;
    for (auto const& [pe, bytes] : job.model().used()) {
        most = std::max(most, bytes);
        all += bytes;
    }
    return {static_cast<double>(plan.most_received) / mean, static_cast<double>(plan.most_sent) / mean,
            static_cast<double>(most) * members / static_cast<double>(all)};
}

TEST(RepairProperty, IsBalancedOverManyFailures) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        std::uint32_t const slots = 16;
        auto const replicas = static_cast<std::uint32_t>(2 + seed % 3);
        auto const rule = test::shifted_runs(slots, replicas, 64, 8, seed);
        auto const num_blocks = rule.shape().num_blocks;
        Bytes begins{0};
        for (std::uint64_t b = 0; b < num_blocks; ++b) begins.push_back(begins.back() + 50 + random.below(100));
        Job job{Directory(rule, all_of(slots)), seed % 2 == 0 ? BlockSizes(num_blocks, 64) : BlockSizes(begins),
                all_of(slots), replicas};
        while (job.members.size() > 1) {
            job.kill_one(random);
            auto model = job.model();
            auto const before = model;
            auto const plan = repair::plan(job.directory, job.sizes, job.members);
            ASSERT_EQ(test::fault(plan, model), "");
            ASSERT_TRUE(plan.lost.empty());
            job.carry_out(plan);
            if (plan.bytes_copied == 0) continue;
            auto const balance = balance_of(plan, job);
            ASSERT_LE(balance.received, 1.1) << job.members.size() << " members";
            ASSERT_LE(balance.held, 1.05) << job.members.size() << " members";
            ASSERT_LE(balance.sent, 2.5) << job.members.size() << " members";  // copies went to various members
            if (balance.sent > 1.1) {
                auto const least = fewest_sent(before);
                ASSERT_LE(plan.most_sent, least + std::max(least / 20, std::uint64_t{150}));
            }
        }
    }
}

}  // namespace
}  // namespace regraft::repair
