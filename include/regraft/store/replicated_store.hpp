// Read-only data in the memory of the PEs, every block on several of them, to be read by anybody after some have died.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "regraft/core/ids.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/placement/placement.hpp"
#include "regraft/store/block_layout.hpp"

namespace regraft::store {

/// What a load did. lost, b, rounds and blocks_moved are the same on all members.
struct LoadReport {
    std::vector<BlockRange> lost;      // wanted by somebody and held by nobody alive, ascending, disjoint
    std::uint32_t b = 0;               // the most blocks that one PE sent
    std::uint32_t rounds = 0;          // of single-block messages that the plan needs: the most one PE sent or received
    std::uint64_t blocks_moved = 0;    // between different PEs, all together
    std::uint64_t bytes_received = 0;  // by this PE from others
    std::uint64_t bytes_local = 0;     // that this PE held itself
};

/// Keeps one set of blocks 0 .. n-1 of equal size. Blocks survive as long as one of their holders lives.
class ReplicatedStore {
public:
    explicit ReplicatedStore(ft::Communicator& comm) : comm_(comm) {}

    /// Stores `blocks`, block_bytes bytes for each id in `mine`, on the holders that the placement names; slot i is the
    /// i-th member. Replaces what was stored before; on ProcessFailure the old blocks stay on all members.
    /// Precondition: the members' ranges are disjoint and cover the placement's blocks; same placement and size
    /// everywhere. O(total blocks held) memory. Collective, uniform.
    void submit(placement::Any placement, BlockRange mine, std::span<std::byte const> blocks, std::size_t block_bytes);

    /// Loads the wanted blocks into out, one behind the other in the order of the request; out.size() is their number
    /// times block_bytes(). Blocks that are lost leave their place in out as it was. Who sends is a minimum b-matching
    /// over the living holders. Different members may want different or the same blocks, or none. After ProcessFailure
    /// out is unspecified. Precondition: a member's ranges are disjoint and within 0 .. num_blocks(). Collective,
    /// uniform.
    LoadReport load(std::span<BlockRange const> wanted, std::span<std::byte> out);

    std::uint64_t num_blocks() const { return current_ ? current_->placement.shape().num_blocks : 0; }
    std::size_t block_bytes() const { return current_ ? current_->block_bytes : 0; }
    /// Bytes of blocks that this PE keeps.
    std::size_t bytes_held() const { return current_ ? current_->bytes.size() : 0; }

private:
    struct Version {
        placement::Any placement;
        std::vector<PeId> pe_of_slot;
        std::size_t block_bytes = 0;
        BlockLayout held;              // the blocks that this PE keeps
        std::vector<std::byte> bytes;  // of the held blocks
    };

    ft::Communicator& comm_;
    std::optional<Version> current_;
};

}  // namespace regraft::store
