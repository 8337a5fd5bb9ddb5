// Logarithms and powers of two in integers. They are the same on every machine, so that they may be part of a file
// format.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "regraft/core/contracts.hpp"

namespace regraft::codec {

/// Number of fractional bits of a logarithm.
inline constexpr int log_bits = 26;
/// Number of fractional bits of a power.
inline constexpr int power_bits = 30;

namespace tables {

__extension__ using Wide = unsigned __int128;

/// floor(2^24 log2(1 + i / 256)), i = 0..256, by repeated squaring.
constexpr std::array<std::uint32_t, 257> logarithms() {
    std::array<std::uint32_t, 257> table{};
    for (std::uint64_t i = 0; i < 256; ++i) {
        std::uint64_t x = (256 + i) << 54;  // in [1, 2) with 62 fractional bits
        for (int bit = 23; bit >= 0; --bit) {
            auto const square = Wide{x} * x >> 62;
            bool const above = square >> 63 != 0;
            if (above) table[i] |= 1U << bit;
            x = static_cast<std::uint64_t>(above ? square >> 1 : square);
        }
    }
    table[256] = 1U << 24;
    return table;
}

/// 2^30 * 2^(-i / 256), i = 0..256, from square roots; off by less than 1.
constexpr std::array<std::uint32_t, 257> powers() {
    std::array<std::uint64_t, 8> root{};  // 2^(-1/2), 2^(-1/4), ..., 62 fractional bits
    std::uint64_t x = std::uint64_t{1} << 61;
    for (auto& r : root) {
        Wide const square = Wide{x} << 62;
        std::uint64_t guess = 0;
        for (int bit = 62; bit >= 0; --bit) {
            auto const next = guess | std::uint64_t{1} << bit;
            if (Wide{next} * next <= square) guess = next;
        }
        r = x = guess;
    }
    std::array<std::uint32_t, 257> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        Wide product = Wide{1} << 62;
        for (std::uint32_t bit = 0; bit < 8; ++bit)
            if ((i >> (7 - bit) & 1) != 0) product = product * root[bit] >> 62;
        table[i] = static_cast<std::uint32_t>(product >> 32);
    }
    table[256] = 1U << 29;
    return table;
}

inline constexpr auto logarithm = logarithms();
inline constexpr auto power = powers();

}  // namespace tables

/// log2(x) with log_bits fractional bits, by linear interpolation between 256 points per octave; grows with x. x > 0.
constexpr std::uint64_t fixed_log2(std::uint64_t x) {
    REGRAFT_ASSERT(x > 0);
    auto const octave = static_cast<unsigned>(std::bit_width(x) - 1);
    std::uint64_t const mantissa = x << (63 - octave);  // leading one at bit 63
    auto const i = mantissa >> 55 & 0xFF;
    std::uint64_t const rest = mantissa >> 31 & 0xFFFFFF;  // 24 bits for the place between two points
    std::uint64_t const low = tables::logarithm[i];
    std::uint64_t const high = tables::logarithm[i + 1];
    return (std::uint64_t{octave} << log_bits) + (low << 2) + ((high - low) * rest >> 22);
}

/// 2^-y with power_bits fractional bits; y has log_bits of them. Falls as y grows; 0 for y >= 31.
constexpr std::uint64_t fixed_power(std::uint64_t y) {
    auto const octave = y >> log_bits;
    if (octave > power_bits) return 0;
    auto const i = y >> (log_bits - 8) & 0xFF;
    std::uint64_t const rest = y & ((1U << (log_bits - 8)) - 1);
    std::uint64_t const high = tables::power[i];
    std::uint64_t const low = tables::power[i + 1];
    return (high - ((high - low) * rest >> (log_bits - 8))) >> octave;
}

}  // namespace regraft::codec
