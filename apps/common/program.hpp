// How programs end: exit codes, and messages about errors.
#pragma once

#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace regraft::common {

/// A larger code is worse.
enum ExitCode : int {
    done = 0,
    failed = 1,     // the output cannot be written, memory does not suffice, or an internal error
    bad_input = 2,  // or bad usage
};

/// The result of parsing a command line.
template <class Options>
struct Parsed {
    std::optional<Options> options;  // none: nothing to run
    std::string message;             // for the user: help, the version, or an error
    int exit_code = done;
};

/// Returns what the body returns. If it throws, prints "program: message" on standard error and returns the exit code
/// for that error. Never throws.
int guarded(std::string_view program, std::function<int()> const& body);

/// Memory did not suffice for files; the message names them and their sizes.
class OutOfMemory : public std::runtime_error {
public:
    explicit OutOfMemory(std::vector<std::string> const& files);
};

/// Returns what the body returns; throws OutOfMemory if it throws std::bad_alloc. Files with empty names are left out.
template <class Body>
auto naming_files(std::vector<std::string> const& files, Body&& body) {
    try {
        return body();
    } catch (std::bad_alloc const&) {
        throw OutOfMemory(files);
    }
}

/// Prints all of the text to standard output. Throws OutputError.
void print(std::string_view text);

/// Ends a program with nothing to run: prints a message, to standard error if the exit code is not `done`, and returns
/// the code. Throws OutputError.
int end_with(std::string_view message, int exit_code);

}  // namespace regraft::common
