// What the command lines of programs with several commands have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace regraft::common {

/// A whole number from first to last, in decimal digits only: CLI11 alone takes -1 for a large number and 010 for 8.
CLI::Validator whole(std::uint64_t first, std::uint64_t last);

/// Help that does not list which options exclude each other: trying both tells that.
std::shared_ptr<CLI::FormatterBase> short_help();

/// What to tell somebody whose first word is neither an option nor a command.
std::optional<std::string> unknown_command(CLI::App const& app, int argc, char const* const* argv);

/// What CLI11 throws, as help, version or message for the user.
struct Ending {
    std::string message;
    int exit_code = 0;
};
Ending ending(CLI::App const& app, CLI::ParseError const& error);

}  // namespace regraft::common
