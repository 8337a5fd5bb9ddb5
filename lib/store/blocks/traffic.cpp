#include "store/blocks/traffic.hpp"

#include <map>
#include <utility>

#include "regraft/core/block_parts.hpp"
#include "regraft/core/checked_cast.hpp"

namespace regraft::store {

std::vector<exchange::Message> messages_of(ft::Communicator const& comm,
                                           std::span<schedule::RangeTransfer const> transfers, BlockSizes const& sizes,
                                           Integrity integrity) {
    bool const sealed = integrity == Integrity::checked;
    std::map<std::pair<std::uint32_t, std::uint32_t>, exchange::Message> pairs;
    for (auto const& transfer : transfers) {
        auto const sender = checked_cast<std::uint32_t>(comm.position(transfer.sender));
        auto const receiver = checked_cast<std::uint32_t>(comm.position(transfer.receiver));
        exchange::Message const none{sender, receiver, 0, sealed ? 1U : 0U};
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
