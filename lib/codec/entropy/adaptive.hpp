// Models of bits and numbers that learn from what they code. All arithmetic is in whole numbers, so that they are the
// same on every machine (docs/alignments/file-format.md).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/entropy/range_decoder.hpp"

namespace regraft::codec {

namespace tables {

/// How far the probability moves when the bit has been seen n times: 1 / (n + 1.6), with 16 fractional bits.
constexpr std::array<std::uint32_t, 255> rates() {
    std::array<std::uint32_t, 255> table{};
    for (std::uint32_t n = 0; n < table.size(); ++n) table[n] = 10 * one_probability / (10 * n + 16);
    return table;
}
inline constexpr auto rate = rates();

}  // namespace tables

/// The probability of a set bit; at first 1/2.
class AdaptiveBit {
public:
    template <class Coder>
    bool code(Coder& coder, bool is_set = false) {
        is_set = coder.bit(p_, is_set);
        learn(is_set);
        return is_set;
    }
    void learn(bool is_set) {
        std::int32_t const target = is_set ? one_probability - 1 : 0;
        auto const step = static_cast<std::int64_t>(target - p_) * tables::rate[seen_] >> probability_bits;
        p_ = static_cast<std::uint16_t>(std::clamp<std::int64_t>(p_ + step, least, one_probability - 1 - least));
        if (seen_ + 1U < tables::rate.size()) ++seen_;
    }
    std::uint32_t probability() const { return p_; }
    std::uint32_t times_seen() const { return seen_; }  // at most 254

    static constexpr std::int32_t least = 32;

private:
    std::uint16_t p_ = one_probability / 2;
    std::uint16_t seen_ = 0;
};

/// A number of a fixed number of bits; each bit is predicted by those above it.
class AdaptiveBits {
public:
    explicit AdaptiveBits(std::uint32_t bits) : bits_(bits), tree_(std::size_t{1} << bits) {}
    template <class Coder>
    std::uint32_t code(Coder& coder, std::uint32_t number = 0) {
        std::uint32_t node = 1;
        for (auto i = bits_; i-- > 0;) node = 2 * node + (tree_[node].code(coder, (number >> i & 1) != 0) ? 1 : 0);
        return node - (1U << bits_);
    }
    std::uint32_t bits() const { return bits_; }
    AdaptiveBit& at(std::uint32_t node) { return tree_[node]; }

private:
    std::uint32_t bits_;
    std::vector<AdaptiveBit> tree_;
};

/// A number below 2^32 - 1, as one more: how many bits it has (unary), its two highest bits below the leading one, and
/// the others raw.
class AdaptiveNumber {
public:
    template <class Coder>
    std::uint32_t code(Coder& coder, std::uint32_t number = 0) {
        auto const more = std::uint64_t{number} + 1;
        auto const wanted = static_cast<std::uint32_t>(std::bit_width(more) - 1);
        std::uint32_t octave = 0;
        while (octave < most_bits && length_[octave].code(coder, octave < wanted)) ++octave;
        std::uint64_t found = 1;
        auto left = octave;
        for (std::uint32_t node = 1; left > 0 && node < 4; node = static_cast<std::uint32_t>(found)) {
            --left;
            found = 2 * found + (high_[octave][node].code(coder, (more >> left & 1) != 0) ? 1 : 0);
        }
        if (left > 0) {
            auto const size = std::uint64_t{1} << left;
            found = found << left | coder.uniform(static_cast<std::uint32_t>(more % size), size);
        }
        return static_cast<std::uint32_t>(found - 1);
    }

private:
    static constexpr std::uint32_t most_bits = 31;
    std::array<AdaptiveBit, most_bits> length_;
    std::array<std::array<AdaptiveBit, 4>, most_bits + 1> high_;
};

}  // namespace regraft::codec
