#include "common/command_line.hpp"

#include <charconv>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include "common/input.hpp"
#include "common/program.hpp"
#include "common/words.hpp"

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

CLI::Validator output_path() {
    auto const check = [](std::string& path) { return path.empty() ? "the name of the file is empty" : ""; };
    return {check, ""};
}

namespace {

constexpr std::size_t help_width = 110;

/// Lines broken at blanks; each but the first one is indented by CLI11.
std::string wrapped(std::string text, std::size_t width) {
    for (std::size_t begin = 0; text.size() - begin > width;) {
        auto const blank = text.rfind(' ', begin + width);
        if (blank == std::string::npos || blank <= begin) break;
        text[blank] = '\n';
        begin = blank + 1;
    }
    return text;
}

}  // namespace

std::shared_ptr<CLI::FormatterBase> short_help(std::map<std::string, std::string> examples) {
    class ShortHelp : public CLI::Formatter {
    public:
        explicit ShortHelp(std::map<std::string, std::string> examples) : examples_(std::move(examples)) {}
        std::string make_usage(CLI::App const* app, std::string name) const override {
            auto const found = examples_.find(app->get_name());
            auto const usage = CLI::Formatter::make_usage(app, name);
            return found == examples_.end() ? usage : usage + "\nExamples:\n" + found->second;
        }

    private:
        std::string make_option_desc(CLI::Option const* option) const override {
            return wrapped(CLI::Formatter::make_option_desc(option), help_width - get_column_width());
        }
        std::string make_option_opts(CLI::Option const* option) const override {
            std::string text;
            // What CLI11's validators say of themselves stays, if it is a list of words.
            auto const type = option->get_type_name();
            auto const end = type.find(':');
            bool const has_list = end != std::string::npos && type.find('{', end) == end + 1;
            if (!type.empty()) text += ' ' + (has_list ? type : type.substr(0, end));
            if (option->get_expected_max() > 1) text += " ...";
            if (option->get_required()) text += " (needed)";
            return text;
        }
        std::map<std::string, std::string> examples_;
    };
    return std::make_shared<ShortHelp>(std::move(examples));
}

std::optional<std::string> unknown_command(CLI::App const& app, int argc, char const* const* argv) {
    if (argc > 1 && argv[1][0] == '-') return std::nullopt;
    auto const commands = app.get_subcommands([](CLI::App const*) { return true; });
    std::string names;
    for (std::size_t i = 0; i < commands.size(); ++i) {
        if (argc > 1 && commands[i]->get_name() == argv[1]) return std::nullopt;
        names += (i == 0 ? "" : i + 1 < commands.size() ? ", " : " or ") + commands[i]->get_name();
    }
    if (argc > 1) {
        std::vector<std::string> words;
        for (auto const* const command : commands) words.push_back(command->get_name());
        if (auto const meant = most_similar(argv[1], words)) {
            return fmt::format("{0}: unknown command '{1}'; did you mean {2}?\nRun {0} --help for more.\n",
                               app.get_name(), escaped(argv[1]), *meant);
        }
    }
    auto const problem = argc > 1 ? fmt::format("unknown command '{}'", escaped(argv[1])) : "the command is missing";
    return fmt::format("{0}: {1}, expected {2}\nRun {0} --help for more.\n", app.get_name(), problem, names);
}

namespace {

/// An option that the command does not have, without its value; none if the first thing too many is something else.
std::optional<std::string> unknown_option(CLI::App const& app) {
    for (auto const& word : app.remaining(true)) {
        if (word.starts_with("--") && word.size() > 2) return word.substr(0, word.find('='));
    }
    return std::nullopt;
}

std::vector<std::string> long_options(CLI::App const& app) {
    std::vector<std::string> names;
    for (auto const* const option : app.get_options()) {
        for (auto const& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

std::string about_unknown(std::string const& option, CLI::App const& app, Advice const& advice) {
    auto const text = fmt::format("there is no option {}", escaped(option));
    if (auto const instead = advice ? advice(option) : std::nullopt) return fmt::format("{}; {}", text, *instead);
    auto const parsed = app.get_subcommands();
    auto const meant = most_similar(option, long_options(parsed.empty() ? app : *parsed.front()));
    return meant ? fmt::format("{}; did you mean {}?", text, *meant) : text;
}

}  // namespace

Ending ending(CLI::App const& app, CLI::ParseError const& error, Advice const& advice) {
    // CLI11 looks first for what is needed, but lacks it perhaps for a typing error.
    auto const code = static_cast<CLI::ExitCodes>(error.get_exit_code());
    if (code == CLI::ExitCodes::ExtrasError || code == CLI::ExitCodes::RequiredError) {
        if (auto const option = unknown_option(app)) {
            return {fmt::format("{0}: {1}\nRun with --help for more information.\n", app.get_name(),
                                about_unknown(*option, app, advice)),
                    bad_input};
        }
    }
    std::ostringstream out;
    std::ostringstream err;
    bool const help = app.exit(error, out, err) == 0;
    if (help) return {out.str(), done};
    return {app.get_name() + ": " + err.str(), bad_input};
}

}  // namespace regraft::common
