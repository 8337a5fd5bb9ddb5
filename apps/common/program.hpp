// How programs end: exit codes, and errors as their users are told of them.
#pragma once

#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace regraft::common {

/// The larger the worse.
enum ExitCode : int {
    done = 0,
    failed = 1,     // the output cannot be written, memory does not suffice, or an internal error
    bad_input = 2,  // or bad usage
};

/// What a command line amounts to.
template <class Options>
struct Parsed {
    std::optional<Options> options;  // none: nothing to run
    std::string message;             // for the user: help, the version, or what is wrong
    int exit_code = done;
};

/// What the body returns; if it throws, tells of it, as "program: message" on standard error, and returns the exit code
/// for that. Never throws.
int guarded(std::string_view program, std::function<int()> const& body);

/// Memory did not suffice for files: says which, and how large they are.
class OutOfMemory : public std::runtime_error {
public:
    explicit OutOfMemory(std::vector<std::string> const& files);
};

/// What the body returns; throws OutOfMemory where it throws std::bad_alloc. Files with empty names are left out.
template <class Body>
auto naming_files(std::vector<std::string> const& files, Body&& body) {
    try {
        return body();
    } catch (std::bad_alloc const&) {
        throw OutOfMemory(files);
    }
}

/// To standard output, all of it. Throws OutputError.
void print(std::string_view text);

/// Nothing to run: prints a message, to standard error if the exit code is not `done`, and returns the code. Throws
/// OutputError.
int end_with(std::string_view message, int exit_code);

}  // namespace regraft::common
