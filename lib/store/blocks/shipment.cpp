#include "store/blocks/shipment.hpp"

#include <algorithm>
#include <utility>

#include "regraft/core/bytes.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/random.hpp"

namespace regraft::store {
namespace {

/// The same rows, where each row that is not empty ends with the bytes of its sum.
template <class Byte, class BytesOfSum>
Csr<std::span<Byte>> sealed(Csr<std::span<Byte>> const& rows, BytesOfSum bytes_of_sum) {
    Csr<std::span<Byte>> result;
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        for (auto const& piece : rows[rank]) result.push_value(piece);
        if (!rows[rank].empty()) result.push_value(bytes_of_sum(rank));
        result.end_row();
    }
    return result;
}

}  // namespace

void RunningSum::add(std::uint64_t sum_of_part) {
    value_ = mix(value_ ^ sum_of_part);
}

void RunningSum::add(std::uint64_t offset, std::span<std::byte const> bytes) {
    while (!bytes.empty()) {
        auto const part = bytes.first(std::min<std::uint64_t>(bytes.size(), sum_bytes - offset % sum_bytes));
        add(hash(part));
        offset += part.size();
        bytes = bytes.subspan(part.size());
    }
}

Shipment::Shipment(ft::Communicator& comm, Integrity integrity)
    : comm_(&comm),
      integrity_(integrity),
      sending_(comm.size()),
      receiving_(comm.size()),
      offsets_(comm.size()),
      sums_(checked() ? comm.size() : 0) {}

void Shipment::send(std::size_t receiver, std::span<std::byte const> bytes, std::uint64_t sum) {
    if (bytes.empty()) return;
    sending_.add(receiver, bytes);
    if (checked()) sums_[receiver].add(sum);
}

void Shipment::receive(std::size_t sender, std::span<std::byte> bytes, std::uint64_t offset) {
    if (bytes.empty()) return;
    receiving_.add(sender, bytes);
    if (checked()) offsets_.add(sender, offset);
}

void Shipment::close() {
    out_ = sending_.rows();
    in_ = receiving_.rows();
    if (!checked()) return;
    for (auto const& sum : sums_) sums_out_.push_back(sum.value());
    sums_in_.resize(in_.size());
    out_ = sealed(out_, [&](std::size_t rank) { return std::as_bytes(std::span(sums_out_).subspan(rank, 1)); });
    in_ = sealed(in_, [&](std::size_t rank) { return std::as_writable_bytes(std::span(sums_in_).subspan(rank, 1)); });
}

void Shipment::announce(std::size_t sender, std::size_t receiver, std::uint64_t bytes) {
    if (bytes == 0) return;
    auto const sum_bytes = checked() ? sizeof(std::uint64_t) : 0;
    exchange::Message const none{checked_cast<std::uint32_t>(sender), checked_cast<std::uint32_t>(receiver), sum_bytes,
                                 checked() ? 1U : 0U};
    auto& message = announced_.try_emplace({sender, receiver}, none).first->second;
    message.bytes += bytes;
    ++message.pieces;
}

std::optional<std::vector<exchange::Message>> Shipment::messages() const {
    if (announced_.empty()) return {};
    std::vector<exchange::Message> all;
    for (auto const& [pair, message] : announced_) all.push_back(message);
    return all;
}

void Shipment::move(Transport transport) {
    close();
    exchange::all_to_all(*comm_, out_, in_, transport, messages());
}

exchange::Pending Shipment::start() {
    close();
    return exchange::Pending(*comm_, out_, in_, messages());
}

bool Shipment::intact() const {
    if (!checked()) return true;
    auto const offsets = offsets_.rows();
    for (std::size_t rank = 0; rank < in_.size(); ++rank) {
        if (offsets[rank].empty()) continue;
        RunningSum row;
        for (std::size_t i = 0; i < offsets[rank].size(); ++i) {
            RunningSum piece;
            piece.add(offsets[rank][i], in_[rank][i]);
            row.add(piece.value());
        }
        if (row.value() != sums_in_[rank]) return false;
    }
    return true;
}

}  // namespace regraft::store
