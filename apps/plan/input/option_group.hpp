// Options that several commands share, and how they are declared.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include <CLI/CLI.hpp>

#include "common/command_line.hpp"
#include "input/rules.hpp"

namespace regraft::plan {

inline constexpr std::uint32_t most_ranks = 1U << 26;

inline CLI::Option* add_json(CLI::App& app, std::string& json) {
    return app
        .add_option("--json", json, "write the plan as JSON to this file; -: to standard output, in place of the text")
        ->type_name("OUT");
}

/// Adds options that stand under one heading of the help.
class OptionGroup {
public:
    OptionGroup(CLI::App& app, char const* heading) : app_(app), heading_(heading) {}
    /// type: what the help calls the value.
    template <class T>
    CLI::Option* add(char const* name, char const* type, T& value, char const* text) const {
        return app_.add_option(name, value, text)->type_name(type)->group(heading_);
    }
    template <class T>
    CLI::Option* add_whole(char const* name, char const* type, T& value, char const* text, std::uint64_t first,
                           std::uint64_t last) const {
        return add(name, type, value, text)->transform(common::whole(first, last));
    }
    void add_flag(char const* name, bool& value, char const* text) const {
        app_.add_flag(name, value, text)->group(heading_);
    }
    void add_ranks(std::uint32_t& ranks) const {
        add_whole("-p,--ranks", "P", ranks, "number of ranks before the failures", 1, most_ranks)->required();
    }
    void add_placement(std::string& placement) const {
        add("--placement", "RULE", placement,
            "which ranks keep which block: mod-k (default), permuted, pairwise or node-aware")
            ->check(CLI::IsMember(rule_names()).description(""));
    }

private:
    CLI::App& app_;
    char const* heading_;
};

}  // namespace regraft::plan
