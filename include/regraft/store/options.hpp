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
#include "regraft/store/keep.hpp"

#pragma GCC visibility push(default)
namespace regraft::store {

/// Transport::rounds is also what start_load uses.
using Transport = ft::Transport;

/// How a PE keeps its copy of the blocks that it submits itself, if the placement makes it a holder.
enum class OwnCopy {
    copied,
    /// By reference: the memory given to submit must not change as long as this version, or the store, lives.
    referenced,
};

/// Whether blocks have checksums.
enum class Integrity {
    unchecked,
    /// Checksums (XXH3, 8 bytes per 64 KiB of blocks) travel with the blocks. A load verifies what it reads before it
    /// is sent; a bad replica is replaced by a good one and reported.
    checked,
};

/// All members pass the same options, except for what Keep says.
struct Options {
    Transport transport = Transport::collective;  // how blocks travel
    OwnCopy own_copy = OwnCopy::copied;           // of the blocks that this PE submits
    Integrity integrity = Integrity::unchecked;   // whether copies are verified
    /// An upper limit for plans. If all members together want more runs of blocks with the same holders than about this
    /// (estimated from a sample, with the same result on all members), no PE plans for all. Instead each PE finds
    /// senders by a rule that it evaluates alone, which balances less evenly (schedule::choose_senders_locally).
    std::uint64_t most_planned_runs = 500'000;
    /// Files on the node that outlive the job (docs/mpi/restart.md). The blocks are in these files and nowhere else;
    /// own copies are copied. Nothing: blocks are in the private memory of the PEs.
    std::optional<Keep> keep{};
};

/// What all members submit, for use where every member knows it already. All members pass the same.
struct Submissions {
    /// The blocks of each member, by its position: disjoint, covering the blocks 0 .. n-1.
    std::span<BlockRange const> ranges;
    BlockSizes sizes;  // of all blocks
    /// Failure domains of the members (ErasureOptions::node), or nothing. Only for erasure codes.
    std::span<std::uint32_t const> node_of{};
};

/// A member's vote on a submit that need not take place.
struct Vote {
    bool in_favour = true;  // false: nothing shall change
    /// A hash of what must be the same on all members. 15 of its bits are compared.
    std::uint64_t alike = 0;
};

/// Which of the bytes that this PE submits differ from those of the version before.
struct Changes {
    std::uint64_t chunk_bytes = 16 << 10;     // the same on all members
    std::span<std::uint64_t const> chunks{};  // bit i % 64 of word i / 64: bytes from i * chunk_bytes on have changed
};

/// The number of words in Changes::chunks for a member that submits so many bytes.
constexpr std::size_t num_change_words(std::uint64_t bytes, std::uint64_t chunk_bytes) {
    auto const chunks = bytes / chunk_bytes + (bytes % chunk_bytes != 0 ? 1 : 0);
    return static_cast<std::size_t>((chunks + 63) / 64);
}

/// What a load does about wanted blocks that no living PE holds. The same on all members, except for the function
/// itself.
struct LoadOptions {
    /// A source of last resort, such as the input file. It is called on each PE that wants lost blocks, once for each
    /// lost range in each of its requests, with the range's place in the output. It calls no collective. If it throws
    /// on any PE, all members throw DataLost. Empty: there is no such source.
    std::function<void(BlockRange, std::span<std::byte>)> reread{};
    /// What is done about blocks that no source has brought.
    enum class Lost {
        thrown,             // all members throw DataLost
        left,               // their places in the output stay unchanged, and the report names them
    } lost = Lost::thrown;  // for blocks that no source has brought
};

/// What each PE may decide alone when redundancy is restored, unless said otherwise.
struct RepairOptions {
    /// Number of copies that every block shall have; the same on all members. 0: as many as at submission.
    std::uint32_t replicas = 0;
    /// Bytes of blocks that this PE may hold when the repair is over.
    std::uint64_t room = std::numeric_limits<std::uint64_t>::max();
    /// This PE's failure domain (ft::node_ids). Either all members give one or none does. If none does, domains are the
    /// nodes that the placement knows (placement::over_nodes), or else the members.
    std::optional<std::uint32_t> node{};
};

/// All members pass the same, except for repair, where RepairOptions says what may differ.
struct ReopenOptions {
    /// What is done about blocks that are on no node any more.
    enum class Lost {
        thrown,             // all members throw DataLost
        left,               // the report names them, and loads treat them as lost blocks
    } lost = Lost::thrown;  // for blocks that are on no node
    /// How missing copies are made anew; nothing: they are not. Without RepairOptions::node, members that share a
    /// folder are on one node.
    std::optional<RepairOptions> repair = RepairOptions{};
};

}  // namespace regraft::store
#pragma GCC visibility pop
