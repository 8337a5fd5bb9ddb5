// What goes to and comes from every member in one exchange, collected piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exchange/exchange.hpp"
#include "regraft/store/options.hpp"
#include "store/rows.hpp"

namespace regraft::store {

/// Bytes are summed in parts between multiples of this, counted from the begin of something larger.
constexpr std::uint64_t sum_bytes = 64 << 10;

/// A checksum of bytes that begin at `offset` of something larger: it follows from those of the parts.
class RunningSum {
public:
    void add(std::uint64_t sum_of_part);
    void add(std::uint64_t offset, std::span<std::byte const> bytes);
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0;
};

/// Pieces are collected in any order that is the same on sender and receiver. With Integrity::checked a sum of each row
/// travels behind it. The memory of all pieces, and this, must live until the exchange is over.
class Shipment {
public:
    Shipment(ft::Communicator& comm, Integrity integrity);

    bool checked() const { return integrity_ == Integrity::checked; }
    /// For the one who sends: bytes and, if it is checked, their RunningSum. Empty ones are left out.
    void send(std::size_t receiver, std::span<std::byte const> bytes, std::uint64_t sum);
    /// For the one who receives: they begin at `offset` of something larger.
    void receive(std::size_t sender, std::span<std::byte> bytes, std::uint64_t offset);

    /// Whether all that has arrived is what was to be sent, as far as it is checked. Collective, not uniform.
    [[nodiscard]] bool exchange(Transport transport);
    /// The same while the program goes on: when what this returns is over, intact() is the answer.
    exchange::Pending start();
    bool intact() const;

private:
    void close();

    ft::Communicator* comm_;
    Integrity integrity_;
    RowsBuilder<std::span<std::byte const>> sending_;
    RowsBuilder<std::span<std::byte>> receiving_;
    RowsBuilder<std::uint64_t> offsets_;
    std::vector<RunningSum> sums_;  // of what goes to each member
    Csr<std::span<std::byte const>> out_;
    Csr<std::span<std::byte>> in_;
    std::vector<std::uint64_t> sums_out_, sums_in_;  // as they travel
};

}  // namespace regraft::store
