#include "msa/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace regraft::msa {
namespace {

std::string escaped(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    for (char c : text) {
        auto const byte = static_cast<unsigned char>(c);
        if (!is_control(c)) {
            out += c;
        } else {
            out += "\\x";
            out += digits[byte / 16];
            out += digits[byte % 16];
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

std::vector<Line> lines_with_content(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    std::vector<Line> lines;
    for (std::uint64_t number = 1; !text.empty(); ++number) {
        auto const end = std::min(text.find('\n'), text.size());
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

std::string_view trim_left(std::string_view text) {
    text.remove_prefix(static_cast<std::size_t>(std::ranges::find_if_not(text, is_blank) - text.begin()));
    return text;
}

std::string_view trim(std::string_view text) {
    text = trim_left(text);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

std::string_view first_word(std::string_view text) {
    return text.substr(0, static_cast<std::size_t>(std::ranges::find_if(text, is_blank) - text.begin()));
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
