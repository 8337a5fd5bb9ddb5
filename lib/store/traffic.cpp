#include "store/traffic.hpp"

#include <map>
#include <utility>

#include "regraft/core/block_parts.hpp"
#include "regraft/core/checked_cast.hpp"

namespace regraft::store {
namespace {

template <class Byte>
Csr<std::span<Byte>> with_words(Csr<std::span<Byte>> const& pieces, Csr<BlockRange> const& blocks, auto const& words) {
    Csr<std::span<Byte>> result;
    for (std::size_t rank = 0; rank < pieces.size(); ++rank) {
        for (auto const& piece : pieces[rank]) result.push_value(piece);
        if (!blocks[rank].empty()) result.push_value(words(rank));
        result.end_row();
    }
    return result;
}

}  // namespace

void add_words(Traffic& traffic, Csr<std::uint64_t> const& sent, Csr<std::uint64_t>& received) {
    traffic.out = with_words(traffic.out, traffic.blocks_out, [&](auto rank) { return std::as_bytes(sent[rank]); });
    traffic.in =
        with_words(traffic.in, traffic.blocks_in, [&](auto rank) { return std::as_writable_bytes(received[rank]); });
}

std::vector<exchange::Message> messages_of(ft::Communicator const& comm,
                                           std::span<schedule::RangeTransfer const> transfers, BlockSizes const& sizes,
                                           Integrity integrity, std::uint64_t extra) {
    bool const sealed = integrity == Integrity::checked;
    std::map<std::pair<std::uint32_t, std::uint32_t>, exchange::Message> pairs;
    for (auto const& transfer : transfers) {
        auto const sender = checked_cast<std::uint32_t>(comm.position(transfer.sender));
        auto const receiver = checked_cast<std::uint32_t>(comm.position(transfer.receiver));
        exchange::Message const none{sender, receiver, extra * sizeof(std::uint64_t),
                                     (sealed ? 1U : 0U) + (extra > 0 ? 1U : 0U)};
        auto& message = pairs.try_emplace({sender, receiver}, none).first->second;
        message.bytes += sizes.bytes(transfer.blocks);
        ++message.pieces;
        if (sealed) message.bytes += num_parts(transfer.blocks, sizes) * sizeof(std::uint64_t);
    }
    std::vector<exchange::Message> messages;
    for (auto const& [pair, message] : pairs) messages.push_back(message);
    return messages;
}

}  // namespace regraft::store
