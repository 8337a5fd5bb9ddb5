// Static models of symbols: shares are proportional to rounded frequencies; a vector comparison finds a symbol.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "codec/entropy/rans.hpp"

namespace regraft::codec {

/// Largest number of symbols of a table.
inline constexpr std::uint32_t most_symbols = 32;
/// Shares are parts of 2^15.
inline constexpr std::uint32_t symbol_bits = 15;

/// The number of occurrences of each symbol.
using SymbolCounts = std::array<std::uint64_t, most_symbols>;

/// Rounded frequencies: code c stands for a weight of about 2^(c / 2).
using TableCodes = std::array<std::uint8_t, most_symbols>;
inline constexpr std::uint8_t absent = 0xFF;  // the code of symbols that cannot occur
inline constexpr std::uint8_t largest_code = 31;

/// The weight of a code: 2, 3, 4, 6, 8, 12, ...
constexpr std::uint64_t weight_of_code(std::uint32_t code) {
    return std::uint64_t{2 + code % 2} << code / 2;
}
/// The code of a count relative to the largest one, which has the largest code. Precondition: 0 < count <= largest.
std::uint8_t code_of_count(std::uint64_t count, std::uint64_t largest);

/// Shares for symbols 0 .. 31; symbols that cannot occur have none.
class FrequencyTable {
public:
    /// A table that is not used: everything is symbol 0.
    FrequencyTable();
    /// Shares that suit these counts. Frequencies relative to the largest are rounded to steps of 3/2 or 4/3, so that
    /// one takes five bits.
    explicit FrequencyTable(SymbolCounts const& counts);

    /// Shares in proportion to the weights of codes.
    explicit FrequencyTable(TableCodes const& codes);

    Share share(std::uint32_t symbol) const {
        auto const begin = symbol == 0 ? 0 : last_[symbol - 1] + 1;
        return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(last_[symbol] + 1 - begin), symbol_bits};
    }
    bool occurs(std::uint32_t symbol) const { return share(symbol).size != 0; }
    /// The symbol whose share has the slot, 0 <= slot < 2^15.
    std::uint32_t find(std::uint32_t slot) const;
    std::uint32_t take(RansReader& in) const {
        auto const symbol = find(in.peek(symbol_bits));
        in.take(share(symbol));
        return symbol;
    }
    /// -log2 of the symbol's frequency with 8 fractional bits. Precondition: it occurs.
    std::uint32_t cost(std::uint32_t symbol) const;
    /// The number of bits that these counts take with this table, with 8 fractional bits. Precondition: every symbol
    /// that is counted occurs.
    std::uint64_t cost(SymbolCounts const& counts) const;

    TableCodes const& codes() const { return code_; }

private:
    void set_shares();

    TableCodes code_;
    alignas(16) std::array<std::int16_t, most_symbols> last_;  // last slot of each symbol's share; -1: none yet
};

inline std::uint32_t FrequencyTable::find(std::uint32_t slot) const {
#ifdef __SSE2__
    auto const key = _mm_set1_epi16(static_cast<short>(slot));
    auto const* const last = reinterpret_cast<__m128i const*>(last_.data());
    auto const behind = [&](int i) { return _mm_cmpgt_epi16(key, _mm_load_si128(last + i)); };
    auto const first = static_cast<unsigned>(_mm_movemask_epi8(_mm_packs_epi16(behind(0), behind(1))));
    if (first != 0xFFFF) return static_cast<std::uint32_t>(std::countr_one(first));
    auto const second = static_cast<unsigned>(_mm_movemask_epi8(_mm_packs_epi16(behind(2), behind(3))));
    return 16 + static_cast<std::uint32_t>(std::countr_one(second));
#else
    std::uint32_t symbol = 0;
    while (static_cast<std::int32_t>(slot) > last_[symbol]) ++symbol;
    return symbol;
#endif
}

}  // namespace regraft::codec
