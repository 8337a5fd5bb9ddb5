// Bits that two adaptive models predict together, in whole numbers (docs/alignments/file-format.md).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/entropy/adaptive.hpp"
#include "codec/entropy/fixed_log.hpp"

namespace regraft::codec {

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
