// Plans how lost redundancy is restored: which PE gets which blocks from which. Pure: the same on every PE.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/placement/directory.hpp"

#pragma GCC visibility push(default)
namespace regraft::repair {

/// A copy to be made: the receiver gets the blocks from the sender, which keeps them.
struct Copy {
    BlockRange blocks;  // consecutive
    PeId sender{};      // a member that holds them
    PeId receiver{};    // a member that does not
    friend bool operator==(Copy const&, Copy const&) = default;
};

/// A copy to be dropped: the holder gives it up.
struct Drop {
    BlockRange blocks;  // consecutive
    PeId holder{};      // keeps no copy of them
    friend bool operator==(Drop const&, Drop const&) = default;
};

/// Copies that can be made at the same time, and drops that follow when all copies have arrived. Until then the members
/// have room for both.
struct Step {
    std::vector<Copy> copies;  // in no particular order
    std::vector<Drop> drops;   // carried out after all copies
};

/// What the plan has to achieve, and what it may use. All members pass the same.
struct Options {
    /// Number of copies that every block shall have; fewer if there are fewer members. 0: as many as at submission.
    std::uint32_t replicas = 0;
    /// Bytes of blocks that each member may hold, parallel to members. A member that holds more gives up what it can.
    /// Empty, or all 2^64 - 1: no limit.
    std::span<std::uint64_t const> room{};
    /// The failure domain of each member, parallel to members. A new copy goes to a domain without a copy of the block,
    /// as long as there is one (and, with room, as long as nothing needs to be exchanged). Empty: every member is its
    /// own domain.
    std::span<std::uint32_t const> node_of{};
    /// Bytes of blocks that each member holds by the directory, parallel to members, if the caller knows them. Empty:
    /// the function computes them, which takes O(members) if all blocks have one size, and otherwise a look at every
    /// run.
    std::span<std::uint64_t const> held{};
};

/// The domains of the members, parallel to them, from those of all PEs by PeId. Empty if all members are on one node or
/// each is on its own, because then a plan need not care; also if by_pe is empty. O(members log members).
std::vector<std::uint32_t> domains_of(std::span<PeId const> members, std::span<std::uint32_t const> by_pe);

/// A plan, and what it achieves.
struct Plan {
    /// The steps, to be carried out one after the other. Without room there is at most one, and it drops nothing.
    std::vector<Step> steps;
    /// The blocks that no member holds: ascending, disjoint.
    std::vector<BlockRange> lost;
    /// The smallest and the largest number of copies that a block has afterwards, among blocks that are not lost; 0 if
    /// all are lost. The smallest is min(replicas, members) unless room does not suffice for that; in that case the
    /// largest is at most one more (with blocks of different sizes, as far as indivisible blocks allow). Otherwise a
    /// block has more copies than the smallest number only if it had them before.
    std::uint32_t least_copies = 0;
    std::uint32_t most_copies = 0;  // counts blocks that keep more than replicas, too
    /// Bytes of copies that were missing for Options::replicas, of those that stay missing because room does not
    /// suffice, and of all that is copied. Without room, copied == missing.
    std::uint64_t bytes_missing = 0;
    std::uint64_t bytes_not_restored = 0;  // missing for lack of room
    std::uint64_t bytes_copied = 0;        // over all steps
    /// The largest number of bytes that one member sends, and that one member receives, over all steps together.
    std::uint64_t most_sent = 0;
    std::uint64_t most_received = 0;  // over all steps
};

/// Makes the plan for these members, ascending. They must be all PEs that the directory knows as holders (so call
/// retain first). Deterministic, with integers only.
///
/// Without room: every missing copy is made once, and nothing is dropped. The busiest receiver gets at most 17/16 of
/// the mean, or else as little as any choice of receivers can give it. That is exact (rounded up to a block) if all
/// blocks have one size and domains are not given; otherwise it holds give or take a block at either end of each of its
/// copies. Within that bound, members that hold less get more, so that members end up holding as evenly as possible.
/// schedule::choose_range_senders bounds the busiest sender.
///
/// With room: if all missing copies can be held (counting blocks of one size), they are all planned. Where a copy just
/// fits, it is placed as without room. Otherwise a member with room takes another block from a member without, and that
/// member takes the missing copy (bytes_copied > bytes_missing). If not all can be held, every block gets as many
/// copies as fit for all blocks, and as many blocks as possible get one more. Copies above that are dropped, but never
/// a last one, even if room does not suffice for it. At no moment does a member exceed its room that did not before;
/// nor does a block have fewer copies than both it had and least_copies (with blocks of different sizes: than one).
/// Blocks of different sizes are planned as if they could be divided and then placed where they fit, so a little room
/// may stay unused.
///
/// Without room O(members + (dead + table of the directory + pieces) log) time in general, where pieces are runs that
/// lack copies, and memory by members and pieces. Every run is looked at only if Options::replicas is larger than at
/// submission (or if Options::held says so). With room that does not suffice, pieces are all runs, and every block that
/// has to make way costs a search. Precondition: sizes has the directory's blocks; sizes.bytes() * replicas < 2^63.
Plan plan(placement::Directory const& directory, BlockSizes const& sizes, std::span<PeId const> members,
          Options const& options = {});

}  // namespace regraft::repair
#pragma GCC visibility pop
