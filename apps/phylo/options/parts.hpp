// The parts of Options on the command line, each in a file of its own, and the commands that belong to them.
#pragma once

#include <map>
#include <string>

#include <CLI/CLI.hpp>

#include "common/command_line.hpp"
#include "options/options.hpp"

namespace regraft::phylo {

/// How a part is read.
struct Part {
    char const* title;                                              // of its options in the help
    void (*add)(CLI::App& app, Options& options, Command command);  // adds the options of a command
    /// Checks what CLI11 cannot check, and sets what follows from other options. Throws CLI::ValidationError.
    void (*complete)(Options& options) = [](Options&) {};
};
extern Part const input_part, search_part, supports_part, output_part, resources_part, part_for_tests, test_part,
    merge_part;

/// How a command is explained.
struct CommandHelp {
    Command command;
    char const* name;
    char const* description;
    char const* examples;
    char const* details;  // below the options, before what all have in common there
    char const* end = "";
};
extern CommandHelp const check_help, search_help, evaluate_help, test_help, merge_help, genes_help, loglh_help;

/// The end of the help of most commands: the files of a job, and the exit codes.
extern char const* const what_is_written;

/// The points at which --fail can kill a rank, as text.
std::string list_of_points();

/// Adds an option with a file.
inline CLI::Option* add_file(CLI::App& app, char const* name, std::filesystem::path& file, char const* about) {
    return app.add_option(name, file, about)->type_name("FILE");
}
/// Adds an option with a number in a range.
template <class Number, class Bound>
void add_number(CLI::App& app, char const* name, Number& number, Bound least, Bound most, char const* about,
                char const* unit = "N") {
    app.add_option(name, number, about)->check(CLI::Range(least, most))->type_name(unit);
}
/// Adds an option with one of some words.
template <class Enum>
void add_word(CLI::App& app, char const* name, Enum& meaning, std::map<std::string, Enum> const& words,
              char const* about, char const* what = "HOW") {
    app.add_option(name, meaning, about)->transform(common::one_of(words))->type_name(what);
}

}  // namespace regraft::phylo
