// Pseudorandom permutations that are computed instead of stored: a Feistel network with cycle walking (Black and
// Rogaway 2002).
#pragma once

#include <cstdint>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft::placement {

/// A permutation of 0 .. n - 1 that looks random; the same n and seed give the same one on every PE. Not for
/// cryptography.
///
/// The network permutes a few more numbers than n, fewer than n + sqrt(n); images that are not below n are permuted
/// again until they are. So every question takes O(1) expected time.
class RandomPermutation {
public:
    /// Precondition: 1 <= n <= 2^63.
    RandomPermutation(std::uint64_t n, std::uint64_t seed);

    /// How many numbers are permuted, n.
    std::uint64_t size() const { return size_; }
    /// The image of i. Precondition: i < size().
    std::uint64_t operator()(std::uint64_t i) const;
    /// The number with this image: p.inverse(p(i)) == i. Precondition: image < size().
    std::uint64_t inverse(std::uint64_t image) const;

private:
    std::uint64_t forward(std::uint64_t i) const;
    std::uint64_t backward(std::uint64_t image) const;
    std::uint64_t hash_below(std::uint64_t n, std::uint64_t round, std::uint64_t half) const;

    std::uint64_t size_;
    std::uint64_t key_;
    std::uint64_t num_high_;  // a number is high * 2^low_bits_ + low with high < num_high_ <= 2^32
    std::uint32_t low_bits_;
    std::uint32_t num_rounds_;  // even
};

}  // namespace regraft::placement
#pragma GCC visibility pop
