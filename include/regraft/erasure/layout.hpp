// Tells where the pieces of erasure-coded blocks are when they are submitted. Pure arithmetic, no MPI.
//
// Every one of p slots has its own blocks, one behind the other, and cuts them between blocks into k pieces of data of
// about equal bytes. Stripe s = 0 .. p - 1 has its piece of data i on slot ring[(s + i) mod p], as this slot's i-th
// piece, and its parity i on slot ring[(s + k + i) mod p]. So blocks stay where they were submitted, a slot also holds
// m parities of about 1 / k of its own bytes, and any m slots may die. Within a stripe, pieces shorter than the longest
// count as continued with zeros, which are neither stored nor sent; its parities are as long as the longest.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/erasure/code.hpp"

#pragma GCC visibility push(default)
namespace regraft::erasure {

/// One of the k + m pieces of a stripe: data (index < k) or parity (index >= k).
struct Piece {
    std::uint32_t stripe = 0;                                       // its number, below num_slots()
    std::uint32_t index = 0;                                        // below k + m
    friend auto operator<=>(Piece const&, Piece const&) = default;  // NOLINT(modernize-use-nullptr)
};

/// The bytes begin .. end - 1 of a piece or slot.
struct ByteRange {
    std::uint64_t begin = 0;  // the first byte
    std::uint64_t end = 0;    // one behind the last byte
    /// The number of bytes.
    std::uint64_t size() const { return end - begin; }
    friend auto operator<=>(ByteRange const&, ByteRange const&) = default;  // NOLINT(modernize-use-nullptr)
};

/// Blocks that lie one behind the other in a piece.
struct Part {
    BlockRange blocks;           // consecutive
    std::optional<Piece> piece;  // the piece with these blocks; none: no slot has them
    ByteRange bytes;             // range within the piece
};

/// An order of slots on the ring in which neighbours are on different nodes. With n the number of slots on the largest
/// node, any floor(p / n) consecutive slots are on different nodes; no order does better. So with k + m <= floor(p / n)
/// any m nodes may die. Otherwise a stripe has at most c = ceil((k + m) / floor(p / n)) pieces on a node, and floor(m /
/// c) nodes may die. node_of: the failure domain of each slot. O(p log p).
std::vector<std::uint32_t> ring_order(std::span<std::uint32_t const> node_of);

/// The places of all pieces at submission. Memory: O(ranges + slots). Preconditions: slots, pieces and blocks exist.
class Layout {
public:
    Layout() = default;
    /// Row q of own: the blocks of slot q, in the order in which it has them. ring: a permutation of the slots; empty:
    /// 0, 1, ... Precondition: the code fits the slots; ranges are within the blocks, disjoint, and not empty.
    /// O(ranges).
    Layout(Code code, BlockSizes sizes, Csr<BlockRange> own, std::vector<std::uint32_t> ring = {});

    /// The code of all stripes.
    Code const& code() const { return code_; }
    /// The sizes of all blocks, those that no slot has included.
    BlockSizes const& sizes() const { return sizes_; }
    /// The number of slots, which is also the number of stripes.
    std::uint32_t num_slots() const { return static_cast<std::uint32_t>(own_.size()); }
    /// The blocks of each slot, and the order of the slots, as they were given to the constructor.
    CsrView<BlockRange> own() const { return own_; }
    std::span<std::uint32_t const> ring() const { return ring_; }  // empty: 0, 1, ...
    /// The blocks that no slot has, ascending. O(ranges).
    std::vector<BlockRange> nobodys() const;
    /// The slot that holds the piece. O(1).
    std::uint32_t slot(Piece piece) const;
    /// The slot's piece with this index; every slot has one of each index. O(1).
    Piece piece(std::uint32_t slot, std::uint32_t index) const;

    /// The number of bytes of the slot's own blocks. O(1).
    std::uint64_t own_bytes(std::uint32_t slot) const;
    /// The range of a piece of data within its slot's own bytes. O(log ranges of the slot), and log blocks if sizes
    /// differ.
    ByteRange own_bytes(Piece data) const;
    /// The blocks of a piece of data, in the order of the slot.
    std::vector<BlockRange> blocks(Piece data) const;
    /// The length of the piece in bytes; a parity is as long as the longest data of its stripe. O(k) times
    /// own_bytes(Piece).
    std::uint64_t bytes(Piece piece) const;
    /// Calls visit for ascending parts that cover blocks exactly. O(log ranges) and as own_bytes(Piece) for each part.
    void visit(BlockRange blocks, std::function<void(Part const&)> const& visit) const;

private:
    struct Cut {
        std::size_t range = 0;  // in the slot's row
        BlockId block{};        // the first block of the next piece
        std::uint64_t bytes = 0;
    };
    struct Segment {
        BlockRange blocks;
        std::uint32_t slot = 0;
        std::size_t range = 0;  // in the slot's row
    };
    Cut cut(std::uint32_t slot, std::uint32_t index) const;
    BlockRange within(Cut from, Cut to, std::uint32_t slot, std::size_t range) const;
    void visit_segment(Segment const& segment, BlockRange blocks, std::function<void(Part const&)> const& visit) const;

    Code code_;
    BlockSizes sizes_;
    Csr<BlockRange> own_;
    std::vector<std::uint64_t> begins_;  // begins of the ranges in own_, within the own bytes of their slot
    std::vector<Segment> segments_;      // ascending
    std::vector<std::uint32_t> ring_;    // empty: the identity
    std::vector<std::uint32_t> position_;
};

}  // namespace regraft::erasure
#pragma GCC visibility pop
