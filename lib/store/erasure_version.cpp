#include "store/erasure_version.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "regraft/core/checked_cast.hpp"

namespace regraft::store {

void ErasureVersion::add_own(std::span<std::byte const> bytes, SharedMemory memory) {
    if (bytes.empty()) return;
    own.push_back({own.empty() ? 0 : own.back().begin + own.back().bytes.size(), bytes, std::move(memory)});
}

std::span<std::byte const> ErasureVersion::read(erasure::Piece piece, erasure::ByteRange bytes,
                                                Scratch& scratch) const {
    if (bytes.size() == 0) return {};
    if (auto const found = pieces.find(piece); found != pieces.end()) {
        return found->second->bytes().subspan(bytes.begin, bytes.size());
    }
    auto const first = holdings.layout().own_bytes(piece).begin + bytes.begin;
    auto part = std::prev(std::upper_bound(own.begin(), own.end(), first,
                                           [](std::uint64_t place, Own const& other) { return place < other.begin; }));
    auto const rest = part->bytes.subspan(first - part->begin);
    if (bytes.size() <= rest.size()) return rest.first(bytes.size());
    auto& joined = scratch.emplace_back();
    joined.reserve(bytes.size());
    for (auto place = first; joined.size() < bytes.size(); place = part->begin) {
        auto const more = part->bytes.subspan(place - part->begin);
        auto const taken = more.first(std::min<std::uint64_t>(more.size(), bytes.size() - joined.size()));
        joined.insert(joined.end(), taken.begin(), taken.end());
        if (joined.size() < bytes.size()) ++part;
    }
    return joined;
}

std::vector<std::uint32_t> ErasureVersion::nodes() const {
    std::vector<std::uint32_t> nodes;
    if (node_of.empty()) return nodes;
    for (auto pe : holdings.members()) {
        auto const found = std::lower_bound(submitters.begin(), submitters.end(), pe);
        nodes.push_back(node_of[static_cast<std::size_t>(found - submitters.begin())]);
    }
    return nodes;
}

std::uint64_t ErasureVersion::bytes_held() const {
    std::uint64_t held = 0;
    for (auto const& part : own) held += part.memory ? part.bytes.size() : 0;
    for (auto const& [piece, memory] : pieces) held += memory->bytes().size();
    return held;
}

ErasureMessages::ErasureMessages(ft::Communicator& comm) : comm_(comm), out_(comm.size()), in_(comm.size()) {}

void ErasureMessages::send(std::size_t receiver, std::span<std::byte const> bytes) {
    if (!bytes.empty()) out_.add(receiver, bytes);
}

void ErasureMessages::receive(std::size_t sender, std::span<std::byte> bytes) {
    if (!bytes.empty()) in_.add(sender, bytes);
}

void ErasureMessages::announce(std::size_t sender, std::size_t receiver, std::uint64_t bytes) {
    if (bytes == 0 || sender == receiver) return;
    auto& message = announced_[{sender, receiver}];
    message.sender = checked_cast<std::uint32_t>(sender);
    message.receiver = checked_cast<std::uint32_t>(receiver);
    message.bytes += bytes;
    ++message.pieces;
}

void ErasureMessages::exchange(Transport transport) const {
    auto const out = out_.rows();
    auto const in = in_.rows();
    std::vector<exchange::Message> messages;
    for (auto const& [pair, message] : announced_) messages.push_back(message);
    exchange::all_to_all(comm_, out, in, transport, messages);
}

}  // namespace regraft::store
