// Functions for command lines of programs with several commands.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "common/alignment_input.hpp"
#include "common/program.hpp"
#include "regraft/msa/vcf.hpp"

namespace regraft::common {

/// Accepts a whole number from first to last, in decimal digits only. CLI11 alone takes -1 for a large number and 010
/// for 8.
CLI::Validator whole(std::uint64_t first, std::uint64_t last);

/// Accepts one of these words, in upper or lower case, and replaces it by its number in decimal digits, which CLI11
/// turns into an enumerator.
CLI::Validator one_of(std::map<std::string, std::uint64_t> words);
template <class Enum>
CLI::Validator one_of(std::map<std::string, Enum> const& words) {
    std::map<std::string, std::uint64_t> numbers;
    for (auto const& [word, meaning] : words) numbers[word] = static_cast<std::uint64_t>(meaning);
    return one_of(std::move(numbers));
}

/// Adds --not-snps.
CLI::Option* add_not_snps(CLI::App& app, msa::NotSnp& not_snps);

/// Adds --names, with all that names may be.
CLI::Option* add_names(CLI::App& app, Names& names);

/// Refuses empty values of all options that were added to this app and to its commands: an unset variable of the shell
/// must not change what is computed. Call it after all options have been added.
void refuse_empty_values(CLI::App& app);

/// A help that does not list which options exclude each other: an error tells that when both are given. Descriptions of
/// options are wrapped; `examples`, by the names of commands, follow the usage.
std::shared_ptr<CLI::FormatterBase> short_help(std::map<std::string, std::string> examples = {});

/// The message for a user whose first word is neither an option nor a command.
std::optional<std::string> unknown_command(CLI::App const& app, int argc, char const* const* argv);

/// The help, version or message for the user from an exception of CLI11. For an unknown option, `advice` may say what
/// to do instead; otherwise the message names the most similar option.
struct Ending {
    std::string message;
    int exit_code = 0;
};
using Advice = std::function<std::optional<std::string>(std::string_view option)>;
Ending ending(CLI::App const& app, CLI::ParseError const& error, Advice const& advice = nullptr);

/// The command line of a program whose first word is a command. Each command has its own type of options, which is one
/// of the variant Options.
template <class Options>
class CommandLine {
public:
    CommandLine(std::string const& program, std::string const& description, std::string const& footer)
        : app_(description, program) {
        app_.require_subcommand(1);
        app_.formatter(short_help());
        app_.set_version_flag("--version", program + " " REGRAFT_VERSION);
        app_.footer(footer);
    }

    /// Adds a command. declare adds its options. complete may set options that follow from others, and throws
    /// CLI::ValidationError for errors that CLI11 cannot check.
    template <class CommandOptions>
    void add(
        CLI::App* (*declare)(CLI::App&, CommandOptions&),
        void (*complete)(CommandOptions&, CLI::App const&) = [](CommandOptions&, CLI::App const&) {}) {
        auto const options = std::make_shared<CommandOptions>();
        auto const* const command = declare(app_, *options);
        commands_.push_back({command, [=]() -> Options {
                                 complete(*options, *command);
                                 return *options;
                             }});
    }

    /// Parses the command line; call it once. Never prints, never throws.
    Parsed<Options> parse(int argc, char const* const* argv) {
        if (auto const message = unknown_command(app_, argc, argv)) return {std::nullopt, *message, bad_input};
        refuse_empty_values(app_);
        try {
            app_.parse(argc, argv);
            auto command = commands_.begin();
            while (!command->app->parsed()) ++command;  // one is required
            return {command->options(), "", done};
        } catch (CLI::ParseError const& error) {
            auto const end = ending(app_, error);
            return {std::nullopt, end.message, end.exit_code};
        }
    }

private:
    struct Command {
        CLI::App const* app;
        std::function<Options()> options;
    };
    CLI::App app_;
    std::vector<Command> commands_;
};

}  // namespace regraft::common
