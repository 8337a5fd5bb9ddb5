// What must hold of packed bytes, whatever they are: they unpack to the same text in pieces of any size, or are
// refused with the name of the file. Shared by the target for libFuzzer and by a test with fixed seeds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "common/text_input.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"

namespace regraft::fuzz {

/// Gives out bytes in pieces of a size.
inline common::ByteReader in_pieces(std::string_view bytes, std::size_t size) {
    return [bytes, size](std::span<char> buffer) mutable {
        auto const count = std::min({bytes.size(), buffer.size(), size});
        std::copy_n(bytes.begin(), count, buffer.begin());
        bytes.remove_prefix(count);
        return count;
    };
}

struct Unpacked {
    std::optional<std::string> text;  // none: the bytes were refused
    std::string message;
};

/// Unpacks with buffers of a size. No more than a mebibyte of text is kept.
inline Unpacked unpack(std::string_view bytes, std::size_t source_piece, std::size_t buffer_size) {
    constexpr std::size_t most_kept = std::size_t{1} << 20;
    try {
        common::TextInput input(in_pieces(bytes, source_piece), "fuzz", bytes.size(), common::SizeLimit::most_text);
        std::string text;
        std::string buffer(buffer_size, ' ');
        while (auto const size = input.read(buffer)) {
            if (text.size() < most_kept) text.append(buffer, 0, size);
        }
        text.resize(std::min(text.size(), most_kept));
        return {std::move(text), ""};
    } catch (InputError const& error) {
        return {std::nullopt, error.what()};
    }
}

/// What is wrong, or empty. `accepted` counts the bytes that were unpacked.
inline std::string complaint_about_packed(std::string_view bytes, int& accepted) {
    auto const whole = unpack(bytes, bytes.size(), std::size_t{1} << 16);
    auto const pieces = unpack(bytes, 3, 1 + bytes.size() % 100);
    if (whole.text != pieces.text) return "pieces make another text";
    if (!whole.text && !whole.message.starts_with("fuzz: is packed by ")) return "no name: " + whole.message;
    accepted += whole.text ? 1 : 0;
    return "";
}

inline constexpr int num_packers = 4;

/// A member that one of the packers makes.
inline std::string packed(std::string text, int packer) {
    std::string out(text.size() + 1000, ' ');
    auto* const bytes = reinterpret_cast<unsigned char*>(out.data());
    std::size_t size = 0;
    if (packer == 0) {
        z_stream stream{};
        deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
        stream.next_in = reinterpret_cast<unsigned char*>(text.data());
        stream.avail_in = static_cast<unsigned>(text.size());
        stream.next_out = bytes;
        stream.avail_out = static_cast<unsigned>(out.size());
        deflate(&stream, Z_FINISH);
        size = stream.total_out;
        deflateEnd(&stream);
    } else if (packer == 1) {
        auto room = static_cast<unsigned>(out.size());
        BZ2_bzBuffToBuffCompress(out.data(), &room, text.data(), static_cast<unsigned>(text.size()), 1, 0, 0);
        size = room;
    } else if (packer == 2) {
        lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<unsigned char*>(text.data()),
                                text.size(), bytes, &size, out.size());
    } else {
        size = ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1);
    }
    out.resize(size);
    return out;
}

/// One to three members of one packer, and the text in them.
struct PackedText {
    std::string bytes;
    std::string text;
};

inline PackedText seed_packed(Random& random) {
    PackedText result;
    auto const packer = static_cast<int>(random.below(num_packers));
    for (auto n = 1 + random.below(3); n > 0; --n) {
        std::string text;
        for (auto size = random.below(300); size > 0; --size) text += "ACGT\n>"[random.below(6)];
        result.bytes += packed(text, packer);
        if (packer == 2 && random.below(2) == 0) result.bytes.append(4 * random.below(3), '\0');
        result.text += text;
    }
    return result;
}

}  // namespace regraft::fuzz
