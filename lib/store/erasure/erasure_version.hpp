// What a PE knows and keeps of one submit to an erasure store, and the functions that make and read it. Private to
// ErasureStore.
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
#include "store/blocks/memory.hpp"
#include "store/blocks/shipment.hpp"

namespace regraft::store {

using SharedMemory = std::shared_ptr<Memory>;

/// Memory that submits leave to each other: memory that was used before is faster than new memory.
class SpareMemory {
public:
    /// Spare memory of this size, or new memory. Throws std::bad_alloc.
    SharedMemory take(std::uint64_t size);
    /// Keeps memory that nobody else has.
    void put(SharedMemory memory);
    /// Frees what was not used since the last time.
    void drop_unused();
    std::uint64_t bytes() const;

private:
    std::vector<SharedMemory> old_, fresh_;  // put before and after the last drop_unused
};

/// Bytes of a piece that are in memory in several parts, copied together for the time of an exchange.
using Scratch = std::deque<std::vector<std::byte>>;

/// Copies share the memory.
class ErasureVersion {
public:
    erasure::Holdings holdings;          // the same on all members
    std::vector<std::uint32_t> node_of;  // nodes of the PEs that submitted; empty if none were given

    /// Adds blocks that this PE has as its own; by reference if there is no memory.
    void add_own(std::span<std::byte const> bytes, SharedMemory memory);
    /// Adds a piece that this PE holds in addition: a parity, or a piece from a repair.
    void add_piece(erasure::Piece piece, SharedMemory memory);
    /// Makes this piece's blocks own blocks of the next version.
    void hand_over(erasure::Piece piece, ErasureVersion& next) const;
    /// Drops pieces that this PE does not hold any more.
    void forget_others(PeId self);
    /// Computes checksums of the pieces that this PE holds, as far as they are in memory. Pieces of others keep theirs.
    void seal(PeId self);

    /// The bytes of a piece that this PE holds.
    std::span<std::byte const> read(erasure::Piece piece, erasure::ByteRange bytes, Scratch& scratch) const;
    /// Whether these bytes, and all bytes that share a checksum with them, are as they were sealed, if they were.
    bool verify(erasure::Piece piece, erasure::ByteRange bytes) const;
    /// The bytes of blocks, if this PE holds them all and one behind the other and, with Integrity::checked, as they
    /// were sealed; otherwise nothing.
    std::span<std::byte const> held(PeId self, BlockRange blocks, Integrity integrity) const;
    /// The nodes of the holdings' members; empty if none were given.
    std::vector<std::uint32_t> nodes() const;
    /// Bytes without those in the user's memory.
    std::uint64_t bytes_held() const;
    /// Leaves the memory of pieces to the next submit; they are used up.
    void leave_pieces(SpareMemory& spare);

private:
    friend class PieceSums;
    struct Own {
        std::uint64_t begin;
        std::span<std::byte const> bytes;
        SharedMemory memory;
    };
    /// Calls visit for the bytes in the parts in which they lie in memory.
    template <class Visit>
    void visit(erasure::Piece piece, erasure::ByteRange bytes, Visit visit) const;
    std::uint64_t bytes_of(erasure::Piece piece) const;
    std::uint64_t hash_of(erasure::Piece piece, erasure::ByteRange bytes) const;

    std::vector<Own> own_;  // one behind the other
    std::map<erasure::Piece, SharedMemory> pieces_;
    std::map<erasure::Piece, std::vector<std::uint64_t>> sums_;  // checksums of each sum_bytes bytes of what this PE
                                                                 // holds
};

/// The RunningSum that bytes of sealed pieces must have. Bytes are read only at ends that are not whole parts; the
/// parts that contain such ends are verified once each. If one of them is damaged, the sum is made wrong on purpose.
class PieceSums {
public:
    explicit PieceSums(ErasureVersion const& version) : version_(&version) {}
    std::uint64_t operator()(erasure::Piece piece, erasure::ByteRange bytes);

private:
    struct SummedBytes {
        erasure::Piece piece;
        std::uint64_t number;
        friend auto operator<=>(SummedBytes const&, SummedBytes const&) = default;  // NOLINT(modernize-use-nullptr)
    };
    ErasureVersion const* version_;
    std::map<SummedBytes, bool> right_;  // whether a part is intact, for those that were looked at
};

/// The number of bytes of a piece that travel at the same time.
inline std::uint64_t window_bytes(ErasureOptions const& options, erasure::Code const& code) {
    return std::max<std::uint64_t>(1, options.buffer_bytes / code.pieces());
}

/// The part of a window that lies within `bytes` bytes.
inline erasure::ByteRange clipped(std::uint64_t bytes, erasure::ByteRange window) {
    return {std::min(bytes, window.begin), std::min(bytes, window.end)};
}

/// Makes the version's parities from the members' own blocks; one slot per member. Returns whether everything arrived
/// as it was sent; if it did not on some member, parities may be wrong. Collective, not uniform.
[[nodiscard]] bool encode(ft::Communicator& comm, ErasureVersion& version, ErasureOptions const& options,
                          SpareMemory& spare, ft::FailPoint& inside);

/// Bytes that this PE reads from a piece.
struct Reading {
    erasure::Piece piece;
    erasure::ByteRange bytes;
};
/// Everything that this PE reads for other members and for itself when the plan is carried out.
std::vector<Reading> readings(PeId self, std::span<erasure::Copy const> copies, erasure::Rebuilds const& rebuilds);
/// Everything that this PE holds.
std::vector<Reading> readings(PeId self, erasure::Holdings const& holdings);

/// A damaged piece, and its holder.
struct BadPiece {
    erasure::Piece piece;
    PeId holder{};
};
/// Finds the damaged pieces among those that members read, each its own, and drops them from the holdings. `alike` must
/// be the same on all members. call: of the store (identity.hpp). Collective, not uniform.
std::vector<BadPiece> drop_damage(ft::Communicator& comm, std::uint64_t call, std::uint64_t alike,
                                  std::span<Reading const> looked_at, ErasureVersion const& version,
                                  erasure::Holdings& holdings);
/// Appends the blocks of these pieces to damaged.
void report_damage(erasure::Layout const& layout, std::span<BadPiece const> bad, std::vector<Damage>& damaged);

}  // namespace regraft::store
