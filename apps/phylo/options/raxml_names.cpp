#include "options/raxml_names.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <set>

#include <fmt/format.h>

#include "regraft/core/errors.hpp"

namespace regraft::phylo {
namespace {

/// A flag that selects a command.
struct CommandName {
    std::string_view raxml;
    std::string_view ours;
    std::string_view option;  // an option that the flag implies
    std::string_view value;
};
constexpr std::array commands{
    CommandName{"--search", "search", "", ""},
    CommandName{"--search1", "search", "--starts", "pars{1}"},
    CommandName{"--all", "search", "--bs-trees", "auto"},
    CommandName{"--bootstrap", "search", "--bs-trees", "auto"},
    CommandName{"--evaluate", "evaluate", "", ""},
    CommandName{"--loglh", "loglh", "", ""},
    CommandName{"--sitelh", "evaluate", "--sitelh", ""},
    CommandName{"--ancestral", "evaluate", "--ancestral", ""},
    CommandName{"--check", "check", "", ""},
    CommandName{"--parse", "check", "", ""},
};

/// Command lines with these flags are handled elsewhere.
constexpr std::array on_trees{"--support", "--rfdist", "--rf", "--consense"};

/// An option with another name.
struct OptionName {
    std::string_view raxml;
    std::string_view ours;
};
constexpr std::array renamed{OptionName{"--workers", "--groups"}, OptionName{"--tree-constraint", "--constraint"},
                             OptionName{"--site-repeats", "--repeats"}};

/// A flag that is an option with a value.
struct FlagName {
    std::string_view raxml;
    std::string_view ours;
    std::string_view value;
};
constexpr std::array flag_names{FlagName{"--fast", "--effort", "fast"}, FlagName{"--adaptive", "--effort", "auto"},
                                FlagName{"--sh", "--alrt", "1000"}};

/// Options that do not matter to the command check, which writes no result: it has none of them.
constexpr std::array idle_in_check{"--prefix", "--threads", "--groups", "--seed"};

/// An option without a counterpart. With the value `harmless`, or some of the values in it, it requests what is done
/// anyway.
struct Foreign {
    std::string_view raxml;
    std::string_view harmless;
    std::string_view advice;
};
constexpr std::array foreign{
    Foreign{"--blmax", "", "the bounds of branch lengths are fixed; leave it out"},
    Foreign{"--blmin", "", "the bounds of branch lengths are fixed; leave it out"},
    Foreign{"--blopt", "", "branch lengths are optimised by Newton's method; leave it out"},
    Foreign{"--bs-cutoff", "", "--bs-trees auto has a fixed criterion; leave it out"},
    Foreign{"--bs-metric", "fbp,tbe", "search --bs-trees writes fbp and tbe, and search --alrt N writes SH-aLRT"},
    Foreign{"--bs-write-msa", "", "resampled alignments are not written; leave it out"},
    Foreign{"--bsconverge", "", "replicates are made until they suffice with search --bs-trees auto"},
    Foreign{"--bsmsa", "", "resampled alignments are not written; search --bs-trees N searches on them"},
    Foreign{"--data-type", "auto,DNA,AA,BIN",
            "the model says what the data are, such as --model GTR+G, LG+G, BIN or MULTI7_MK"},
    Foreign{"--extra", "", "there are no such extras; leave it out"},
    Foreign{"--force", "", "no check is too strict to be passed; leave it out"},
    Foreign{"--lh-epsilon", "", "--effort fast, normal or thorough says how far a search goes"},
    Foreign{"--log", "", "PREFIX.log has everything; leave it out"},
    Foreign{"--msa-format", "auto", "the format is recognised; leave it out"},
    Foreign{"--mutmap", "",
            "mutations are not mapped; search, evaluate and loglh --ancestral write states of ancestors"},
    Foreign{"--nofiles", "", "results are always written; --prefix says where"},
    Foreign{"--opt-branches", "on", "loglh optimises nothing, and evaluate --fix-lengths only the model"},
    Foreign{"--opt-model", "on", "loglh optimises nothing, and evaluate --fix-lengths only the model"},
    Foreign{"--pat-comp", "on", "sites that are equal are always computed once; leave it out"},
    Foreign{"--precision", "", "numbers have all 17 digits; leave it out"},
    Foreign{"--prob-msa", "off", "probabilities of characters are not read; leave it out"},
    Foreign{"--rate-scalers", "", "numbers that get too small are scaled as needed; leave it out"},
    Foreign{"--simd", "",
            "the fastest vector instructions are used, and the results are the same with all; leave it out"},
    Foreign{"--spr-cutoff", "", "how much worse a move may be follows from the data; leave it out"},
    Foreign{"--start", "", "start trees are made by search --starts, which does not write them"},
    Foreign{"--terrace", "", "terraces are not computed"},
    Foreign{"--terrace-maxsize", "", "terraces are not computed"},
    Foreign{"--tip-inner", "", "--repeats on, off or auto says what is computed once; leave it out"},
};

template <class Table>
auto const* find(Table const& table, std::string_view name) {
    auto const found = std::ranges::find(table, name, [](auto const& entry) { return entry.raxml; });
    return found == table.end() ? nullptr : &*found;
}

/// An option, and its value if it is joined by '='. RAxML-NG accepts a single dash.
struct Argument {
    std::string name;
    std::optional<std::string> value;
};

Argument split(std::string const& argument) {
    bool const has_one_dash = argument.size() > 2 && argument[0] == '-' && 'a' <= argument[1] && argument[1] <= 'z';
    auto const text = has_one_dash ? '-' + argument : argument;
    auto const end = text.starts_with("--") ? text.find('=') : std::string::npos;
    if (end == std::string::npos) return {text, std::nullopt};
    return {text.substr(0, end), text.substr(end + 1)};
}

std::set<std::string> parts(std::string_view list) {
    std::set<std::string> result;
    for (auto const part : std::views::split(list, ',')) result.emplace(part.begin(), part.end());
    return result;
}

/// The number for a value: "auto" and "auto{N}" mean what 0 and N mean here.
std::string number_for(std::string const& value) {
    constexpr std::string_view limited = "auto{";
    if (value == "auto") return "0";
    if (value.starts_with(limited) && value.ends_with('}'))
        return value.substr(limited.size(), value.size() - limited.size() - 1);
    return value;
}

std::string value_for(std::string_view option, std::string const& value) {
    if (option == "--threads" || option == "--groups") return number_for(value);
    if (option == "--brlen" && value == "proportional") return "scaled";
    if (option == "--bs-trees" && value == "autoMRE") return "auto";
    return value;
}

class Translation {
public:
    explicit Translation(std::span<std::string const> arguments) : arguments_(arguments) {}

    std::vector<std::string> run() {
        for (next_ = 1; next_ < arguments_.size();) translate(arguments_[next_++]);
        if (checks()) leave_out_what_is_idle();
        std::vector<std::string> result{arguments_[0], std::string(command_ == nullptr ? "search" : command_->ours)};
        if (command_ != nullptr && !command_->option.empty() && !has(command_->option)) {
            result.emplace_back(command_->option);
            if (!command_->value.empty()) result.emplace_back(command_->value);
        }
        result.insert(result.end(), words_.begin(), words_.end());
        return result;
    }

private:
    bool has(std::string_view option) const { return std::ranges::find(words_, option) != words_.end(); }

    void translate(std::string const& argument) {
        auto const word = split(argument);
        if (!word.name.starts_with("--")) {
            words_.push_back(argument);
        } else if (auto const* const command = find(commands, word.name)) {
            set_command(*command);
        } else if (auto const* const flag = find(flag_names, word.name)) {
            words_.insert(words_.end(), {std::string(flag->ours), std::string(flag->value)});
        } else if (auto const* const option = find(foreign, word.name)) {
            skip_if_harmless(*option, word);
        } else {
            auto const* const other = find(renamed, word.name);
            add_option(other == nullptr ? word.name : std::string(other->ours), word);
        }
    }

    bool checks() const { return command_ != nullptr && command_->ours == "check"; }

    void leave_out_what_is_idle() {
        for (auto const* const option : idle_in_check) {
            auto const found = std::ranges::find(words_, option);
            if (found == words_.end()) continue;
            bool const has_value = found + 1 != words_.end() && !(found + 1)->starts_with('-');
            words_.erase(found, found + (has_value ? 2 : 1));
        }
    }

    void set_command(CommandName const& command) {
        if (command_ != nullptr && command_ != &command) {
            throw InputError(std::string(command_->raxml) + " and " + std::string(command.raxml) +
                             " are two commands, expected one");
        }
        command_ = &command;
    }

    /// Precondition: next_ is behind the word.
    std::optional<std::string> take_value(Argument const& word) {
        bool const follows = !word.value && next_ < arguments_.size() && !arguments_[next_].starts_with('-');
        return follows ? arguments_[next_++] : word.value;
    }

    /// Leaves out an option that asks for nothing else than what is done. Throws InputError for another.
    void skip_if_harmless(Foreign const& option, Argument const& word) {
        auto const value = option.harmless.empty() ? std::nullopt : take_value(word);
        if (value && std::ranges::includes(parts(option.harmless), parts(*value))) return;
        if (option.raxml == "--opt-branches" && value == "off") return words_.emplace_back("--fix-lengths"), void();
        throw InputError(std::string(option.raxml) +
                         " of RAxML-NG has no counterpart here: " + std::string(option.advice));
    }

    void add_option(std::string const& name, Argument const& word) {
        words_.push_back(name);
        if (auto const value = take_value(word)) words_.push_back(value_for(name, *value));
    }

    std::span<std::string const> arguments_;
    std::size_t next_ = 1;
    CommandName const* command_ = nullptr;
    std::vector<std::string> words_;  // without the command
};

bool is_for_us(std::span<std::string const> arguments) {
    if (arguments.size() < 2 || !arguments[1].starts_with('-')) return false;
    constexpr std::array about{"--help", "-h", "--version"};
    auto const is_any = [&](auto const& names) {
        return std::ranges::any_of(arguments, [&](std::string const& argument) {
            return std::ranges::find(names, split(argument).name) != names.end();
        });
    };
    return !is_any(on_trees) && (arguments.size() > 2 || !is_any(about));
}

}  // namespace

std::vector<std::string> from_raxml(std::span<std::string const> arguments) {
    if (arguments.size() == 2 && arguments[1] == "-v") return {arguments[0], "--version"};
    if (!is_for_us(arguments)) return {arguments.begin(), arguments.end()};
    return Translation(arguments).run();
}

std::optional<std::string> raxml_advice(std::string_view option) {
    if (auto const* const other = find(renamed, option))
        return std::string(other->raxml) + " is " + std::string(other->ours) + " here";
    if (auto const* const flag = find(flag_names, option))
        return fmt::format("{} is {} {} here", option, flag->ours, flag->value);
    if (auto const* const other = find(foreign, option)) return std::string(option) + ": " + std::string(other->advice);
    if (auto const* const command = find(commands, option)) {
        return std::string(option) + " is the command " + std::string(command->ours) + " here, or stands first";
    }
    return std::nullopt;
}

}  // namespace regraft::phylo
