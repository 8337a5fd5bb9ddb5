// Parts of the readers of text files: reading files, lines, blanks, and quoting text for messages.
#pragma once

#include <cstddef>
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

/// The text without a UTF-8 byte order mark at its begin.
std::string_view without_byte_order_mark(std::string_view text);

/// The character that ends lines: LF, with or without a CR before it, or CR if there is no LF in the whole text.
char line_end(std::string_view text);

/// The lines of a text that contain more than blanks, without a byte order mark.
std::vector<Line> lines_with_content(std::string_view text);

/// The column, from 1, of `at`, which points into line.text or to its end.
std::uint64_t column(Line const& line, char const* at);

/// The place of `at`, as for column.
TextPosition position(std::string const& file, Line const& line, char const* at);
/// The place of text[offset], or of its end. O(text).
TextPosition position(std::string const& file, std::string_view text, std::size_t offset);

constexpr bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}
constexpr bool is_digit(char c) {
    return '0' <= c && c <= '9';
}
constexpr bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}
/// Whether c is a visible ASCII character.
constexpr bool is_symbol(char c) {
    return ' ' < c && c < 0x7f;
}

std::string_view trim_left(std::string_view text);
std::string_view trim(std::string_view text);
/// Whether a line that begins with '>' is the first one of PIR, such as '>P1;CRAB'. It looks like FASTA, but a title
/// follows that would be read as cells.
bool begins_pir(std::string_view line);
/// The text up to the first blank.
std::string_view first_word(std::string_view text);

/// The first character: a UTF-8 sequence (RFC 3629), or one byte if it does not begin with one. Empty if text is.
std::string_view first_character(std::string_view text);
/// The first character that is a control character or not UTF-8; empty if there is none.
std::string_view find_unprintable(std::string_view text);

/// Quotes text for a message: bytes that cannot be shown become \xNN, and the middle of a long text is left out.
std::string in_quotes(std::string_view text);

}  // namespace regraft::msa
