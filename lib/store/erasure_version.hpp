// What a PE knows and keeps of one submit to an erasure store, and what makes and reads it: private to ErasureStore.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "regraft/erasure/plan.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/store/erasure_store.hpp"
#include "store/memory.hpp"
#include "store/shipment.hpp"

namespace regraft::store {

using SharedMemory = std::shared_ptr<Memory const>;

/// Bytes of a piece that are in memory in more than one part, put together for the time of an exchange.
using Scratch = std::deque<std::vector<std::byte>>;

/// Copies share the memory.
class ErasureVersion {
public:
    erasure::Holdings holdings;          // the same on all members
    std::vector<std::uint32_t> node_of;  // of those who submitted; empty if they did not say

    /// More of the blocks that this PE has as its own, by reference if there is no memory.
    void add_own(std::span<std::byte const> bytes, SharedMemory memory);
    /// A piece that this PE holds beside: a parity, or what a repair has brought.
    void add_piece(erasure::Piece piece, SharedMemory memory);
    /// The next version's own blocks are, among others, this piece's.
    void hand_over(erasure::Piece piece, ErasureVersion& next) const;
    /// Lets go of pieces that this PE does not hold any more.
    void forget_others(PeId self);
    /// From now on the pieces that this PE holds must be what they are, as far as they are in memory. What others must
    /// be stays as it was.
    void seal(PeId self);

    /// Bytes of a piece that this PE holds.
    std::span<std::byte const> read(erasure::Piece piece, erasure::ByteRange bytes, Scratch& scratch) const;
    /// Whether they, and what they share a checksum with, are what was sealed, if it was.
    bool verify(erasure::Piece piece, erasure::ByteRange bytes) const;
    /// The bytes of blocks, if this PE holds them all and one behind the other, and, if it is checked, if they are what
    /// was sealed; else nothing.
    std::span<std::byte const> held(PeId self, BlockRange blocks, Integrity integrity) const;
    /// The nodes of the holdings' members; empty if they did not say.
    std::vector<std::uint32_t> nodes() const;
    /// Without the user's.
    std::uint64_t bytes_held() const;

private:
    friend class PieceSums;
    struct Own {
        std::uint64_t begin;
        std::span<std::byte const> bytes;
        SharedMemory memory;
    };
    /// Calls visit for the bytes as they lie in memory, part by part.
    template <class Visit>
    void visit(erasure::Piece piece, erasure::ByteRange bytes, Visit visit) const;
    std::uint64_t bytes_of(erasure::Piece piece) const;
    std::uint64_t hash_of(erasure::Piece piece, erasure::ByteRange bytes) const;

    std::vector<Own> own_;  // one behind the other
    std::map<erasure::Piece, SharedMemory> pieces_;
    std::map<erasure::Piece, std::vector<std::uint64_t>> sums_;  // of each sum_bytes of what this PE holds
};

/// The RunningSum that bytes of sealed pieces must have. Looks only at ends that are no whole parts, and at the parts
/// that these are of, each once; if one of those is damaged, the sum is a wrong one.
class PieceSums {
public:
    explicit PieceSums(ErasureVersion const& version) : version_(&version) {}
    std::uint64_t operator()(erasure::Piece piece, erasure::ByteRange bytes);

private:
    struct Part {
        erasure::Piece piece;
        std::uint64_t number;
        friend auto operator<=>(Part const&, Part const&) = default;  // NOLINT(modernize-use-nullptr)
    };
    ErasureVersion const* version_;
    std::map<Part, bool> right_;  // what was looked at
};

/// How many bytes of a piece travel at the same time.
inline std::uint64_t window_bytes(ErasureOptions const& options, erasure::Code const& code) {
    return std::max<std::uint64_t>(1, options.buffer_bytes / code.pieces());
}

/// The bytes of a window that something of this size has.
inline erasure::ByteRange clipped(std::uint64_t bytes, erasure::ByteRange window) {
    return {std::min(bytes, window.begin), std::min(bytes, window.end)};
}

/// Makes the version's parities from the members' own blocks; one slot per member. Whether everything arrived as it was
/// sent; if not on somebody, they may be wrong. Collective, not uniform.
[[nodiscard]] bool encode(ft::Communicator& comm, ErasureVersion& version, ErasureOptions const& options,
                          ft::FailPoint& inside);

/// Bytes that this PE reads.
struct Reading {
    erasure::Piece piece;
    erasure::ByteRange bytes;
};
/// What this PE reads for the others and itself when the plan is carried out.
std::vector<Reading> readings(PeId self, std::span<erasure::Copy const> copies, erasure::Rebuilds const& rebuilds);
/// All that this PE holds.
std::vector<Reading> readings(PeId self, erasure::Holdings const& holdings);

/// A piece that is not what it was, and who has it.
struct BadPiece {
    erasure::Piece piece;
    PeId holder{};
};
/// Those of which the members read something, each its own; nobody counts on them any more. `alike` is the same on all
/// members: a contract. Collective, not uniform.
std::vector<BadPiece> drop_damage(ft::Communicator& comm, std::uint64_t alike, std::span<Reading const> looked_at,
                                  ErasureVersion const& version, erasure::Holdings& holdings);
/// What this says about blocks; appends.
void report_damage(erasure::Layout const& layout, std::span<BadPiece const> bad, std::vector<Damage>& damaged);

}  // namespace regraft::store
