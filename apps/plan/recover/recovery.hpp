// The recovery of a job that lost ranks: which rank sends which block to which rank, in which round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "input/network.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/placement/placement.hpp"
#include "regraft/schedule/h_relation.hpp"

namespace regraft::plan {

/// A job before anything failed: equal partitions of blocks, dealt evenly to the ranks.
struct Job {
    std::uint32_t num_ranks = 0;
    std::uint32_t num_partitions = 1;
    std::uint64_t block_bytes = 1;
    placement::Any placement;  // of the blocks on the ranks
};

/// Which blocks survivors load.
enum class Wanted : std::uint8_t {
    gained,      // those of the dead; survivors keep their own
    everything,  // all blocks are dealt anew
};

/// How senders are chosen.
enum class Rule : std::uint8_t {
    least,   // block by block, so that b is the least (schedule::h_relation)
    ranges,  // by ranges of blocks, as the store does (schedule::choose_range_senders)
    local,   // as the store does if very many ranges are wanted (schedule::choose_senders_locally)
};

struct PlanOptions {
    Wanted wanted = Wanted::gained;
    schedule::Messages messages = schedule::Messages::per_block;
    /// Recovery::rounds is filled in.
    bool lists_transfers = false;
};

struct TimedStep {
    char const* name = "";
    double seconds = 0;
};

/// What one side of the messages amounts to.
struct Traffic {
    PeId busiest{};
    std::uint64_t most_blocks = 0;    // of the busiest
    std::uint64_t most_messages = 0;  // of the rank with the most of them
};

struct Recovery {
    std::vector<PeId> survivors;
    /// Blocks that survivors load: those that are sent, those that the rank which wants them holds, and the lost.
    std::uint64_t num_requests = 0;
    std::uint64_t num_sent = 0;
    std::uint64_t num_local = 0;
    std::uint64_t num_lost = 0;
    /// The lost ones: ascending, disjoint, not adjacent.
    std::vector<BlockRange> lost;
    Rule rule = Rule::least;
    /// The most blocks that one rank sends, and the least that any choice of senders can reach.
    std::uint64_t b = 0;
    std::uint64_t least_b = 0;
    /// Proves least_b: ranks that alone hold hall_blocks of the blocks to be sent, more than (least_b - 1) *
    /// |hall_set|.
    std::vector<PeId> hall_set;
    std::uint64_t hall_blocks = 0;
    /// Blocks to be sent / ranks that hold any of them, rounded up.
    std::uint64_t lower_bound = 0;
    /// By round: the blocks of its largest message.
    std::vector<std::uint64_t> largest_messages;
    Traffic sent;
    Traffic received;
    /// Blocks that no survivor holds, whether a rank wants them or not.
    std::uint64_t num_extinct = 0;
    /// (rank, partition) pairs that came up.
    std::uint64_t new_pairs = 0;
    /// Row = round. Empty unless asked for.
    Csr<schedule::Transfer> rounds;
    /// How long each part of the planning took.
    std::vector<TimedStep> steps;
};

/// The plan. What is gained is planned by Rule::least; everything, by the rule that the store takes for as many ranges.
/// Throws InputError if no rank survives, or more is to be loaded than can be planned. Precondition: failed ascends
/// strictly, each below num_ranks. Deterministic but for the times.
Recovery plan_recovery(Job const& job, std::vector<PeId> const& failed, PlanOptions const& options);

/// The sum over rounds of the time of the round's largest message.
double predicted_seconds(Recovery const& recovery, Network const& network, std::uint64_t block_bytes);

}  // namespace regraft::plan
