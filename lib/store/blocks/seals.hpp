// Checksums that travel with blocks, so that the receiver sees whether they are what was sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "regraft/store/reports.hpp"
#include "store/blocks/held_blocks.hpp"
#include "store/blocks/traffic.hpp"

namespace regraft::store {

/// Returns the checksums of the parts (visit_parts) of blocks that are sent.
using SumsOf = std::function<std::vector<std::uint64_t>(BlockRange)>;

/// The checksums of bytes that are given by their blocks. Blocks for several holders are read once.
class KnownSums {
public:
    /// bytes_of: of a part (visit_parts).
    KnownSums(std::function<std::span<std::byte const>(BlockRange)> bytes_of, BlockSizes const& sizes)
        : bytes_of_(std::move(bytes_of)), sizes_(sizes) {}
    /// Returns those of the parts of blocks.
    std::vector<std::uint64_t> operator()(BlockRange blocks);
    /// The checksum of a part that need not be read.
    void know(BlockRange part, std::uint64_t sum) { known_[part] = sum; }

private:
    std::function<std::span<std::byte const>(BlockRange)> bytes_of_;
    BlockSizes const& sizes_;
    std::map<BlockRange, std::uint64_t> known_;
};

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
