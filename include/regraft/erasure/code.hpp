// Erasure codes: m parities of k pieces of data, so that any k of the k + m pieces give back all others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace regraft::erasure {

/// A sum of sources, each times a factor, in the field GF(2^8), byte by byte: what one byte becomes depends on the
/// bytes of the same offset only, so any sub-range of pieces can be summed for itself. The same on all CPUs.
class Combination {
public:
    Combination() = default;
    explicit Combination(std::vector<std::uint8_t> factors);

    std::size_t num_sources() const { return factors_.size(); }
    std::uint8_t factor(std::size_t source) const { return factors_[source]; }
    /// target = the sum. Sources shorter than target go on with zeros. Precondition: num_sources() sources, none longer
    /// than target; target overlaps none of them.
    void combine(std::span<std::span<std::byte const> const> sources, std::span<std::byte> target) const;
    /// target += source number i, given as its first bytes; the others are zeros. Adding all sources to zeros, in any
    /// order, is combine().
    void add(std::size_t source, std::span<std::byte const> bytes, std::span<std::byte> target) const;

private:
    std::vector<std::uint8_t> factors_;
    std::vector<std::uint8_t> tables_;  // 32 bytes per factor, for the vector kernels
};

/// k pieces of data (0 .. k - 1) and m parities (k .. k + m - 1). One parity is the XOR of the data; more are
/// Reed-Solomon over GF(2^8) with a Cauchy matrix, of which every square part is invertible.
class Code {
public:
    /// One piece and no parity.
    Code() : Code(1, 0) {}
    /// Precondition: data >= 1, data + parity <= 255.
    Code(std::uint32_t data, std::uint32_t parity);

    std::uint32_t data() const { return data_; }
    std::uint32_t parity() const { return parity_; }
    std::uint32_t pieces() const { return data_ + parity_; }
    /// The code for so few places that not every piece would have one of its own: as many parities as there can be,
    /// then as much data. With one place there is no parity. Itself if it fits. Precondition: places >= 1.
    Code fitted(std::uint32_t places) const;

    /// How piece `piece` follows from the data; parities also from data added one by one.
    Combination from_data(std::uint32_t piece) const;
    /// How `wanted` follows from k other pieces, sources[i] being the number of source i. O(k^3). Precondition: k
    /// different pieces.
    Combination rebuild(std::span<std::uint32_t const> sources, std::uint32_t wanted) const;
    /// Makes all parities of the data; data shorter than the parities goes on with zeros. Precondition: k pieces of
    /// data, m parities of one size.
    void encode(std::span<std::span<std::byte const> const> data, std::span<std::span<std::byte> const> parities) const;

    friend bool operator==(Code const& a, Code const& b) { return a.data_ == b.data_ && a.parity_ == b.parity_; }

private:
    std::vector<std::uint8_t> row(std::uint32_t piece) const;

    std::uint32_t data_;
    std::uint32_t parity_;
    std::vector<std::uint8_t> tables_;  // of all parities, for the vector kernels
};

}  // namespace regraft::erasure
