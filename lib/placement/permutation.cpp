#include "regraft/placement/permutation.hpp"

#include <bit>

#include "regraft/core/contracts.hpp"
#include "regraft/core/random.hpp"

namespace regraft::placement {

RandomPermutation::RandomPermutation(std::uint64_t n, std::uint64_t seed) : size_(n), key_(Random(seed).bits()) {
    REGRAFT_EXPECTS(1 <= n && n <= std::uint64_t{1} << 63);
    // Both halves have about sqrt(n) values; only the number of values of the high one need not be a power of two.
    low_bits_ = static_cast<std::uint32_t>(std::bit_width(n - 1)) / 2;
    num_high_ = ((n - 1) >> low_bits_) + 1;
    // On few numbers a round has hardly any choice: with 8 rounds some of the orders of 7 numbers come twice as often
    // as others; with 24 no difference is measurable.
    num_rounds_ = n < 256 ? 24 : 8;
}

std::uint64_t RandomPermutation::operator()(std::uint64_t i) const {
    REGRAFT_EXPECTS(i < size_);
    do i = forward(i);  // ends, because i is on a cycle that contains at least one number below size_, i itself
    while (i >= size_);
    return i;
}

std::uint64_t RandomPermutation::inverse(std::uint64_t image) const {
    REGRAFT_EXPECTS(image < size_);
    do image = backward(image);
    while (image >= size_);
    return image;
}

std::uint64_t RandomPermutation::forward(std::uint64_t i) const {
    auto const num_low = std::uint64_t{1} << low_bits_;
    auto low = i & (num_low - 1);
    auto high = i >> low_bits_;
    for (std::uint32_t round = 0; round < num_rounds_; round += 2) {
        high += hash_below(num_high_, round, low);
        if (high >= num_high_) high -= num_high_;
        low ^= hash_below(num_low, round + 1, high);
    }
    return high << low_bits_ | low;
}

std::uint64_t RandomPermutation::backward(std::uint64_t image) const {
    auto const num_low = std::uint64_t{1} << low_bits_;
    auto low = image & (num_low - 1);
    auto high = image >> low_bits_;
    for (auto round = num_rounds_; round > 0; round -= 2) {
        low ^= hash_below(num_low, round - 1, high);
        auto const shift = hash_below(num_high_, round - 2, low);
        high = high >= shift ? high - shift : high + num_high_ - shift;
    }
    return high << low_bits_ | low;
}

/// A pseudorandom number below n <= 2^32.
std::uint64_t RandomPermutation::hash_below(std::uint64_t n, std::uint64_t round, std::uint64_t half) const {
    return (mix(key_ + (round << 32 | half)) >> 32) * n >> 32;  // without a division; half < 2^32
}

}  // namespace regraft::placement
