// Erasure codes: m parities of k pieces of data, so that all pieces can be rebuilt from any k of the k + m.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft::erasure {

/// A sum of sources, each times a factor, in the field GF(2^8), byte by byte. A byte of the sum depends only on the
/// bytes at the same offset, so any sub-range of pieces can be summed alone. The result is the same on all CPUs.
class Combination {
public:
    Combination() = default;
    /// One factor per source; factor 0 leaves its source out.
    explicit Combination(std::vector<std::uint8_t> factors);

    /// The number of factors.
    std::size_t num_sources() const { return factors_.size(); }
    /// The factor of a source. Precondition: source < num_sources().
    std::uint8_t factor(std::size_t source) const { return factors_[source]; }
    /// target = the sum. A source shorter than target counts as continued with zeros. Precondition: num_sources()
    /// sources, none longer than target; target overlaps none of them.
    void combine(std::span<std::span<std::byte const> const> sources, std::span<std::byte> target) const;
    /// target += source number i, given as its first bytes; the remaining bytes are zeros. Adding all sources to zeros,
    /// in any order, equals combine().
    void add(std::size_t source, std::span<std::byte const> bytes, std::span<std::byte> target) const;

private:
    std::vector<std::uint8_t> factors_;
    std::vector<std::uint8_t> tables_;  // 32 bytes per factor, for the vector kernels
};

/// k pieces of data (0 .. k - 1) and m parities (k .. k + m - 1). A single parity is the XOR of the data. More parities
/// are Reed-Solomon over GF(2^8) with a Cauchy matrix, whose square submatrices are all invertible.
class Code {
public:
    /// One piece of data and no parity.
    Code() : Code(1, 0) {}
    /// Precondition: data >= 1, data + parity <= 255.
    Code(std::uint32_t data, std::uint32_t parity);

    /// k, the number of pieces of data.
    std::uint32_t data() const { return data_; }
    /// m, the number of parities, which is the number of pieces that may be lost.
    std::uint32_t parity() const { return parity_; }
    /// The number of pieces of a stripe, k + m.
    std::uint32_t pieces() const { return data_ + parity_; }
    /// The code for a number of places that may be too small for all pieces to have one each: as many parities as
    /// possible, then as much data as possible. With one place there is no parity. Returns this code if it fits.
    /// Precondition: places >= 1.
    Code fitted(std::uint32_t places) const;

    /// The combination of the data that gives piece `piece`. Parities can also be made by adding data one by one.
    Combination from_data(std::uint32_t piece) const;
    /// The combination of k other pieces that gives `wanted`; sources[i] is the number of source i. O(k^3).
    /// Precondition: k different pieces.
    Combination rebuild(std::span<std::uint32_t const> sources, std::uint32_t wanted) const;
    /// Makes all parities of the data; data shorter than the parities counts as continued with zeros. Precondition: k
    /// pieces of data, m parities of one size.
    void encode(std::span<std::span<std::byte const> const> data, std::span<std::span<std::byte> const> parities) const;

    friend bool operator==(Code const& a, Code const& b) { return a.data_ == b.data_ && a.parity_ == b.parity_; }

private:
    std::vector<std::uint8_t> row(std::uint32_t piece) const;

    std::uint32_t data_;
    std::uint32_t parity_;
    std::vector<std::uint8_t> tables_;  // tables of all parities, for the vector kernels
};

}  // namespace regraft::erasure
#pragma GCC visibility pop
