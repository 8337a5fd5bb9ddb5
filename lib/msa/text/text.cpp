#include "msa/text/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace regraft::msa {
namespace {

std::uint32_t to_byte(char c) {
    return static_cast<unsigned char>(c);
}

/// The length of the UTF-8 sequence at the begin of a text that is not empty; 0 if there is none.
std::size_t sequence_length(std::string_view text) {
    auto const lead = to_byte(text[0]);
    if (lead < 0x80) return 1;
    std::size_t const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
    auto code = lead & (0x7fU >> length);
    for (char c : text.substr(1, length - 1)) {
        if ((to_byte(c) & 0xc0) != 0x80) return 0;
        code = code << 6 | (to_byte(c) & 0x3f);
    }
    // Neither an overlong encoding, nor half of a UTF-16 pair, nor beyond Unicode.
    if (length == 3 && (code < 0x800 || (0xd800 <= code && code < 0xe000))) return 0;
    if (length == 4 && (code < 0x10000 || code > 0x10ffff)) return 0;
    return length;
}

bool is_printable(std::string_view character) {
    constexpr std::string_view first_not_c1 = "\xc2\xa0";  // U+0080 to U+009F are control characters too
    if (character.size() == 1) return !is_control(character[0]) && to_byte(character[0]) < 0x80;
    return character.size() > 2 || character >= first_not_c1;
}

std::string escaped(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    while (!text.empty()) {
        auto const character = first_character(text);
        text.remove_prefix(character.size());
        if (is_printable(character)) {
            out += character;
            continue;
        }
        for (char c : character) {
            out += "\\x";
            out += digits[to_byte(c) / 16];
            out += digits[to_byte(c) % 16];
        }
    }
    return out;
}

}  // namespace

std::string read_file(std::filesystem::path const& path) {
    auto const fail = [&](int code) {
        throw InputError({path.string()}, "cannot be read: " + std::generic_category().message(code));
    };
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> const file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file) fail(errno);

    std::string text;
    std::size_t used = 0;
    do {
        text.resize(std::max<std::size_t>(2 * used, std::size_t{1} << 16));
        used += std::fread(text.data() + used, 1, text.size() - used, file.get());
        if (std::ferror(file.get()) != 0) fail(errno);
    } while (used == text.size());
    text.resize(used);
    return text;
}

std::string_view without_byte_order_mark(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    return text;
}

char line_end(std::string_view text) {
    return text.find('\n') == std::string_view::npos ? '\r' : '\n';
}

std::vector<Line> lines_with_content(std::string_view text) {
    text = without_byte_order_mark(text);
    auto const separator = line_end(text);
    std::vector<Line> lines;
    for (std::uint64_t number = 1; !text.empty(); ++number) {
        auto const end = std::min(text.find(separator), text.size());
        auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!trim_left(line).empty()) lines.push_back({line, number});
    }
    return lines;
}

std::uint64_t column(Line const& line, char const* at) {
    return static_cast<std::uint64_t>(at - line.text.data()) + 1;
}

TextPosition position(std::string const& file, Line const& line, char const* at) {
    return {file, line.number, column(line, at)};
}

TextPosition position(std::string const& file, std::string_view text, std::size_t offset) {
    auto const before = text.substr(0, offset);
    auto const separator = line_end(text);
    auto const line = static_cast<std::uint64_t>(std::ranges::count(before, separator)) + 1;
    return {file, line, offset - (before.rfind(separator) + 1) + 1};  // npos + 1 is 0
}

std::string_view trim_left(std::string_view text) {
    text.remove_prefix(static_cast<std::size_t>(std::ranges::find_if_not(text, is_blank) - text.begin()));
    return text;
}

std::string_view trim(std::string_view text) {
    text = trim_left(text);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

bool begins_pir(std::string_view line) {
    constexpr std::array<std::string_view, 9> types{"P1;", "F1;", "DL;", "DC;", "RL;", "RC;", "N1;", "N3;", "XX;"};
    return std::ranges::any_of(types, [&](auto const& type) { return line.substr(1).starts_with(type); });
}

std::string_view first_word(std::string_view text) {
    return text.substr(0, static_cast<std::size_t>(std::ranges::find_if(text, is_blank) - text.begin()));
}

std::string_view first_character(std::string_view text) {
    return text.empty() ? text : text.substr(0, std::max<std::size_t>(1, sequence_length(text)));
}

std::string_view find_unprintable(std::string_view text) {
    bool has_other = false;  // than printable ASCII; no early end, so that compilers use vectors
    for (char const c : text) has_other |= is_control(c) || to_byte(c) >= 0x80;
    if (!has_other) return {};
    while (!text.empty()) {
        auto const character = first_character(text);
        if (!is_printable(character)) return character;
        text.remove_prefix(character.size());
    }
    return text;
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t longest = 60;
    std::string quoted = "'";
    if (text.size() <= longest) {
        quoted += escaped(text);
    } else {
        quoted += escaped(text.substr(0, longest / 2));
        quoted += "...";
        quoted += escaped(text.substr(text.size() - longest / 2));
    }
    return quoted += '\'';
}

}  // namespace regraft::msa
