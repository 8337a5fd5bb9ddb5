#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "regraft/erasure/code.hpp"

namespace regraft::erasure {
namespace {

using Bytes = std::vector<std::byte>;

/// Multiplication in GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1, by the definition.
std::uint8_t times(std::uint32_t a, std::uint32_t b) {
    std::uint32_t product = 0;
    for (std::uint32_t bit = 0; bit < 8; ++bit) {
        if ((b >> bit & 1) != 0) product ^= a << bit;
    }
    for (std::uint32_t bit = 14; bit >= 8; --bit) {
        if ((product >> bit & 1) != 0) product ^= 0x11dU << (bit - 8);
    }
    return static_cast<std::uint8_t>(product);
}

Bytes sum(Combination const& combination, std::vector<Bytes> const& sources, std::size_t size) {
    static auto const table = [] {
        std::vector<std::array<std::uint8_t, 256>> products(256);
        for (std::uint32_t a = 0; a < 256; ++a) {
            for (std::uint32_t b = 0; b < 256; ++b) products[a][b] = times(a, b);
        }
        return products;
    }();
    Bytes result(size);
    for (std::size_t i = 0; i < sources.size(); ++i) {
        for (std::size_t at = 0; at < sources[i].size(); ++at) {
            result[at] ^= std::byte{table[combination.factor(i)][std::to_integer<std::size_t>(sources[i][at])]};
        }
    }
    return result;
}

Bytes random_bytes(std::size_t size, Random& random) {
    Bytes bytes(size);
    for (auto& byte : bytes) byte = static_cast<std::byte>(random.bits());
    return bytes;
}

std::vector<std::span<std::byte const>> views(std::vector<Bytes> const& pieces) {
    return {pieces.begin(), pieces.end()};
}

/// All pieces of a stripe, as encode makes them.
std::vector<Bytes> stripe(Code const& code, std::size_t size, Random& random) {
    std::vector<Bytes> pieces;
    for (std::uint32_t i = 0; i < code.data(); ++i) pieces.push_back(random_bytes(size, random));
    std::vector<Bytes> parities(code.parity(), Bytes(size));
    std::vector<std::span<std::byte>> const targets(parities.begin(), parities.end());
    code.encode(views(pieces), targets);
    pieces.insert(pieces.end(), parities.begin(), parities.end());
    return pieces;
}

TEST(ErasureCode, EncodesWhatTheFieldSays) {
    Random random(1);
    for (std::uint32_t k = 1; k <= 6; ++k) {
        for (std::uint32_t m = 0; m <= 4; ++m) {
            SCOPED_TRACE(testing::Message() << k << " + " << m);
            Code const code(k, m);
            auto const pieces = stripe(code, 77, random);
            std::vector<Bytes> const data(pieces.begin(), pieces.begin() + k);
            for (std::uint32_t piece = 0; piece < code.pieces(); ++piece) {
                EXPECT_EQ(pieces[piece], sum(code.from_data(piece), data, 77));
            }
        }
    }
}

TEST(ErasureCode, OneParityIsTheXor) {
    Random random(2);
    Code const code(5, 1);
    auto const pieces = stripe(code, 100, random);
    for (std::size_t at = 0; at < 100; ++at) {
        EXPECT_EQ(pieces[5][at], pieces[0][at] ^ pieces[1][at] ^ pieces[2][at] ^ pieces[3][at] ^ pieces[4][at]);
    }
    EXPECT_EQ(code.rebuild(std::vector<std::uint32_t>{0, 5, 2, 4, 1}, 3).factor(1), 1);
}

// Every choice of k of the k + m pieces gives back every piece.
TEST(ErasureCode, RebuildsEverythingFromAnyPieces) {
    Random random(3);
    for (std::uint32_t k = 1; k <= 6; ++k) {
        for (std::uint32_t m = 0; m <= 4; ++m) {
            Code const code(k, m);
            auto const pieces = stripe(code, 70, random);
            for (std::uint32_t subset = 0; subset < 1U << code.pieces(); ++subset) {
                std::vector<std::uint32_t> sources;
                std::vector<Bytes> there;
                for (std::uint32_t piece = 0; piece < code.pieces(); ++piece) {
                    if ((subset >> piece & 1) == 0) continue;
                    sources.push_back(piece);
                    there.push_back(pieces[piece]);
                }
                if (sources.size() != k) continue;
                for (std::uint32_t wanted = 0; wanted < code.pieces(); ++wanted) {
                    SCOPED_TRACE(testing::Message()
                                 << k << " + " << m << ", subset " << subset << ", piece " << wanted);
                    auto const combination = code.rebuild(sources, wanted);
                    EXPECT_EQ(sum(combination, there, 70), pieces[wanted]);
                    Bytes target(70);
                    combination.combine(views(there), target);
                    EXPECT_EQ(target, pieces[wanted]);
                }
            }
        }
    }
}

TEST(ErasureCode, RebuildsWithManyPieces) {
    Random random(4);
    Code const code(200, 55);
    auto const pieces = stripe(code, 10, random);
    std::vector<std::uint32_t> order(code.pieces());
    for (std::uint32_t i = 0; i < code.pieces(); ++i) order[i] = i;
    shuffle(std::span(order), random);
    std::vector<Bytes> there;
    for (std::uint32_t i = 0; i < code.data(); ++i) there.push_back(pieces[order[i]]);
    for (auto wanted : {order[200], order[254]}) {
        Bytes target(10);
        code.rebuild(std::span(order).first(200), wanted).combine(views(there), target);
        EXPECT_EQ(target, pieces[wanted]);
    }
}

TEST(ErasureCode, WorksOnBytesOfAnySizeAndAlignment) {
    Random random(5);
    Code const code(3, 2);
    auto const whole = stripe(code, 400, random);
    std::vector<Bytes> const data(whole.begin(), whole.begin() + 3);
    for (std::size_t size = 0; size <= 200; ++size) {
        SCOPED_TRACE(size);
        auto const begin = size % 67;
        std::vector<std::span<std::byte const>> parts;
        for (auto const& piece : data) parts.push_back(std::span(piece).subspan(begin, size));
        Bytes target(size + 2, std::byte{0x5a});  // a byte too many on both sides
        code.from_data(4).combine(parts, std::span(target).subspan(1, size));
        EXPECT_TRUE(
            std::equal(target.begin() + 1, target.end() - 1, whole[4].begin() + static_cast<std::ptrdiff_t>(begin)));
        EXPECT_EQ(target.front(), std::byte{0x5a});
        EXPECT_EQ(target.back(), std::byte{0x5a});
    }
}

TEST(ErasureCode, ShorterPiecesGoOnWithZeros) {
    Random random(6);
    Code const code(3, 2);
    std::vector<Bytes> data{random_bytes(130, random), {}, random_bytes(61, random)};
    std::vector<Bytes> parities(2, Bytes(200, std::byte{1}));
    code.encode(views(data), std::vector<std::span<std::byte>>(parities.begin(), parities.end()));
    auto padded = data;
    for (auto& piece : padded) piece.resize(200);
    for (std::uint32_t i = 0; i < 2; ++i) EXPECT_EQ(parities[i], sum(code.from_data(3 + i), padded, 200));
}

TEST(ErasureCode, AddsDataOneByOneInAnyOrder) {
    Random random(7);
    for (std::uint32_t m : {1, 3}) {
        Code const code(4, m);
        auto const pieces = stripe(code, 333, random);
        for (std::uint32_t parity = 4; parity < code.pieces(); ++parity) {
            Bytes target(333);
            auto const combination = code.from_data(parity);
            for (std::uint32_t i : {2, 0, 3, 1}) combination.add(i, pieces[i], target);
            EXPECT_EQ(target, pieces[parity]);
        }
    }
}

TEST(ErasureCode, FitsItselfToFewPlaces) {
    Code const code(4, 2);
    EXPECT_EQ(code.fitted(100), Code(4, 2));
    EXPECT_EQ(code.fitted(6), Code(4, 2));
    EXPECT_EQ(code.fitted(5), Code(3, 2));
    EXPECT_EQ(code.fitted(3), Code(1, 2));
    EXPECT_EQ(code.fitted(2), Code(1, 1));
    EXPECT_EQ(code.fitted(1), Code(1, 0));
}

TEST(ErasureCodeDeathTest, RefusesWhatTheFieldCannotDo) {
    EXPECT_DEATH(Code(0, 1), "data >= 1");
    EXPECT_DEATH(Code(250, 6), "max_pieces");
    Code const code(3, 1);
    EXPECT_DEATH(code.rebuild(std::vector<std::uint32_t>{0, 1}, 2), "sources.size");
    EXPECT_DEATH(code.rebuild(std::vector<std::uint32_t>{0, 1, 1}, 2), "invertible");
    EXPECT_DEATH(code.from_data(4), "pieces");
    Bytes bytes(3);
    EXPECT_DEATH(code.from_data(3).add(0, bytes, std::span(bytes).first(2)), "target.size");
}

}  // namespace
}  // namespace regraft::erasure
