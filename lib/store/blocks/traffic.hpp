// Everything that is sent to and received from all members, as blocks and as bytes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/seams.hpp"
#include "exchange/exchange.hpp"
#include "regraft/core/block_sizes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/schedule/range_senders.hpp"
#include "regraft/store/options.hpp"

namespace regraft::store {

/// Pieces of blocks, in rows by member. With seals, a row that is not empty ends with one more piece.
struct Traffic {
    Csr<BlockRange> blocks_out, blocks_in;
    Csr<std::span<std::byte const>> out;
    Csr<std::span<std::byte>> in;
};

/// The messages between all pairs of members, seals included, without what stays on its member.
std::vector<exchange::Message> messages_of(ft::Communicator const& comm,
                                           std::span<schedule::RangeTransfer const> transfers, BlockSizes const& sizes,
                                           Integrity integrity);

}  // namespace regraft::store
