// A model of exchanges between ranks: how long they take, and how many bytes travel within and between nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/ids.hpp"
#include "simulate/constants.hpp"

namespace regraft::plan::simulated {

/// How messages travel: all at the same time (collective), or in rounds, without or with regard to the nodes (rounds,
/// two_tier).
enum class Transport : std::uint8_t { collective, rounds, two_tier };

/// Bytes that one rank sends to another.
struct Message {
    PeId from{};
    PeId to{};
    std::uint64_t bytes = 0;
};

/// The memory that messages arrive in: memory that the rank has used before, or that it first gets from the system.
enum class Into : std::uint8_t { used_memory, fresh_memory };

/// The time and the bytes of an exchange, or of several together.
struct Volume {
    double seconds = 0;
    std::uint64_t bytes_within = 0;   // between ranks of the same node
    std::uint64_t bytes_between = 0;  // between ranks of different nodes

    void add(Volume const& other) {
        seconds += other.seconds;
        bytes_within += other.bytes_within;
        bytes_between += other.bytes_between;
    }
};

/// Measures exchanges by the alpha-beta model with two tiers. Full duplex: sending and receiving do not wait for each
/// other.
///
/// Collective: all messages are under way at the same time. An exchange takes as long as the slowest of these:
///
/// - a rank: alpha for each of its messages, and its bytes divided by its bandwidth, with constants of their own within
/// a
///   node (where only the receiver copies), between nodes, and to itself;
///
/// - a node: the bytes that leave or enter it divided by its bandwidth;
///
/// - the cores of a node, if it has fewer cores than ranks: the time of all its ranks divided by its cores.
///
/// Rounds: schedule::colour_edges or schedule::two_tier_rounds deals the messages to rounds. Each round takes as long
/// as such an exchange, and rounds follow each other.
class Network {
public:
    /// node_of: the node of each rank.
    Network(std::vector<std::uint32_t> node_of, Constants const& constants, Transport transport);

    /// An exchange, a call of which all `members` ranks make. Several messages between two ranks count as one. A
    /// message from a rank to itself counts as a copy in its memory. O(messages log messages).
    Volume exchange(std::vector<Message> messages, std::uint64_t members, Into memory = Into::used_memory);

    /// Adds a message to the collective exchange that finish() ends, for exchanges with too many messages to list.
    /// Preconditions: no two messages have the same sender and receiver; sender and receiver differ.
    void add(Message const& message, Into memory = Into::used_memory);
    /// Ends this exchange among `members` ranks.
    Volume finish(std::uint64_t members);

    /// How many times longer it takes if all ranks compute or copy at once than if one does so alone: at least 1, and
    /// more if a node has more ranks than cores.
    double crowding() const { return crowding_; }

private:
    /// What one rank has to send, or to receive: the alphas of its messages, then bytes.
    struct Work {
        double alpha_us = 0;
        std::uint64_t within = 0;
        std::uint64_t between = 0;
        std::uint64_t copied = 0;  // from the rank to itself
        std::uint64_t fresh = 0;   // received in fresh memory

        bool is_idle() const { return within + between + copied == 0; }
    };
    /// What all ranks have to send, or to receive; all 0 between two exchanges.
    struct Side {
        std::vector<Work> ranks;
        std::vector<std::uint64_t> nodes;   // by node: bytes that cross its border
        std::vector<double> ranks_of_node;  // by node: seconds of all its ranks together
        std::vector<PeId> busy;             // ranks with work
    };
    void copy(Message const& message);
    void add(Side& side, PeId rank, std::uint64_t bytes, bool within);
    std::vector<std::uint32_t> rounds_of(std::span<Message const> messages) const;
    double seconds_of(Work const& work, bool receives) const;
    double take_slowest(Side& side);
    double take_slowest();

    std::vector<std::uint32_t> node_of_;
    Constants constants_;
    Transport transport_;
    double crowding_ = 1;
    Side senders_;
    Side receivers_;
    Volume volume_;  // of the exchange under way
};

}  // namespace regraft::plan::simulated
