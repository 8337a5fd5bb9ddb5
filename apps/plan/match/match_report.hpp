// What the user sees of a matching: a text that explains it, and JSON for programs.
#pragma once

#include <string>

#include "input/options.hpp"
#include "match/graph_file.hpp"
#include "match/match.hpp"

namespace regraft::plan {

/// The text. seconds: what the planning took.
std::string text_of(MatchOptions const& options, HolderGraph const& graph, MatchPlan const& plan, double seconds);
/// Writes a JSON file at options.json. Throws OutputError.
void write_json(MatchOptions const& options, HolderGraph const& graph, MatchPlan const& plan);

}  // namespace regraft::plan
