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
#include "store/blocks/shipment.hpp"
#include "store/erasure/spare_memory.hpp"
#include "store/keeping/keeping.hpp"

namespace regraft::store {

/// Bytes of a piece that are in memory in several parts, copied together for the time of an exchange.
using Scratch = std::deque<std::vector<std::byte>>;

/// The checksums of each sum_bytes bytes of a piece, and one of all of these.
std::vector<std::uint64_t> sums_of(std::span<std::byte const> piece);
std::uint64_t seal_of(std::span<std::uint64_t const> sums);

/// Copies share the memory.
class ErasureVersion {
public:
    erasure::Holdings holdings;          // the same on all members
    std::vector<std::uint32_t> node_of;  // nodes of PEs; empty if none were given
    std::vector<PeId> located;           // these PEs, ascending
    Common common{};                     // with ErasureOptions::keep
    /// Pieces of a job before, which are read as its slots had them. Nobody lists them: the next version has files of
    /// its own.
    std::shared_ptr<std::vector<std::unique_ptr<Segment>> const> inherited;

    /// Adds blocks that this PE has as its own; by reference if there is no memory.
    void add_own(std::span<std::byte const> bytes, SharedMemory memory);
    /// Adds a piece that this PE holds in addition: a parity, or a piece from a repair.
    void add_piece(erasure::Piece piece, SharedMemory memory);
    /// Adds a piece that lies in inherited files. sums: its checksums, or nothing.
    void add_inherited(erasure::Piece piece, std::span<std::byte const> bytes, std::vector<std::uint64_t> sums);
    /// Copies all own blocks into one piece of memory.
    void join_own(SpareMemory& spare);
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

    /// The files stay when the version goes.
    void leave_files() noexcept;
    /// The files in which the pieces are, each once.
    std::vector<Segment*> files() const;
    /// What this PE has in files. A stripe of which a piece was given up has other parities than before, which belong
    /// to no generation, so they are left out. make_file: for a PE that holds nothing. Precondition: all is in files.
    Listing listing(PeId self, bool checked, SpareMemory::Make const& make_file);

private:
    friend class PieceSums;
    struct Own {
        std::uint64_t begin;
        std::span<std::byte const> bytes;
        SharedMemory memory;
    };
    struct Held {
        std::span<std::byte const> bytes;
        SharedMemory memory;  // nothing: in an inherited file
    };
    /// Calls visit for the bytes in the parts in which they lie in memory.
    template <class Visit>
    void visit(erasure::Piece piece, erasure::ByteRange bytes, Visit visit) const;
    std::uint64_t bytes_of(erasure::Piece piece) const;
    std::uint64_t hash_of(erasure::Piece piece, erasure::ByteRange bytes) const;

    std::vector<Own> own_;  // one behind the other
    std::map<erasure::Piece, Held> pieces_;
    SharedMemory empty_file_;
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

}  // namespace regraft::store
