// Pictures in the PNG format (ISO/IEC 15948), of one byte per pixel.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <zlib.h>

namespace example {

struct Colour {
    std::uint8_t red, green, blue;
};

/// From blue over white in the middle to red.
inline std::array<Colour, 256> blue_white_red() {
    std::array<Colour, 256> colours{};
    for (std::size_t i = 0; i < 128; ++i) {
        auto const pale = static_cast<std::uint8_t>(2 * i);
        colours[i] = {pale, pale, 255};
        colours[255 - i] = {255, pale, pale};
    }
    return colours;
}

/// Appends a number as PNG has them.
inline void append_number(std::string& bytes, std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(number >> shift & 0xff));
}

inline void append_chunk(std::string& file, std::string const& type_and_data) {
    append_number(file, static_cast<std::uint32_t>(type_and_data.size() - 4));
    file += type_and_data;
    auto const* const bytes = reinterpret_cast<Bytef const*>(type_and_data.data());
    append_number(file, static_cast<std::uint32_t>(crc32_z(0, bytes, type_and_data.size())));
}

/// The whole file, for rows of `width` pixels from top to bottom, each of which is one of the colours.
inline std::string png(std::vector<std::uint8_t> const& pixels, std::uint32_t width,
                       std::array<Colour, 256> const& colours) {
    auto const height = static_cast<std::uint32_t>(pixels.size() / width);
    std::string header = "IHDR", palette = "PLTE", rows;
    append_number(header, width);
    append_number(header, height);
    header += std::string("\x08\x03\x00\x00\x00", 5);  // 8 bits, of a palette; not interlaced
    for (auto const& [red, green, blue] : colours) {
        for (auto const part : {red, green, blue}) palette.push_back(static_cast<char>(part));
    }
    for (std::uint32_t row = 0; row < height; ++row) {
        rows.push_back('\0');  // not filtered
        rows.append(reinterpret_cast<char const*>(pixels.data()) + std::size_t{row} * width, width);
    }
    auto size = compressBound(static_cast<uLong>(rows.size()));
    std::string data(4 + size, '\0');
    data.replace(0, 4, "IDAT");
    if (compress(reinterpret_cast<Bytef*>(data.data() + 4), &size, reinterpret_cast<Bytef const*>(rows.data()),
                 static_cast<uLong>(rows.size())) != Z_OK)
        throw std::runtime_error("a picture cannot be compressed");
    data.resize(4 + size);

    std::string file = "\x89PNG\r\n\x1a\n";
    for (auto const& chunk : {header, palette, data, std::string("IEND")}) append_chunk(file, chunk);
    return file;
}

/// Replaces the file as a whole, or returns false.
inline bool write_file(std::string const& name, std::string const& content) {
    auto const unfinished = name + ".tmp";
    std::ofstream file(unfinished, std::ios::binary);
    file << content;
    file.close();
    std::error_code error;
    if (file) std::filesystem::rename(unfinished, name, error);
    bool const written = file && !error;
    if (!written) std::filesystem::remove(unfinished, error);
    return written;
}

}  // namespace example
