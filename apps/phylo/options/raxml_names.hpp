// Translates RAxML-NG's command lines to this program's words.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace regraft::phylo {

/// The same command line with a command in front and this program's options, such as `search --msa a.phy` for `--msa
/// a.phy`, `evaluate ... --groups 2` for `--evaluate ... --workers 2`, or `search --bs-trees auto` for `--all`.
/// RAxML-NG's command lines begin with an option; all others stay as they are. So do those with --support, --rfdist or
/// --consense and those that only have --help or --version. Throws InputError for options without a counterpart, and
/// says what to do instead. arguments[0] is the program.
std::vector<std::string> from_raxml(std::span<std::string const> arguments);

/// What to do instead of giving this option of RAxML-NG, such as "--workers". None unless the option has another name
/// here, or no counterpart.
std::optional<std::string> raxml_advice(std::string_view option);

}  // namespace regraft::phylo
