// What the user sees of rounds: a text that explains them, a list, and JSON for programs.
#pragma once

#include <span>
#include <string>

#include "common/output.hpp"
#include "input/options.hpp"
#include "regraft/schedule/edge_colouring.hpp"
#include "rounds/rounds.hpp"

namespace regraft::plan {

/// The text. seconds: what the planning took.
std::string text_of(RoundsOptions const& options, RoundPlan const& plan, double seconds);
/// A line per round, with its transfers in the order of the file. Throws OutputError.
void write_list(common::Output& out, std::span<schedule::Edge const> transfers, RoundPlan const& plan);
/// Writes a JSON file at options.json. Throws OutputError.
void write_json(RoundsOptions const& options, RoundPlan const& plan);

}  // namespace regraft::plan
