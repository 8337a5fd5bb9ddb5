// What a PE knows and keeps of one submit, and the exchanges that make and read it: private to ErasureStore.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "exchange/exchange.hpp"
#include "regraft/erasure/plan.hpp"
#include "regraft/store/erasure_store.hpp"
#include "store/memory.hpp"
#include "store/rows.hpp"

namespace regraft::store {

using SharedMemory = std::shared_ptr<Memory const>;

/// Bytes of a piece that are in memory in more than one part, put together for the time of an exchange.
using Scratch = std::deque<std::vector<std::byte>>;

struct ErasureVersion {
    /// A part of the blocks that this PE has as its own, by reference if there is no memory.
    struct Own {
        std::uint64_t begin;
        std::span<std::byte const> bytes;
        SharedMemory memory;
    };

    erasure::Holdings holdings;          // the same on all members
    std::vector<PeId> submitters;        // slot by slot
    std::vector<std::uint32_t> node_of;  // of the submitters; empty if they did not say
    std::vector<Own> own;                // one behind the other
    std::map<erasure::Piece, SharedMemory>
        pieces;  // that this PE holds beside: parities, and what repairs have brought

    void add_own(std::span<std::byte const> bytes, SharedMemory memory);
    /// Bytes of a piece that this PE holds.
    std::span<std::byte const> read(erasure::Piece piece, erasure::ByteRange bytes, Scratch& scratch) const;
    /// The nodes of the holdings' members; empty if they did not say.
    std::vector<std::uint32_t> nodes() const;
    std::uint64_t bytes_held() const;
};

/// Messages between members, collected in any order that is the same on sender and receiver.
class ErasureMessages {
public:
    explicit ErasureMessages(ft::Communicator& comm);

    /// For the one who sends or receives; empty ones are left out.
    void send(std::size_t receiver, std::span<std::byte const> bytes);
    void receive(std::size_t sender, std::span<std::byte> bytes);
    /// What somebody sends to somebody, for all members to say alike.
    void announce(std::size_t sender, std::size_t receiver, std::uint64_t bytes);
    /// Collective, not uniform.
    void exchange(Transport transport) const;

private:
    ft::Communicator& comm_;
    RowsBuilder<std::span<std::byte const>> out_;
    RowsBuilder<std::span<std::byte>> in_;
    std::map<std::pair<std::size_t, std::size_t>, exchange::Message> announced_;
};

/// How many bytes of a piece travel at the same time.
inline std::uint64_t window_bytes(ErasureOptions const& options, erasure::Code const& code) {
    return std::max<std::uint64_t>(1, options.buffer_bytes / code.pieces());
}

/// The bytes of a window that something of this size has.
inline erasure::ByteRange clipped(std::uint64_t bytes, erasure::ByteRange window) {
    return {std::min(bytes, window.begin), std::min(bytes, window.end)};
}

/// Makes the version's parities from the members' own blocks; one slot per member. Collective, not uniform.
void encode(ft::Communicator& comm, ErasureVersion& version, ErasureOptions const& options, ft::FailPoint& inside);

/// How many bytes the members send to each other.
struct Volume {
    explicit Volume(std::size_t members) : sent(members), received(members) {}
    void add(std::size_t sender, std::size_t receiver, std::uint64_t bytes) {
        if (sender == receiver) return;
        sent[sender] += bytes;
        received[receiver] += bytes;
        moved += bytes;
    }
    std::vector<std::uint64_t> sent, received;  // by position
    std::uint64_t moved = 0;
};

/// Where something rebuilt goes in the memory of its receiver, asked there.
using RebuildTarget = std::function<std::span<std::byte>(erasure::Rebuild const&)>;

/// Carries rebuilds out, window by window. Collective, not uniform.
void rebuild(ft::Communicator& comm, ErasureVersion const& version, erasure::Rebuilds const& rebuilds,
             ErasureOptions const& options, ft::FailPoint& inside, RebuildTarget const& target, Volume& volume);

}  // namespace regraft::store
