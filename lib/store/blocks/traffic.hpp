// Everything that is sent to and received from all members, as blocks and as bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

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

/// Calls visit for the parts of blocks between seams, which ascend.
template <class Visit>
void between_seams(BlockRange blocks, std::span<BlockId const> seams, Visit visit) {
    auto seam = std::upper_bound(seams.begin(), seams.end(), blocks.first);
    while (!blocks.empty()) {
        auto const end = seam == seams.end() ? blocks.last : std::min(*seam++, blocks.last);
        if (end != blocks.first) visit(BlockRange{blocks.first, end});
        blocks.first = end;
    }
}

}  // namespace regraft::store
