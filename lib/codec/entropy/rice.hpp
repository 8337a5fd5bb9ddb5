// Rice codes: the high bits of a number in unary, as ones followed by a zero, then its low bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/entropy/bit_stream.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::codec {

inline constexpr std::uint32_t max_rice_bits = 31;

inline void put_rice(BitWriter& out, std::uint64_t number, std::uint32_t low_bits) {
    for (auto high = number >> low_bits; high > 0; --high) out.put(1, 1);
    out.put(0, 1);
    out.put(number, low_bits);
}

/// Throws InputError if the number is above max.
inline std::uint64_t get_rice(BitReader& in, std::uint32_t low_bits, std::uint64_t max) {
    std::uint64_t high = 0;
    while (in.get(1) != 0) {
        if (++high > max >> low_bits) throw InputError("a number in the file is damaged");
    }
    auto const number = high << low_bits | in.get(low_bits);
    if (number > max) throw InputError("a number in the file is damaged");
    return number;
}

/// The number of low bits for which all numbers together are shortest; ties go to the smallest.
template <class Number>
std::uint32_t best_rice_bits(std::span<Number const> numbers) {
    std::uint32_t best = 0;
    std::uint64_t least = ~std::uint64_t{0};
    for (std::uint32_t low_bits = 0; low_bits <= max_rice_bits; ++low_bits) {
        std::uint64_t bits = 0;
        for (auto const number : numbers) bits += (number >> low_bits) + 1 + low_bits;
        if (bits >= least) continue;
        least = bits;
        best = low_bits;
    }
    return best;
}

}  // namespace regraft::codec
