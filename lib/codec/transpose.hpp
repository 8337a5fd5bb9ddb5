// Matrices of bytes turned round, in tiles of 16 x 16.
#pragma once

#include <cstddef>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace regraft::codec {

#ifdef __SSE2__
/// One step of the transposition: rows i and i + 8 are interleaved. Four steps make it.
struct Tile {
    __m128i row[16];
};
inline Tile interleaved(Tile const& tile) {
    Tile out;
    for (std::size_t i = 0; i < 8; ++i) {
        out.row[2 * i] = _mm_unpacklo_epi8(tile.row[i], tile.row[i + 8]);
        out.row[2 * i + 1] = _mm_unpackhi_epi8(tile.row[i], tile.row[i + 8]);
    }
    return out;
}
#endif

/// out(c)[r] = in(r)[c] for r < rows and c < columns; in and out give pointers to the beginnings of lines.
template <class In, class Out>
void transpose(std::size_t rows, std::size_t columns, In&& in, Out&& out) {
    auto const copy = [&](std::size_t r0, std::size_t r1, std::size_t c0, std::size_t c1) {
        for (std::size_t c = c0; c < c1; ++c) {
            auto* const line = out(c);
            for (std::size_t r = r0; r < r1; ++r) line[r] = in(r)[c];
        }
    };
    std::size_t r = 0;
#ifdef __SSE2__
    for (; r + 16 <= rows; r += 16) {
        std::size_t c = 0;
        for (; c + 16 <= columns; c += 16) {
            Tile tile;
            for (std::size_t i = 0; i < 16; ++i)
                tile.row[i] = _mm_loadu_si128(reinterpret_cast<__m128i const*>(in(r + i) + c));
            for (int step = 0; step < 4; ++step) tile = interleaved(tile);
            for (std::size_t i = 0; i < 16; ++i)
                _mm_storeu_si128(reinterpret_cast<__m128i*>(out(c + i) + r), tile.row[i]);
        }
        copy(r, r + 16, c, columns);
    }
#endif
    copy(r, rows, 0, columns);
}

}  // namespace regraft::codec
