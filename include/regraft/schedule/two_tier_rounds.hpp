// Rounds of messages between PEs that share nodes. There are two tiers: a PE has one message at a time in each
// direction, and the PEs of a node share its network adapter. Pure: the same on every PE.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/schedule/edge_colouring.hpp"

#pragma GCC visibility push(default)
namespace regraft::schedule {

/// Returns a round for each message, below largest_degree(messages). Rounds are valid and as few as with colour_edges:
/// in each a PE sends at most one message and receives at most one. Moreover, what each node sends to other nodes and
/// receives from them is spread over the rounds, so that its adapter is seldom crowded in one round and idle in
/// another.
///
/// What counts is the sum, over all rounds, of the bytes that the busiest node of the round sends or receives. A lower
/// bound of the sum is B, the bytes that the busiest node sends or receives in all rounds together. The sum is no
/// larger than with colour_edges, whose rounds stay if their sum is at most B + B/50. If all messages have s bytes and
/// go to other nodes, and there are 2^k rounds, the sum is at most the larger of B + B/50 and B + 2^k * s * k / 2.
///
/// messages: from the PE `left` to the PE `right`. bytes: of each message. node_of: the node of each PE. Deterministic.
/// Takes what colour_edges takes, and O(messages log rounds) more. Preconditions: those of colour_edges; the sum of all
/// bytes is below 2^63.
std::vector<std::uint32_t> two_tier_rounds(std::span<Edge const> messages, std::span<std::uint64_t const> bytes,
                                           std::span<std::uint32_t const> node_of);

}  // namespace regraft::schedule
#pragma GCC visibility pop
