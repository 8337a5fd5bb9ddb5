#include <algorithm>
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
#include "support/flow_network.hpp"
#include "support/listed_placement.hpp"
#include "support/repair_checks.hpp"

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

/// Between what is just too little and more than enough.
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

}  // namespace
}  // namespace regraft::repair
