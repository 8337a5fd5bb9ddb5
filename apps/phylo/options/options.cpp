#include "options/options.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "options/iqtree_names.hpp"
#include "options/parts.hpp"
#include "options/raxml_names.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::phylo {
namespace {

constexpr char const* description =
    "Searches maximum-likelihood trees, on ranks that may die.\n"
    "\n"
    "The sites of the alignment are dealt to the ranks and kept on several of them. When ranks die, the others take over\n"
    "their sites and go on: the result is the same, bit for bit, as without the failure, for any number of ranks.\n"
    "\n"
    "Command lines of RAxML-NG are understood too, such as: regraft-phylo --all --msa a.phy --model GTR+G\n"
    "Those of IQ-TREE are answered with what to type here, such as: regraft-phylo -s a.phy -m MFP -B 1000\n";

constexpr char const* program_examples =
    "  regraft-phylo check --msa a.phy                            tells what is in it, and what is wrong with it\n"
    "  regraft-phylo search --msa a.phy                           writes the best tree to a.phy.regraft.bestTree\n"
    "  regraft-run -n 8 regraft-phylo search --msa a.phy          runs on eight ranks, which may die\n"
    "  regraft-phylo search --help                                lists all options of a search\n";

/// The commands in the order of the help.
constexpr std::array commands{&check_help, &search_help, &evaluate_help, &test_help,
                              &merge_help, &genes_help,  &loglh_help};

/// The parts in the order of the help.
constexpr std::array parts{&input_part,     &search_part,    &supports_part, &output_part,
                           &resources_part, &part_for_tests, &test_part,     &merge_part};

void add_command(CLI::App& app, CommandHelp const& help, Options& options) {
    auto* const command = app.add_subcommand(help.name, help.description);
    for (auto const* part : parts) {
        command->option_defaults()->group(part->title);
        part->add(*command, options, help.command);
    }
    command->footer(std::string(help.details) + help.end);
}

/// What to do instead of giving an option of another program.
std::optional<std::string> advice_on(std::string_view option) {
    auto const advice = raxml_advice(option);
    return advice ? advice : iqtree_advice(option);
}

/// Parses a command line with this program's options, which from_raxml has translated.
Parsed parse_our_words(int argc, char const* const* argv) {
    CLI::App app(description, "regraft-phylo");
    app.require_subcommand(1);
    std::map<std::string, std::string> examples{{"regraft-phylo", program_examples}};
    for (auto const* help : commands) examples[help->name] = help->examples;
    app.formatter(common::short_help(examples));
    app.set_version_flag("--version", "regraft-phylo " REGRAFT_VERSION);
    Options options;
    for (auto const* help : commands) add_command(app, *help, options);
    TreeOptions trees;
    add_tree_commands(app, trees);
    auto* points = app.add_subcommand("points", "list the points at which --fail can kill a rank");
    app.footer(what_is_written);
    common::refuse_empty_values(app);
    if (auto const message = common::unknown_command(app, argc, argv)) return {std::nullopt, *message, 2};
    try {
        app.parse(argc, argv);
        if (points->parsed()) return {std::nullopt, list_of_points(), 0};
        if (auto const command = parsed_tree_command(app)) {
            trees.command = *command;
            return {.options = std::nullopt, .message = "", .trees = trees};
        }
        for (auto const* help : commands) {
            if (app.got_subcommand(help->name)) options.command = help->command;
        }
        for (auto const* part : parts) part->complete(options);
        return {options, "", 0};
    } catch (CLI::ParseError const& error) {
        auto const end = common::ending(app, error, advice_on);
        return {std::nullopt, end.message, end.exit_code};
    }
}

/// The words as a shell wants them.
std::string shell_words(std::span<std::string const> words) {
    std::string line;
    for (auto word : words) {
        bool const is_plain = !word.empty() && word.find_first_of(" \t\n\"'\\$&|;<>()*?[]{}#~`!") == std::string::npos;
        for (std::size_t at = 0; !is_plain && (at = word.find('\'', at)) != std::string::npos; at += 4)
            word.replace(at, 1, "'\\''");
        line += (line.empty() ? "" : " ") + (is_plain ? word : "'" + word + "'");
    }
    return line;
}

std::string in_our_words(Answer const& answer) {
    auto text = "regraft-phylo: this is a command line of IQ-TREE; expected\n  regraft-phylo " +
                shell_words(answer.words) + '\n';
    for (auto const& note : answer.notes) text += note + '\n';
    return text;
}

}  // namespace

char const* name(Command command) {
    return (*std::ranges::find(commands, command, &CommandHelp::command))->name;
}

Parsed parse_command_line(int argc, char const* const* argv) {
    try {
        std::vector<std::string> const arguments(argv, argv + argc);
        if (auto const answer = from_iqtree(arguments)) return {std::nullopt, in_our_words(*answer), 2};
        auto const words = from_raxml(trees_from_raxml(arguments));
        std::vector<char const*> pointers;
        for (auto const& word : words) pointers.push_back(word.c_str());
        auto parsed = parse_our_words(static_cast<int>(pointers.size()), pointers.data());
        if (parsed.options) parsed.options->command_line = shell_words(std::span(arguments).subspan(1));
        return parsed;
    } catch (InputError const& error) {
        return {std::nullopt, std::string("regraft-phylo: ") + error.what() + '\n', 2};
    }
}

}  // namespace regraft::phylo
