// Operations on whole columns and rows of bytes, 16 at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace regraft::codec {

#ifdef __SSE2__
struct Tile {
    __m128i row[16];  // NOLINT(modernize-avoid-c-arrays): std::array drops the alignment of vectors, with a warning
};
/// One step of the transposition: rows i and i + 8 are interleaved. Four steps transpose a tile. The code is unrolled
/// so that rows stay in registers at every optimisation level.
template <std::size_t... Line>
[[gnu::always_inline]] inline Tile interleaved(Tile const& tile, std::index_sequence<Line...>) {
    return {{(Line % 2 == 0 ? _mm_unpacklo_epi8(tile.row[Line / 2], tile.row[Line / 2 + 8])
                            : _mm_unpackhi_epi8(tile.row[Line / 2], tile.row[Line / 2 + 8]))...}};
}

/// out(c)[r] = in(r)[c] for 16 rows and 16 columns.
template <class In, class Out>
void transpose_tile(std::size_t r, std::size_t c, In& in, Out& out) {
    auto const load = [&]<std::size_t... Line>(std::index_sequence<Line...>) {
        return Tile{{_mm_loadu_si128(reinterpret_cast<__m128i const*>(in(r + Line) + c))...}};
    };
    auto const store = [&]<std::size_t... Line>(Tile const& tile, std::index_sequence<Line...>) {
        (_mm_storeu_si128(reinterpret_cast<__m128i*>(out(c + Line) + r), tile.row[Line]), ...);
    };
    constexpr std::make_index_sequence<16> lines;
    auto const once = interleaved(load(lines), lines);
    auto const twice = interleaved(once, lines);
    auto const thrice = interleaved(twice, lines);
    store(interleaved(thrice, lines), lines);
}
#endif

/// out(c)[r] = in(r)[c] for r < rows and c < columns; in and out return pointers to the beginnings of lines. Lines may
/// be far apart, so 64 of them are processed at a time, with as many bytes of each as a cache line has.
template <class In, class Out>
void transpose(std::size_t rows, std::size_t columns, In&& in, Out&& out) {
    constexpr std::size_t tile = 16;
    constexpr std::size_t chunk = 64;
    for (std::size_t r0 = 0; r0 < rows; r0 += chunk) {
        auto const r1 = std::min(rows, r0 + chunk);
        for (std::size_t c0 = 0; c0 < columns; c0 += chunk) {
            auto const c1 = std::min(columns, c0 + chunk);
            auto r = r0;
#ifdef __SSE2__
            for (; r + tile <= r1; r += tile) {
                auto c = c0;
                for (; c + tile <= c1; c += tile) transpose_tile(r, c, in, out);
                for (; c < c1; ++c)
                    for (std::size_t i = r; i < r + tile; ++i) out(c)[i] = in(i)[c];
            }
#endif
            for (; r < r1; ++r)
                for (auto c = c0; c < c1; ++c) out(c)[r] = in(r)[c];
        }
    }
}

/// cells[i] = (cells[i] & keep[i]) | over[i].
inline void overlay(std::uint8_t* cells, std::uint8_t const* keep, std::uint8_t const* over, std::size_t count) {
    std::size_t i = 0;
#ifdef __SSE2__
    auto const load = [](std::uint8_t const* at) { return _mm_loadu_si128(reinterpret_cast<__m128i const*>(at)); };
    for (; i + 16 <= count; i += 16) {
        auto const both = _mm_or_si128(_mm_and_si128(load(cells + i), load(keep + i)), load(over + i));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(cells + i), both);
    }
#endif
    for (; i < count; ++i) cells[i] = static_cast<std::uint8_t>((cells[i] & keep[i]) | over[i]);
}

}  // namespace regraft::codec
