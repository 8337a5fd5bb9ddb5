// Errors that come from outside the program: bad bytes in a file, a bad argument, a full disk.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft {

/// A place in a text file. Line and column (in bytes) count from 1; 0 means "no such detail": {f, 0, 0} is the file as
/// a whole.
struct TextPosition {
    std::string file;          // its path, or another name for messages
    std::uint64_t line = 0;    // from 1; 0: unknown
    std::uint64_t column = 0;  // in bytes, from 1; 0: unknown
};

/// Bad input. what() reads "file:line:column: what is wrong, and what was expected".
class InputError : public std::runtime_error {
public:
    /// For input without a place, such as an argument: `message` is all of what().
    explicit InputError(std::string const& message) : std::runtime_error(message) {}
    /// Puts the place before the message, as far as it is known.
    InputError(TextPosition const& where, std::string const& message);
};

/// A file could not be written. what() reads "file: cannot be written: why". It is an InputError because most callers
/// treat both alike: the file is wrong.
class OutputError : public InputError {
public:
    /// `code` is a value of errno.
    OutputError(std::string const& file, int code);
};

}  // namespace regraft
#pragma GCC visibility pop
