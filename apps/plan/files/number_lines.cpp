#include "files/number_lines.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "common/input.hpp"

namespace regraft::plan {

using namespace common;

namespace {

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

bool is_digit(char c) {
    return '0' <= c && c <= '9';
}

bool ends_token(char c) {
    return is_blank(c) || c == '#';
}

}  // namespace

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

std::string_view NumberLines::word(std::string const& what) {
    if (done()) fail("the line ends, expected the " + what);
    return token();
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
