// What the collectives of a store tell about themselves.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "regraft/core/ids.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/repair/plan.hpp"

namespace regraft::store {

/// Wanted blocks that nobody alive holds and no source of last resort has brought. Thrown on all members alike.
class DataLost : public std::runtime_error, public ft::Uniform {
public:
    DataLost(std::string const& what, std::vector<BlockRange> ranges, std::string why = {})
        : std::runtime_error(what), ranges_(std::move(ranges)), why_(std::move(why)) {}
    /// Ascending, disjoint; the same on all members.
    std::vector<BlockRange> const& ranges() const { return ranges_; }
    /// What the source of last resort said where it failed first; empty if there was none. The same on all members.
    std::string const& why() const { return why_; }

private:
    std::vector<BlockRange> ranges_;
    std::string why_;
};

/// Blocks arrived other than they had been sent, again and again, although those who sent them have them undamaged.
/// Thrown on all members alike.
class DamagedInTransit : public ft::MpiError, public ft::Uniform {
public:
    using MpiError::MpiError;
};

/// A replica that was not what had been submitted.
struct Damage {
    BlockRange blocks;
    PeId holder{};
    friend bool operator==(Damage const&, Damage const&) = default;
};

/// What a load did. All but the last two are the same on all members.
struct [[nodiscard]] LoadReport {
    /// Wanted by somebody and held by nobody alive, ascending, disjoint; also if they were read again.
    std::vector<BlockRange> lost;
    /// Replicas whose checksums were wrong. They have been replaced if there was a good one, else they are lost.
    std::vector<Damage> damaged;
    /// The most blocks that one PE sent.
    std::uint64_t b = 0;
    /// Messages of one block would take so many rounds: the most blocks that one PE sent or received.
    std::uint64_t rounds = 0;
    /// Between different PEs, all together.
    std::uint64_t blocks_moved = 0;
    std::uint64_t bytes_moved = 0;
    /// The most bytes that one PE sent, what no choice of senders could have gone below (an equal share of everything,
    /// if nobody planned for all), and the most that one received.
    std::uint64_t most_sent = 0;
    std::uint64_t most_sent_bound = 0;
    std::uint64_t most_received = 0;
    /// By this PE from others, and that it held itself.
    std::uint64_t bytes_received = 0;
    std::uint64_t bytes_local = 0;
};

/// What a repair carried out altogether, also by plans that another one had to follow because damage was found; what it
/// says of copies is how it ended. The same on all members.
struct [[nodiscard]] RepairReport : repair::Plan {
    /// Replicas that were to be copied and had wrong checksums. They count no more; others have been made instead.
    std::vector<Damage> damaged{};
};

/// What a scrub found. All but the last is the same on all members.
struct [[nodiscard]] ScrubReport {
    /// Replicas that were not what had been submitted.
    std::vector<Damage> damaged{};
    /// Blocks of which no good replica was left: ascending, disjoint.
    std::vector<BlockRange> lost{};
    /// Bytes of blocks that this PE looked at.
    std::uint64_t bytes_verified = 0;
};

}  // namespace regraft::store
