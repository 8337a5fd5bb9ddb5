// Checksums that travel with blocks, so that whoever gets them sees whether they are what was sent.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "regraft/store/reports.hpp"
#include "store/held_blocks.hpp"
#include "store/traffic.hpp"

namespace regraft::store {

/// The checksums of the parts (visit_parts) of blocks that are sent.
using SumsOf = std::function<std::vector<std::uint64_t>(BlockRange)>;

/// The sums of one exchange. They have to live until it is over, and may be moved.
class Seals {
public:
    /// Adds a piece to each row of the traffic that is not empty.
    Seals(Traffic& traffic, BlockSizes const& sizes, SumsOf const& sums_of);

    /// Whether what has arrived is what was sent; the row `trusted` is not looked at. O(bytes).
    bool hold(Traffic const& traffic, BlockSizes const& sizes, std::optional<std::size_t> trusted = {}) const;
    /// Tells held what its blocks must add up to that have arrived.
    void keep(Traffic const& traffic, BlockSizes const& sizes, HeldBlocks& held) const;

private:
    Csr<std::uint64_t> sent_, received_;  // rows by member
};

/// Counts how often blocks are sent again because they arrive damaged although nobody's memory is.
class Resends {
public:
    /// Throws DamagedInTransit if it was tried three times. To be called by all alike.
    void add();

private:
    int count_ = 0;
};

/// A replica that is not what was submitted, and whether its holder may write to its memory.
struct BadReplica {
    Damage damage;
    bool replaceable = false;
};
/// All members' bad replicas, as far as they overlap `looked_at`, each member's own. That `alike` is, is a contract.
std::vector<BadReplica> find_damage(ft::Communicator& comm, std::uint64_t alike, std::span<BlockRange const> looked_at,
                                    BlockSizes const& sizes, HeldBlocks& held);

}  // namespace regraft::store
