// A cursor over text that knows its position, for messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "msa/text/text.hpp"

namespace regraft::msa {

/// Reads a part of a text, or of a copy of the text in which only bytes without meaning differ.
class Cursor {
public:
    /// The text to which messages refer, and their name for the end of what the cursor reads.
    struct Source {
        std::string_view text;  // without its byte order mark
        std::string const& file;
        char const* begin;  // begin of the text, or of its copy
        std::string_view end_name;
    };
    /// Precondition: `rest` lies in the text, or in its copy.
    Cursor(Source const& source, std::string_view rest) : source_(source), rest_(rest) {}

    bool take(char c);
    /// Consumes the next `size` characters of rest() and returns them trimmed.
    std::string_view take_text(std::size_t size);
    /// Consumes a number. `expected` is for messages, here and below.
    std::uint64_t take_number(std::string const& expected);
    bool at_end() const { return trim_left(rest_).empty(); }
    std::string_view rest() const { return trim_left(rest_); }
    char const* here() const { return rest().data(); }

    [[noreturn]] void fail(std::string const& message) const { fail_at(here(), message); }
    [[noreturn]] void fail_at(char const* at, std::string const& message) const;
    [[noreturn]] void fail_expected(std::string const& expected) const;
    /// Throws InputError unless the text is printable.
    void check_printable(std::string_view text, std::string const& what) const;

private:
    Source const& source_;
    std::string_view rest_;
};

}  // namespace regraft::msa
