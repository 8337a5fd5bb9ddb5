// Numbers and words in lines of text, for readers of files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "regraft/core/errors.hpp"

namespace regraft::plan {

/// The numbers that are allowed in some place, and the words of the message about another one.
struct Allowed {
    std::string what;         // "rank"
    std::uint64_t count = 0;  // the numbers 0 .. count - 1; 0: none
    std::string why;          // "as there are 5 ranks"; may be empty
};

/// Goes through the lines of a text and the numbers in each. Numbers are decimal and separated by spaces and tabs. A
/// '#' begins a comment that ends with the line; a line with nothing but a comment is no line at all. Lines end with \n
/// or \r\n, the last one may lack that; a byte order mark before the first is skipped. O(1) memory beside the text.
class NumberLines {
public:
    /// Both must outlive this. name: of the file, for messages.
    NumberLines(std::string_view text, std::string const& name);

    /// Goes to the next line that is not just a comment. False if there is none.
    bool next();
    /// Whether there is no further number in this line; moves to it if there is.
    bool done();
    /// The next number. Throws InputError unless there is one, and it is allowed.
    std::uint64_t number(Allowed const& allowed);
    /// The next word, whatever it is; the place stays before it. Throws InputError if there is none.
    std::string_view word(std::string const& what);
    /// Moves behind that word.
    void skip(std::string_view word) { at_ += word.size(); }
    /// Throws InputError unless done().
    void expect_done(std::string const& expected);
    /// Throws InputError about the place that was reached. After next() was false: the line that is missing.
    [[noreturn]] void fail(std::string const& message) const;

private:
    std::string_view token() const;

    std::string const& name_;
    char const* next_line_;
    char const* text_end_;
    char const* line_ = nullptr;
    char const* line_end_ = nullptr;
    char const* at_ = nullptr;
    std::uint64_t line_number_ = 0;
};

}  // namespace regraft::plan
