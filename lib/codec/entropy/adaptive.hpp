// Models that learn from what they code: bits, numbers, and bits predicted by two models. All arithmetic is in whole
// numbers, so that they are the same on every machine (docs/file-format.md).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/entropy/fixed_log.hpp"
#include "codec/entropy/range_coder.hpp"

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
            auto const mask = (std::uint64_t{1} << left) - 1;
            found = found << left | coder.raw(static_cast<std::uint32_t>(more & mask), left);
        }
        return static_cast<std::uint32_t>(found - 1);
    }

private:
    static constexpr std::uint32_t most_bits = 31;
    std::array<AdaptiveBit, most_bits> length_;
    std::array<std::array<AdaptiveBit, 4>, most_bits + 1> high_;
};

namespace tables {

/// log2(p / (1 - p)) with 12 fractional bits, for p with 12 of them, at the middle of its interval.
constexpr std::array<std::int32_t, 4096> logits() {
    std::array<std::int32_t, 4096> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        auto const p = 16 * i + 8;
        auto const odds =
            static_cast<std::int64_t>(fixed_log2(p)) - static_cast<std::int64_t>(fixed_log2(one_probability - p));
        table[i] = static_cast<std::int32_t>(odds / (1 << (log_bits - 12)));
    }
    return table;
}
/// 1 / (1 + 2^-x) with 16 fractional bits; x = (i - 1408) / 128.
constexpr std::array<std::uint16_t, 2817> probabilities() {
    std::array<std::uint16_t, 2817> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        bool const is_positive = i >= 1408;
        std::uint64_t const distance = is_positive ? i - 1408 : 1408 - i;
        auto const small = fixed_power(distance << (log_bits - 7));
        auto const p =
            (std::uint64_t{1} << (power_bits + probability_bits)) / ((std::uint64_t{1} << power_bits) + small);
        table[i] = static_cast<std::uint16_t>(is_positive ? p : one_probability - p);
    }
    return table;
}
inline constexpr auto logit = logits();
inline constexpr auto probability = probabilities();

}  // namespace tables

/// A bit that two models predict. Their logits are summed with weights, which learn, too. There are weights for each
/// order of magnitude of how often the second model has been asked.
class Mixer {
public:
    template <class Coder>
    bool code(Coder& coder, AdaptiveBit& first, AdaptiveBit& second, bool is_set = false) {
        auto& weight = weights_[experience(second.times_seen())];
        std::array<std::int64_t, 2> const logit{
            tables::logit[first.probability() >> 4],
            second.times_seen() == 0 ? 0 : tables::logit[second.probability() >> 4]};
        auto const sum = (weight[0] * logit[0] + weight[1] * logit[1]) >> 21;  // with 7 fractional bits
        auto const p = tables::probability[static_cast<std::size_t>(std::clamp<std::int64_t>(sum, -1408, 1408) + 1408)];
        is_set = coder.bit(p, is_set);
        auto const error = (is_set ? std::int64_t{one_probability} : 0) - p;
        for (std::size_t i = 0; i < logit.size(); ++i) weight[i] += error * logit[i] >> 18;
        first.learn(is_set);
        second.learn(is_set);
        return is_set;
    }

private:
    static std::size_t experience(std::uint32_t times_seen) {
        return times_seen < 2 ? times_seen : times_seen < 4 ? 2 : times_seen < 10 ? 3 : times_seen < 40 ? 4 : 5;
    }
    static constexpr std::array<std::int64_t, 2> at_first{39322, 32768};  // 0.6 and 0.5, with 16 fractional bits
    std::array<std::array<std::int64_t, 2>, 6> weights_{at_first, at_first, at_first, at_first, at_first, at_first};
};

}  // namespace regraft::codec
