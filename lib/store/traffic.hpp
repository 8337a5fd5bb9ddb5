// What goes to and comes from every member, as blocks and as bytes.
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

/// Pieces of blocks, in rows by member. A row that is not empty may end with pieces of words that go with the blocks.
struct Traffic {
    Csr<BlockRange> blocks_out, blocks_in;
    Csr<std::span<std::byte const>> out;
    Csr<std::span<std::byte>> in;
};

/// Adds a piece of words, its row of them, to each row that is not empty. They have to live until the exchange is over.
void add_words(Traffic& traffic, Csr<std::uint64_t> const& sent, Csr<std::uint64_t>& received);

/// What every pair of members exchanges, seals included, without what stays where it is. extra: what else goes with the
/// blocks, a piece of so many words.
std::vector<exchange::Message> messages_of(ft::Communicator const& comm,
                                           std::span<schedule::RangeTransfer const> transfers, BlockSizes const& sizes,
                                           Integrity integrity, std::uint64_t extra = 0);

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
