// How a store moves and keeps its blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/ft/transport.hpp"

namespace regraft::store {

/// Transport::rounds also carries start_load.
using Transport = ft::Transport;

/// How a PE keeps its copy of the blocks that it submits itself, where the placement gives it one.
enum class OwnCopy {
    copied,
    /// By reference: the memory given to submit must stay as it is as long as this version, or the store, lives.
    referenced,
};

enum class Integrity {
    unchecked,
    /// Checksums (XXH3, 8 bytes per 64 KiB of blocks) travel with the blocks. A load verifies what it reads before it
    /// is sent; a bad replica is replaced by a good one and reported.
    checked,
};

struct Options {
    Transport transport = Transport::collective;
    OwnCopy own_copy = OwnCopy::copied;
    Integrity integrity = Integrity::unchecked;
    /// If all members together want more runs of blocks with the same holders than about this (estimated from a sample,
    /// alike on all), nobody plans for all: senders follow from a rule that each PE evaluates for itself, less evenly
    /// (schedule::choose_senders_locally).
    std::uint64_t most_planned_runs = 500'000;
};

/// What all members submit, where everybody knows it already; the same on all of them.
struct Submissions {
    /// Of each member, by its position: disjoint, covering the blocks 0 .. n-1.
    std::span<BlockRange const> ranges;
    BlockSizes sizes;
    /// Failure domains of the members (ErasureOptions::node), or nothing. Only for erasure codes.
    std::span<std::uint32_t const> node_of{};
};

/// What a member says of a submit that need not be.
struct Vote {
    bool in_favour = true;
    /// A hash of what must be the same on all members, as far as 15 of its bits tell.
    std::uint64_t alike = 0;
};

/// What a load does about wanted blocks that nobody alive holds; the same on all members, but for the function itself.
struct LoadOptions {
    /// A source of last resort, such as the input file: called on each PE that wants lost blocks, once for each range
    /// of them in each of its requests, with their place in the output. It calls no collective; if it throws on
    /// anybody, all members throw DataLost. Empty: there is none.
    std::function<void(BlockRange, std::span<std::byte>)> reread{};
    enum class Lost {
        thrown,  // DataLost, on all members alike
        left,    // their places in the output stay as they were; the report names them
    } lost = Lost::thrown;
};

/// What a PE says for itself when redundancy is restored.
struct RepairOptions {
    /// Copies that every block shall have; the same on all members. 0: as many as at submission.
    std::uint32_t replicas = 0;
    /// Bytes of blocks that this PE may hold when the repair is over.
    std::uint64_t room = std::numeric_limits<std::uint64_t>::max();
    /// This PE's failure domain (ft::node_ids); all members give one or none does.
    std::optional<std::uint32_t> node{};
};

}  // namespace regraft::store
