// Transfers in as few rounds as possible.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "regraft/schedule/edge_colouring.hpp"

namespace regraft::plan {

/// The round of a transfer whose sender is its receiver: nothing is sent, and no rank is delayed.
inline constexpr std::uint32_t no_round = std::numeric_limits<std::uint32_t>::max();

/// How much one kind of rank has to do: those that send, or those that receive.
struct Degrees {
    std::uint32_t largest = 0;
    std::uint32_t busiest = 0;    // the first rank with the largest one; means nothing if that is 0
    std::uint64_t num_ranks = 0;  // that have any transfer
};

struct RoundPlan {
    /// Per transfer: below num_rounds, or no_round.
    std::vector<std::uint32_t> round;
    /// The largest degree: no plan has fewer rounds.
    std::uint32_t num_rounds = 0;
    /// Per round, how many transfers it has.
    std::vector<std::uint64_t> round_size;
    std::uint64_t num_local = 0;
    Degrees sent;
    Degrees received;
};

/// Rounds such that in each a rank sends at most one transfer and receives at most one. Ranks may be sparse: memory is
/// O(transfers). Deterministic.
RoundPlan plan_rounds(std::span<schedule::Edge const> transfers);

}  // namespace regraft::plan
