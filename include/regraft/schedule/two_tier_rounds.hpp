// Rounds of messages between PEs that share nodes: on the first tier a PE has one message at a time in each direction,
// on the second tier the PEs of a node share its network adapter.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/schedule/edge_colouring.hpp"

#pragma GCC visibility push(default)
namespace regraft::schedule {

/// A round for each message, from left to right, below largest_degree(messages): as few rounds as colour_edges needs,
/// and as valid. Moreover, what a node sends to others and receives from them is spread over the rounds. So rounds in
/// which all PEs of a node send at once, while its adapter is idle in others, become rare.
///
/// What counts is the sum, over all rounds, of the bytes that the busiest node of the round sends or receives. Its
/// lower bound are the bytes B of the busiest node in all rounds. The sum is no more than that of colour_edges, whose
/// rounds stay if they are within 1/50 of the bound. If all messages have s bytes and go to other nodes, and there are
/// 2^k rounds, the sum is within 1/50 or within 2^k * s * k / 2 of B.
///
/// bytes: of each message. node_of: by PE, as in the messages. Deterministic, the same on every PE. Takes what
/// colour_edges takes, and O(messages log rounds) more. Preconditions as of colour_edges; the sum of all bytes is below
/// 2^63.
std::vector<std::uint32_t> two_tier_rounds(std::span<Edge const> messages, std::span<std::uint64_t const> bytes,
                                           std::span<std::uint32_t const> node_of);

}  // namespace regraft::schedule
#pragma GCC visibility pop
