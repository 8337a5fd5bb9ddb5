// Checksums that travel with blocks, so that the receiver sees whether they are what was sent.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "regraft/store/reports.hpp"
#include "store/blocks/held_blocks.hpp"
#include "store/blocks/traffic.hpp"

namespace regraft::store {

/// Returns the checksums of the parts (visit_parts) of blocks that are sent.
using SumsOf = std::function<std::vector<std::uint64_t>(BlockRange)>;

/// The checksums of one exchange. The object must live until the exchange is over, and may be moved.
class Seals {
public:
    /// Adds a piece with checksums to each row of the traffic that is not empty.
    Seals(Traffic& traffic, BlockSizes const& sizes, SumsOf const& sums_of);

    /// Whether what has arrived is what was sent; the row `trusted` is not checked. O(bytes).
    bool hold(Traffic const& traffic, BlockSizes const& sizes, std::optional<std::size_t> trusted = {}) const;
    /// Gives held the checksums of its blocks that have arrived.
    void keep(Traffic const& traffic, BlockSizes const& sizes, HeldBlocks& held) const;

private:
    Csr<std::uint64_t> sent_, received_;  // rows by member
};

/// A replica that differs from what was submitted, and whether its holder may write to its memory.
struct BadReplica {
    Damage damage;
    bool replaceable = false;
};
/// The bad replicas of all members within `looked_at`; each member passes its own ranges. `alike` must be the same on
/// all members. call: of the store (identity.hpp).
std::vector<BadReplica> find_damage(ft::Communicator& comm, std::uint64_t call, std::uint64_t alike,
                                    std::span<BlockRange const> looked_at, BlockSizes const& sizes, HeldBlocks& held);

}  // namespace regraft::store
