// Plans how lost redundancy is restored: who gets which blocks from whom. Pure: the same on every PE.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/placement/directory.hpp"

namespace regraft::repair {

/// The receiver gets the blocks from the sender, which keeps them.
struct Copy {
    BlockRange blocks;
    PeId sender{};
    PeId receiver{};
    friend bool operator==(Copy const&, Copy const&) = default;
};

/// The holder gives up its copy.
struct Drop {
    BlockRange blocks;
    PeId holder{};
    friend bool operator==(Drop const&, Drop const&) = default;
};

/// Copies that can be made at the same time, then drops, when all copies have arrived.
struct Step {
    std::vector<Copy> copies;
    std::vector<Drop> drops;
};

struct Options {
    /// Copies that every block shall have; fewer if there are fewer members. 0: as many as at submission.
    std::uint32_t replicas = 0;
    /// Bytes of blocks that each member may hold, like members. Empty: no limit.
    std::span<std::uint64_t const> room{};
    /// The failure domain of each member, like members: new copies go where no other copy is, as long as there is such
    /// a place. Empty: every member is its own.
    std::span<std::uint32_t const> node_of{};
};

struct Plan {
    /// To be carried out one after the other. Without room there is at most one and it drops nothing.
    std::vector<Step> steps;
    /// The blocks that nobody holds, ascending, disjoint.
    std::vector<BlockRange> lost;
    /// How many copies the blocks have afterwards that are not lost: the fewest and the most. least == most unless room
    /// ended between two levels, and then they differ by one (or by what an indivisible block makes of that).
    std::uint32_t least_copies = 0;
    std::uint32_t most_copies = 0;
    /// Bytes of copies that were missing for Options::replicas, of those that stay missing because room does not
    /// suffice, and of all that is copied. Without room copied == missing.
    std::uint64_t bytes_missing = 0;
    std::uint64_t bytes_not_restored = 0;
    std::uint64_t bytes_copied = 0;
    /// The most bytes that one member sends, or receives, all steps together.
    std::uint64_t most_sent = 0;
    std::uint64_t most_received = 0;
};

/// The plan for these members, ascending, all of which the directory knows as alive.
Plan plan(placement::Directory const& directory, BlockSizes const& sizes, std::span<PeId const> members,
          Options const& options = {});

}  // namespace regraft::repair
