// What an exchange between ranks amounts to: bytes within and between nodes, and how long it takes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/ids.hpp"
#include "simulate/constants.hpp"

namespace regraft::plan::simulated {

/// How messages travel: all at the same time, or in rounds, with or without regard to the nodes.
enum class Transport : std::uint8_t { collective, rounds, two_tier };

/// Bytes that one rank sends to another.
struct Message {
    PeId from{};
    PeId to{};
    std::uint64_t bytes = 0;
};

/// The memory that messages arrive in: a rank has used it before, or gets it from the system meanwhile.
enum class Into : std::uint8_t { used_memory, fresh_memory };

/// An exchange, or several together.
struct Volume {
    double seconds = 0;
    std::uint64_t bytes_within = 0;   // of nodes
    std::uint64_t bytes_between = 0;  // nodes

    void add(Volume const& other) {
        seconds += other.seconds;
        bytes_within += other.bytes_within;
        bytes_between += other.bytes_between;
    }
};

/// Measures exchanges by the alpha-beta model with two tiers. Full duplex: sending and receiving do not wait for each
/// other.
///
/// Collective: all messages are under way at the same time. A rank takes alpha for each of its messages and its bytes
/// divided by its bandwidth, each within a node, where only the receiver copies, between nodes, and to itself; a node
/// takes the bytes that leave or enter it divided by its bandwidth; and if a node has fewer cores than ranks, the time
/// of all its ranks divided by its cores. The slowest counts. Rounds: schedule::colour_edges or
/// schedule::two_tier_rounds deals the messages to rounds, in which the same holds, and the rounds follow each other.
class Network {
public:
    /// node_of: the node of each rank.
    Network(std::vector<std::uint32_t> node_of, Constants const& constants, Transport transport);

    /// An exchange among so many ranks. Several messages between two ranks count as one; from a rank to itself, as a
    /// copy in its memory. O(messages log messages).
    Volume exchange(std::vector<Message> messages, std::uint64_t members, Into memory = Into::used_memory);

    /// Adds a message to a collective exchange that is not yet over, for exchanges with too many messages to list.
    /// Precondition: no two have the same ranks; sender and receiver differ.
    void add(Message const& message, Into memory = Into::used_memory);
    /// Ends that exchange.
    Volume finish(std::uint64_t members);

    /// How many times as long all ranks compute or copy at once as one of them alone: at least 1, and more if a node
    /// has more ranks than cores.
    double crowding() const { return crowding_; }

private:
    /// What one rank has to do in one direction.
    struct Work {
        double alpha_us = 0;
        std::uint64_t within = 0;
        std::uint64_t between = 0;
        std::uint64_t copied = 0;  // from the rank to itself
        std::uint64_t fresh = 0;   // of what was received

        bool is_idle() const { return within + between + copied == 0; }
    };
    /// What all have to do in one direction; all 0 between two exchanges.
    struct Side {
        std::vector<Work> ranks;
        std::vector<std::uint64_t> nodes;   // bytes that cross the border of the node
        std::vector<double> ranks_of_node;  // seconds of all of them together
        std::vector<PeId> busy;
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
