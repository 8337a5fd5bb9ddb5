// Everything that is sent to and received from all members in one exchange, collected piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "exchange/exchange.hpp"
#include "regraft/store/options.hpp"
#include "store/blocks/rows.hpp"

namespace regraft::store {

/// Bytes are summed in parts between multiples of this, counted from the begin of the larger whole (piece or run).
constexpr std::uint64_t sum_bytes = 64 << 10;

/// A checksum of bytes that begin at `offset` of a larger whole. It can be computed from the checksums of the parts.
class RunningSum {
public:
    void add(std::uint64_t sum_of_part);
    void add(std::uint64_t offset, std::span<std::byte const> bytes);
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0;
};

/// Sender and receiver collect pieces in the same order, which may be any. With Integrity::checked a checksum of each
/// row travels behind it. The memory of all pieces, and this object, must live until the exchange is over.
class Shipment {
public:
    Shipment(ft::Communicator& comm, Integrity integrity);

    bool checked() const { return integrity_ == Integrity::checked; }
    /// Adds bytes to send and, if checked, their RunningSum. Empty ones are left out.
    void send(std::size_t receiver, std::span<std::byte const> bytes, std::uint64_t sum);
    /// Adds bytes to receive; they begin at `offset` of a larger whole.
    void receive(std::size_t sender, std::span<std::byte> bytes, std::uint64_t offset);

    /// Says that any of the members sends these bytes to another. Either all members say all that travels between any
    /// of them, or none says anything; then they have to ask each other first.
    void announce(std::size_t sender, std::size_t receiver, std::uint64_t bytes);

    /// Collective, not uniform.
    void move(Transport transport);
    /// The same while the program goes on, until the returned operation is over.
    exchange::Pending start();
    /// Whether everything has arrived as it was sent, as far as it is checked.
    bool intact() const;
    /// Moves everything, and returns intact().
    [[nodiscard]] bool exchange(Transport transport) {
        move(transport);
        return intact();
    }

private:
    void close();
    std::optional<std::vector<exchange::Message>> messages() const;

    ft::Communicator* comm_;
    Integrity integrity_;
    RowsBuilder<std::span<std::byte const>> sending_;
    RowsBuilder<std::span<std::byte>> receiving_;
    RowsBuilder<std::uint64_t> offsets_;
    std::map<std::pair<std::size_t, std::size_t>, exchange::Message> announced_;
    std::vector<RunningSum> sums_;  // sums of what goes to each member
    Csr<std::span<std::byte const>> out_;
    Csr<std::span<std::byte>> in_;
    std::vector<std::uint64_t> sums_out_, sums_in_;  // the sums as they travel
};

}  // namespace regraft::store
