// Reports and errors of the collectives of a store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "regraft/core/ids.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/repair/plan.hpp"

#pragma GCC visibility push(default)
namespace regraft::store {

/// Blocks are wanted that no living PE holds and no source of last resort has brought. Thrown on all members alike.
class DataLost : public std::runtime_error, public ft::Uniform {
public:
    /// `what` goes to what(), `ranges` to ranges(), `why` to why().
    DataLost(std::string const& what, std::vector<BlockRange> ranges, std::string why = {})
        : std::runtime_error(what), ranges_(std::move(ranges)), why_(std::move(why)) {}
    /// The lost blocks: ascending, disjoint; the same on all members.
    std::vector<BlockRange> const& ranges() const { return ranges_; }
    /// What the source of last resort said where it failed first; empty if there was none. The same on all members.
    std::string const& why() const { return why_; }

private:
    std::vector<BlockRange> ranges_;
    std::string why_;
};

/// Blocks repeatedly arrived different from what was sent, although the senders have them undamaged. Thrown on all
/// members alike.
class DamagedInTransit : public ft::MpiError, public ft::Uniform {
public:
    using MpiError::MpiError;
};

/// A replica that differs from what was submitted.
struct Damage {
    BlockRange blocks;  // consecutive
    PeId holder{};      // the PE that kept it
    friend bool operator==(Damage const&, Damage const&) = default;
};

/// How much of a version was sent because it had changed. The same on all members.
struct ChangesReport {
    std::uint64_t changed_bytes = 0;    // of all members together
    std::uint64_t submitted_bytes = 0;  // what they have submitted
    friend bool operator==(ChangesReport const&, ChangesReport const&) = default;
};

/// What an update did. The same on all members.
struct [[nodiscard]] UpdateReport {
    std::uint64_t blocks_changed = 0;  // that all members together have given
    std::uint64_t bytes_changed = 0;   // of these blocks
    std::uint64_t bytes_moved = 0;     // that travelled between different PEs, in total
    /// Blocks that were lost and are there again: ascending, disjoint. The members that gave them hold them, in one
    /// copy each until the next repair.
    std::vector<BlockRange> regained{};
};

/// What a load did. All but the last two are the same on all members.
struct [[nodiscard]] LoadReport {
    /// Blocks that a member wanted and no living PE holds, also if they were read again: ascending, disjoint.
    std::vector<BlockRange> lost;
    /// Replicas whose checksums were wrong. Each was replaced if there was a good one; otherwise its blocks are lost.
    std::vector<Damage> damaged;
    /// The largest number of blocks that one PE sent.
    std::uint64_t b = 0;
    /// The number of rounds that messages of one block would take: the largest number of blocks that one PE sent or
    /// received.
    std::uint64_t rounds = 0;
    /// Blocks and bytes that travelled between different PEs, in total.
    std::uint64_t blocks_moved = 0;
    std::uint64_t bytes_moved = 0;  // in total
    /// Bytes among these that travelled between nodes. 0 if the placement does not know the nodes.
    std::uint64_t bytes_between_nodes = 0;
    /// The largest number of bytes that one PE sent; a lower bound for it over all choices of senders (an equal share
    /// of everything, if no PE planned for all); and the largest number of bytes that one PE received.
    std::uint64_t most_sent = 0;
    std::uint64_t most_sent_bound = 0;  // no choice of senders has fewer
    std::uint64_t most_received = 0;    // largest number of bytes that one PE received
    /// Bytes that this PE received from others, and bytes that it held itself.
    std::uint64_t bytes_received = 0;
    std::uint64_t bytes_local = 0;  // held by itself
};

/// What a repair carried out in total, including further plans that were needed because damage was found. What it says
/// of copies is the final state. The same on all members.
struct [[nodiscard]] RepairReport : repair::Plan {
    /// Replicas that were to be copied and had wrong checksums. They count no more; others have been made instead.
    std::vector<Damage> damaged{};
};

/// What a reopen found. All but the last is the same on all members.
struct [[nodiscard]] ReopenReport {
    /// The version of the store that is open now, and what was kept beside its blocks (set_attributes).
    std::uint64_t version = 0;
    std::vector<std::byte> attributes{};  // of the version; empty if none were set
    /// What is wrong with files that were not used.
    std::vector<std::string> refused{};
    /// Blocks that no node has any more (ReopenOptions::Lost::left): ascending, disjoint.
    std::vector<BlockRange> lost{};
    /// The copies that were made because nodes are missing; nothing without ReopenOptions::repair.
    RepairReport repaired{};
    /// Bytes of blocks that this PE has taken over on its node, without moving them.
    std::uint64_t bytes_inherited = 0;
};

/// What a scrub found. All but the last is the same on all members.
struct [[nodiscard]] ScrubReport {
    /// Replicas that differed from what was submitted.
    std::vector<Damage> damaged{};
    /// Blocks without any good replica left: ascending, disjoint.
    std::vector<BlockRange> lost{};
    /// Bytes of blocks that this PE looked at.
    std::uint64_t bytes_verified = 0;
};

}  // namespace regraft::store
#pragma GCC visibility pop
