#include "number_lines.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>

namespace regraft::plan {
namespace {

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

bool is_digit(char c) {
    return '0' <= c && c <= '9';
}

/// How large a file says it is; 0 for what is not a file.
std::size_t size_hint(std::FILE* file) {
    struct stat status {};
    bool const is_file = fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
    return is_file ? static_cast<std::size_t>(status.st_size) : 0;
}

bool ends_token(char c) {
    return is_blank(c) || c == '#';
}

}  // namespace

std::string read_text(std::string const& path) {
    auto const fail = [&](int code) {
        throw InputError({shown_input(path)}, "cannot be read: " + std::generic_category().message(code));
    };
    auto const close = [](std::FILE* file) { return file == stdin ? 0 : std::fclose(file); };
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> const file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"),
                                                               close);
    if (!file) fail(errno);

    std::string text;
    std::size_t used = 0;
    auto size = std::max(size_hint(file.get()) + 1, std::size_t{1} << 16);  // one byte more, to notice the end
    do {
        text.resize(size);
        size = 2 * text.size();
        used += std::fread(text.data() + used, 1, text.size() - used, file.get());
        if (std::ferror(file.get()) != 0) fail(errno);
    } while (used == text.size());
    text.resize(used);
    return text;
}

std::string shown_input(std::string const& path) {
    return path == "-" ? "standard input" : path;
}

std::string escaped(std::string_view text) {
    constexpr std::size_t most = 40;
    std::string out;
    for (auto const c : text.substr(0, most)) {
        if (' ' <= c && c <= '~') {
            out += c;
        } else {
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        }
    }
    return text.size() > most ? out + "..." : out;
}

NumberLines::NumberLines(std::string_view text, std::string const& name)
    : name_(name), next_line_(text.data()), text_end_(text.data() + text.size()) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark)) next_line_ += byte_order_mark.size();
}

bool NumberLines::next() {
    while (next_line_ != text_end_) {
        auto const rest = static_cast<std::size_t>(text_end_ - next_line_);
        auto const* const newline = static_cast<char const*>(std::memchr(next_line_, '\n', rest));
        line_ = next_line_;
        line_end_ = newline != nullptr ? newline : text_end_;
        next_line_ = newline != nullptr ? newline + 1 : text_end_;
        ++line_number_;
        if (line_end_ != line_ && line_end_[-1] == '\r') --line_end_;
        at_ = line_;
        if (!done() || at_ == line_end_) return true;
    }
    line_ = line_end_ = at_ = text_end_;
    ++line_number_;
    return false;
}

bool NumberLines::done() {
    while (at_ != line_end_ && is_blank(*at_)) ++at_;
    return at_ == line_end_ || *at_ == '#';
}

std::uint64_t NumberLines::number(Allowed const& allowed) {
    if (done()) fail("the line ends, expected the " + allowed.what);
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t number = 0;
    auto const* end = at_;
    bool fits = true;
    for (; end != line_end_ && is_digit(*end); ++end) {
        auto const digit = static_cast<std::uint64_t>(*end - '0');
        fits = fits && number <= (most - digit) / 10;
        number = 10 * number + digit;
    }
    bool const is_number = end != at_ && (end == line_end_ || ends_token(*end));
    if (!is_number || !fits || number >= allowed.count) {
        auto const range = allowed.count == 0 ? "none" : fmt::format("a number from 0 to {}", allowed.count - 1);
        fail(fmt::format("'{}' is not a {}, expected {}{}{}", escaped(token()), allowed.what, range,
                         allowed.why.empty() ? "" : ", ", allowed.why));
    }
    at_ = end;
    return number;
}

void NumberLines::expect_done(std::string const& expected) {
    if (!done()) fail(fmt::format("'{}' is too much, expected {}", escaped(token()), expected));
}

void NumberLines::fail(std::string const& message) const {
    throw InputError({name_, line_number_, static_cast<std::uint64_t>(at_ - line_) + 1}, message);
}

std::string_view NumberLines::token() const {
    return {at_, static_cast<std::size_t>(std::find_if(at_, line_end_, ends_token) - at_)};
}

}  // namespace regraft::plan
