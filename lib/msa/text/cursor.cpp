#include "msa/text/cursor.hpp"

#include <charconv>
#include <system_error>

namespace regraft::msa {

bool Cursor::take(char c) {
    rest_ = trim_left(rest_);
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
}

std::string_view Cursor::take_text(std::size_t size) {
    rest_ = trim_left(rest_);
    auto const text = rest_.substr(0, size);
    rest_.remove_prefix(text.size());
    return trim(text);
}

std::uint64_t Cursor::take_number(std::string const& expected) {
    rest_ = trim_left(rest_);
    std::uint64_t number = 0;
    auto const [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error == std::errc::result_out_of_range) fail("the number is too large");
    if (error != std::errc{}) fail_expected(expected);
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return number;
}

void Cursor::fail_at(char const* at, std::string const& message) const {
    throw InputError(position(source_.file, source_.text, static_cast<std::size_t>(at - source_.begin)), message);
}

void Cursor::fail_expected(std::string const& expected) const {
    auto const word = first_word(rest());
    fail("expected " + expected + ", found " + (word.empty() ? std::string(source_.end_name) : in_quotes(word)));
}

void Cursor::check_printable(std::string_view text, std::string const& what) const {
    auto const bad = find_unprintable(text);
    if (bad.empty()) return;
    fail_at(bad.data(), in_quotes(bad) + " cannot be part of a " + what + "; expected printable UTF-8");
}

}  // namespace regraft::msa
