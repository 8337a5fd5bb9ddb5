#include "common/command_line.hpp"

#include <charconv>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include "common/input.hpp"
#include "common/program.hpp"

namespace regraft::common {

CLI::Validator whole(std::uint64_t first, std::uint64_t last) {
    auto const check = [first, last](std::string& text) {
        std::uint64_t number = 0;
        auto const* const end = text.data() + text.size();
        auto const [rest, error] = std::from_chars(text.data(), end, number);
        if (error != std::errc() || rest != end || number < first || number > last)
            return fmt::format("'{}', expected a whole number from {} to {}", escaped(text), first, last);
        text = std::to_string(number);
        return std::string();
    };
    return {check, ""};
}

std::optional<std::string> unknown_command(CLI::App const& app, int argc, char const* const* argv) {
    if (argc < 2 || argv[1][0] == '-') return std::nullopt;
    auto const commands = app.get_subcommands([](CLI::App const*) { return true; });
    std::string names;
    for (std::size_t i = 0; i < commands.size(); ++i) {
        if (commands[i]->get_name() == argv[1]) return std::nullopt;
        names += (i == 0 ? "" : i + 1 < commands.size() ? ", " : " or ") + commands[i]->get_name();
    }
    return fmt::format("{}: unknown command '{}', expected {}\n", app.get_name(), escaped(argv[1]), names);
}

Ending ending(CLI::App const& app, CLI::ParseError const& error) {
    std::ostringstream out;
    std::ostringstream err;
    bool const help = app.exit(error, out, err) == 0;
    if (help) return {out.str(), done};
    return {app.get_name() + ": " + err.str(), bad_input};
}

}  // namespace regraft::common
