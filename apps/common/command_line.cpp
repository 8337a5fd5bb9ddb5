#include "common/command_line.hpp"

#include <charconv>
#include <regex>
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

namespace {

/// The words as alternatives: "aic, aicc or bic".
std::string alternatives(std::vector<std::string> const& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + words[i];
    return text;
}

}  // namespace

CLI::Validator one_of(std::map<std::string, std::uint64_t> words) {
    auto const check = [words = std::move(words)](std::string& text) {
        std::vector<std::string> names;
        for (auto const& [word, number] : words) {
            if (CLI::detail::to_lower(word) == CLI::detail::to_lower(text)) {
                text = std::to_string(number);
                return std::string();
            }
            names.push_back(word);
        }
        return fmt::format("'{}', expected {}", escaped(text), alternatives(names));
    };
    return {check, ""};
}

CLI::Option* add_not_snps(CLI::App& app, msa::NotSnp& not_snps) {
    std::map<std::string, msa::NotSnp> const words{{"refuse", msa::NotSnp::refuse}, {"skip", msa::NotSnp::skip}};
    return app
        .add_option("--not-snps", not_snps,
                    "VCF: refuse (default) records that are no SNPs, or skip them and tell how many there are")
        ->transform(one_of(words))
        ->type_name("HOW");
}

CLI::Option* add_names(CLI::App& app, Names& names) {
    std::map<std::string, Names> const words{
        {"first", Names::first}, {"whole", Names::whole}, {"joined", Names::joined}};
    return app
        .add_option("--names", names,
                    "names of taxa in FASTA: first (default), up to the first blank; whole, the whole line, quoted in "
                    "trees; or joined, the whole line with '_' for blanks")
        ->transform(one_of(words))
        ->type_name("HOW");
}

void refuse_empty_values(CLI::App& app) {
    for (auto* const option : app.get_options()) {
        if (option->get_expected_max() == 0) continue;  // a flag
        auto const check = [](std::string& text) {
            return text.empty() ? "the value is empty; is a variable of the shell not set?" : "";
        };
        // CLI11 asks the last validator that was added first.
        option->transform(CLI::Validator(check, ""));
    }
    for (auto* const command : app.get_subcommands([](CLI::App const*) { return true; })) refuse_empty_values(*command);
}

namespace {

constexpr std::size_t help_width = 110;

/// Breaks lines at blanks; CLI11 indents each but the first.
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
            // CLI11's description of a validator stays if it is a list of words.
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
    std::vector<std::string> names;
    for (auto const* const command : app.get_subcommands([](CLI::App const*) { return true; })) {
        if (argc > 1 && command->get_name() == argv[1]) return std::nullopt;
        names.push_back(command->get_name());
    }
    if (argc > 1) {
        if (auto const meant = most_similar(argv[1], names)) {
            return fmt::format("{0}: unknown command '{1}'; did you mean {2}?\nRun {0} --help for more.\n",
                               app.get_name(), escaped(argv[1]), *meant);
        }
    }
    auto const problem = argc > 1 ? fmt::format("unknown command '{}'", escaped(argv[1])) : "the command is missing";
    return fmt::format("{0}: {1}, expected {2}\nRun {0} --help for more.\n", app.get_name(), problem,
                       alternatives(names));
}

namespace {

bool is_option(std::string const& word) {
    return word.size() > 1 && word[0] == '-' && (word[1] < '0' || word[1] > '9');
}

/// An option that the command does not have, without its value; none if the first superfluous word is something else.
std::optional<std::string> unknown_option(CLI::App const& app) {
    for (auto const& word : app.remaining(true)) {
        if (is_option(word)) return word.substr(0, word.find('='));
    }
    return std::nullopt;
}

/// The command that was given, or the program itself.
CLI::App const& command_of(CLI::App const& app) {
    auto const parsed = app.get_subcommands();
    return parsed.empty() ? app : *parsed.front();
}

std::vector<std::string> long_options(CLI::App const& app) {
    std::vector<std::string> names;
    for (auto const* const option : app.get_options()) {
        for (auto const& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

/// A suggestion such as "--msa f.fa", if f.fa stands alone and --msa is required and missing.
std::optional<std::string> what_was_meant(CLI::App const& app) {
    for (auto const& word : app.remaining(true)) {
        if (is_option(word)) continue;
        for (auto const* const option : command_of(app).get_options()) {
            if (option->get_required() && option->count() == 0 && !option->get_lnames().empty())
                return fmt::format("--{} {}", option->get_lnames().front(), escaped(word));
        }
    }
    return std::nullopt;
}

std::string about_unknown(std::string const& option, CLI::App const& app, Advice const& advice) {
    auto const text = fmt::format("there is no option {}", escaped(option));
    if (auto const instead = advice ? advice(option) : std::nullopt) return fmt::format("{}; {}", text, *instead);
    auto meant = option.starts_with("--") ? most_similar(option, long_options(command_of(app))) : std::nullopt;
    if (!meant) meant = what_was_meant(app);
    return meant ? fmt::format("{}; did you mean {}?", text, *meant) : text;
}

/// Rewrites CLI11's message on a value or a missing option as a sentence that says what was expected; other messages
/// stay.
std::string in_plain_words(std::string const& text, CLI::App const& app) {
    std::smatch found;
    if (static std::regex const pattern("Could not convert: (\\S+) = (.*)"); std::regex_match(text, found, pattern))
        return fmt::format("{}: '{}', expected a number, such as 0.5", found.str(1), escaped(found.str(2)));
    if (static std::regex const pattern("(.*)Value (.*) not in range (\\S+) to (\\S+)");
        std::regex_match(text, found, pattern))
        return fmt::format("{}'{}', expected a number from {} to {}", found.str(1), escaped(found.str(2)), found.str(3),
                           found.str(4));
    if (static std::regex const pattern("(\\S+): \\d+ required (\\S+) missing"); std::regex_match(text, found, pattern))
        return fmt::format("{0}: the value is missing, expected {0} {1}", found.str(1), found.str(2));
    if (static std::regex const pattern("(\\S+): At Most (\\d+) required but received (\\d+)");
        std::regex_match(text, found, pattern))
        return fmt::format("{}: {} were given, expected {} at most", found.str(1), found.str(3), found.str(2));
    if (text.ends_with(" is required")) {
        auto const meant = what_was_meant(app);
        auto const name = text.substr(0, text.find(' '));
        auto const* const option = name.starts_with("--") ? command_of(app).get_option_no_throw(name) : nullptr;
        if (meant) return fmt::format("{}; did you mean {}?", text, *meant);
        if (option != nullptr) return fmt::format("{}: {} {}", text, name, option->get_type_name());
    }
    return text;
}

}  // namespace

Ending ending(CLI::App const& app, CLI::ParseError const& error, Advice const& advice) {
    std::ostringstream out;
    std::ostringstream err;
    if (app.exit(error, out, err) == 0) return {out.str(), done};  // a request for help
    // CLI11 looks for required options first, but one may be missing because of a typing error.
    auto const code = static_cast<CLI::ExitCodes>(error.get_exit_code());
    bool const may_be_typing = code == CLI::ExitCodes::ExtrasError || code == CLI::ExitCodes::RequiredError;
    auto const option = may_be_typing ? unknown_option(app) : std::nullopt;
    auto const problem = option ? about_unknown(*option, app, advice) : in_plain_words(error.what(), app);
    return {fmt::format("{}: {}\nRun with --help for more information.\n", app.get_name(), problem), bad_input};
}

}  // namespace regraft::common
