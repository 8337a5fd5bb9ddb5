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

/// Copies that can be made at the same time, then drops, when all copies have arrived: there is room for both until
/// then.
struct Step {
    std::vector<Copy> copies;
    std::vector<Drop> drops;
};

struct Options {
    /// Copies that every block shall have; fewer if there are fewer members. 0: as many as at submission.
    std::uint32_t replicas = 0;
    /// Bytes of blocks that each member may hold, like members. Who holds more gives up what it can. Empty, or
    /// all 2^64 - 1: no limit.
    std::span<std::uint64_t const> room{};
    /// The failure domain of each member, like members: new copies go where no other copy is, as long as there is such
    /// a place (and, with room, as long as nothing needs to be exchanged). Empty: every member is its own.
    std::span<std::uint32_t const> node_of{};
    /// Bytes of blocks that each member holds by the directory, like members, if somebody knows. Empty: that is worked
    /// out, which takes O(members) if all blocks have one size, else a look at every run.
    std::span<std::uint64_t const> held{};
};

struct Plan {
    /// To be carried out one after the other. Without room there is at most one and it drops nothing.
    std::vector<Step> steps;
    /// The blocks that nobody holds, ascending, disjoint.
    std::vector<BlockRange> lost;
    /// How many copies the blocks have afterwards that are not lost: the fewest and the most; 0 if all are. The fewest
    /// are min(replicas, members) unless room does not suffice for that, and then the most are one more at most (blocks
    /// of different sizes: or what an indivisible block makes of that). Otherwise there are more only where there were.
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

/// The plan for these members, ascending: all that the directory knows as holders (so retain first). Deterministic, by
/// integers only.
///
/// Without room: every missing copy is made once and nothing is dropped. The busiest receiver gets no more than 17/16
/// of the mean, or else as little as any choice of receivers can give it; exactly so (rounded up to a block) if all
/// blocks have one size and domains are not given, else give or take a block at either end of each of its copies.
/// Within that, those get more who hold less, so that members end up holding as equally much as possible. The busiest
/// sender is what schedule::choose_range_senders promises.
///
/// With room: if there is a way to hold all missing copies, blocks of one size, they are planned: where they just fit,
/// as without room; else a member with room takes another block from one without, which then takes ours (bytes_copied
/// > bytes_missing). If not, as many copies of every block as fit for all, and one more of as many blocks as possible;
/// copies above that are dropped, but never a last one, even if room does not suffice for it. At no moment does a
/// member exceed its room that did not before, or has a block fewer copies than it had and least_copies (blocks of
/// different sizes: than one). Blocks of different sizes are planned as if they could be divided and then placed where
/// they fit, so a little room may stay unused.
///
/// Without room O(members + (dead + table of the directory + pieces) log) time in general, where pieces are runs that
/// are short of copies, and memory by members and pieces; a look at every run is taken only if Options::replicas is
/// more than at submission (or Options::held says so). With room that does not suffice, pieces are all runs, and every
/// block that has to make way costs a search. Precondition: sizes has the directory's blocks; sizes.bytes() * replicas
/// < 2^63.
Plan plan(placement::Directory const& directory, BlockSizes const& sizes, std::span<PeId const> members,
          Options const& options = {});

}  // namespace regraft::repair
