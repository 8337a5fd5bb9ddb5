// What the readers of text files share: files into memory, lines, blanks, and text quoted for messages.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/core/errors.hpp"

namespace regraft::msa {

/// The bytes of a file. Throws InputError with the system's reason.
std::string read_file(std::filesystem::path const& path);

/// A line without its end.
struct Line {
    std::string_view text;
    std::uint64_t number = 0;  // from 1
};

/// The lines of a text that contain more than blanks. Line ends are LF or CR LF; a byte order mark is skipped.
std::vector<Line> lines_with_content(std::string_view text);

/// The column, from 1, of `at`, which points into line.text or to its end.
std::uint64_t column(Line const& line, char const* at);

/// The place of `at`, as for column.
TextPosition position(std::string const& file, Line const& line, char const* at);

constexpr bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}
constexpr bool is_digit(char c) {
    return '0' <= c && c <= '9';
}
constexpr bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}
/// A visible ASCII character.
constexpr bool is_symbol(char c) {
    return ' ' < c && c < 0x7f;
}

std::string_view trim_left(std::string_view text);
std::string_view trim(std::string_view text);
/// The text up to the first blank.
std::string_view first_word(std::string_view text);

/// 'text' for a message: bytes that cannot be shown as \xNN, the middle of a long text left out.
std::string in_quotes(std::string_view text);

}  // namespace regraft::msa
