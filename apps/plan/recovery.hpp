// The recovery of a job that lost ranks, from who computed what to who sends which block in which round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "network.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/placement/placement.hpp"
#include "regraft/schedule/h_relation.hpp"

namespace regraft::plan {

/// A job before anything failed: equal partitions of blocks, dealt evenly to the ranks.
struct Job {
    std::uint32_t num_ranks = 0;
    std::uint32_t num_partitions = 1;
    placement::Any placement;  // of the blocks on the ranks
};

/// Which blocks survivors load.
enum class Wanted : std::uint8_t {
    gained,      // those of the dead; survivors keep their own
    everything,  // all blocks are dealt anew
};

struct Step {
    char const* name = "";
    double seconds = 0;
};

struct Recovery {
    std::vector<PeId> survivors;
    std::uint64_t num_requests = 0;
    schedule::HRelation relation;
    /// Proves relation.b: ranks who alone hold hall_blocks of the blocks to be sent, more than (b - 1) * |hall_set|.
    std::vector<PeId> hall_set;
    std::uint64_t hall_blocks = 0;
    /// Blocks to be sent / ranks that hold any of them, rounded up.
    std::uint64_t lower_bound = 0;
    /// Blocks that no survivor holds, whether somebody wants them or not.
    std::uint64_t num_extinct = 0;
    /// (rank, partition) pairs that came up.
    std::uint64_t new_pairs = 0;
    /// How long each part of the planning took.
    std::vector<Step> steps;
};

/// The plan; its b is the least. Throws InputError if nobody survives, or more is to be loaded than can be planned.
/// Precondition: failed ascends strictly, each below num_ranks. Deterministic but for the times.
Recovery plan_recovery(Job const& job, std::vector<PeId> const& failed, Wanted wanted, schedule::Messages messages);

/// What one side of the messages amounts to.
struct Traffic {
    PeId busiest{};
    std::uint64_t most_blocks = 0;    // of the busiest
    std::uint64_t most_messages = 0;  // of the rank with the most of them
};

Traffic sent(Recovery const& recovery);
Traffic received(Recovery const& recovery);

/// The sum over rounds of the time of the round's largest message.
double predicted_seconds(Recovery const& recovery, Network const& network, std::uint64_t block_bytes);

}  // namespace regraft::plan
