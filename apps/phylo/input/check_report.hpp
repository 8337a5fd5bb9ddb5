// What the command check reports.
#pragma once

#include <string>

#include "input/check.hpp"
#include "options/options.hpp"

namespace regraft::phylo {

/// The findings for people, and whether the input can be searched.
std::string check_text(Options const& options, CheckedInput const& input);

/// All findings; where the texts name a few taxa, this names all. Sites count from 1, as in partition files.
std::string check_json(Options const& options, CheckedInput const& input);

}  // namespace regraft::phylo
