// Options of the erasure-coded store, and what it tells of a repair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "regraft/core/ids.hpp"
#include "regraft/erasure/code.hpp"
#include "regraft/store/options.hpp"
#include "regraft/store/reports.hpp"

#pragma GCC visibility push(default)
namespace regraft::store {

/// All members pass the same options, except for node and for what Keep says.
struct ErasureOptions {
    Transport transport = Transport::collective;  // how pieces and blocks travel
    OwnCopy own_copy = OwnCopy::copied;           // of the data that this PE submits
    /// With checksums (XXH3, 8 bytes per 64 KiB of each piece), a damaged piece counts as lost as a whole: what is
    /// wanted of it is rebuilt from others, and the next repair makes it anew.
    Integrity integrity = Integrity::unchecked;
    /// Bytes of memory of a PE for data under way while it encodes or rebuilds: a window of each of k + m pieces.
    std::uint64_t buffer_bytes = 16 << 20;
    /// This PE's failure domain (ft::node_ids). Either all members give one or none does.
    std::optional<std::uint32_t> node{};
    /// Files on the node that outlive the job (docs/mpi/restart.md). All pieces are in these files, this PE's own data
    /// included. Nothing: pieces are in the private memory of the PEs.
    std::optional<Keep> keep{};
};

/// What each PE may decide alone when pieces are made anew.
struct ErasureRepairOptions {
    /// Bytes that this PE may keep for the store when the repair is over (bytes_held). It keeps what it has. Pieces for
    /// which no PE has room stay missing, first those of stripes that lack the fewest. With fewer members than pieces
    /// the code gets fewer parities, or stays as it is if there is no room for all of the data.
    std::uint64_t room = std::numeric_limits<std::uint64_t>::max();
};

/// What a repair or scrub did, and the state afterwards. All but the last two are the same on all members.
struct [[nodiscard]] ErasureRepair {
    /// The blocks that cannot be rebuilt from what lives: ascending, disjoint. They stay lost until the next submit.
    std::vector<BlockRange> lost;
    /// Blocks in pieces with wrong checksums, among those that were looked at; and the number of parities with wrong
    /// checksums.
    std::vector<Damage> damaged;
    std::uint64_t damaged_parities = 0;  // of those that were looked at
    /// The code in use now: a smaller one if there are fewer members than the code before had pieces.
    erasure::Code code;
    /// The largest number of members, and of nodes, that may die now without further loss, whichever they are.
    std::uint32_t deaths_survived = 0;
    std::uint32_t nodes_survived = 0;  // whole failure domains
    /// Bytes of pieces that were made anew from others, and bytes that travelled between PEs for that.
    std::uint64_t bytes_restored = 0;
    std::uint64_t bytes_moved = 0;    // for that, in total
    std::uint64_t most_sent = 0;      // largest number of bytes that one PE sent
    std::uint64_t most_received = 0;  // largest number of bytes that one PE received
    /// Number of pieces that could be rebuilt, but for which no PE has room.
    std::uint64_t unplaced = 0;
    /// Bytes that this PE received from others, and bytes that it keeps.
    std::uint64_t bytes_received = 0;
    std::uint64_t bytes_held = 0;  // without what it holds by reference
};

/// All members pass the same, except for repair, where ErasureRepairOptions says what may differ.
struct ErasureReopenOptions {
    ReopenOptions::Lost lost = ReopenOptions::Lost::thrown;  // what is done about blocks that cannot be rebuilt
    /// How everything is encoded anew. Nothing: it is only read, and redundant again after the next submit or repair.
    /// Without ErasureOptions::node, members that share a folder are on one node.
    std::optional<ErasureRepairOptions> repair = ErasureRepairOptions{};
};

/// What a reopen found. All is the same on all members, except for bytes_inherited and what ErasureRepair says.
struct [[nodiscard]] ErasureReopen {
    /// The version of the store that is open now, and what was kept beside its blocks (set_attributes).
    std::uint64_t version = 0;
    std::vector<std::byte> attributes{};  // of the version; empty if none were set
    std::vector<std::string> refused{};   // what is wrong with files that were not used
    std::vector<BlockRange> lost{};       // blocks that cannot be rebuilt (Lost::left): ascending, disjoint
    ErasureRepair repaired{};             // how it was encoded anew
    std::uint64_t bytes_inherited = 0;    // of pieces that this PE has taken over on its node, without moving them
};

}  // namespace regraft::store
#pragma GCC visibility pop
