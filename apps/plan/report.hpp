// What the user sees of a plan: a text that explains it, and JSON for programs.
#pragma once

#include <span>
#include <string>

#include "common/output.hpp"
#include "loss/loss.hpp"
#include "match/graph_file.hpp"
#include "match/match.hpp"
#include "options.hpp"
#include "recover/recovery.hpp"
#include "regraft/schedule/edge_colouring.hpp"
#include "rounds/rounds.hpp"

namespace regraft::plan {

// Each: the text, and a JSON file at options.json, which throws OutputError. Seconds: what the planning took.

std::string text_of(MatchOptions const& options, HolderGraph const& graph, MatchPlan const& plan, double seconds);
void write_json(MatchOptions const& options, HolderGraph const& graph, MatchPlan const& plan);

std::string text_of(RoundsOptions const& options, RoundPlan const& plan, double seconds);
/// A line per round, with its transfers in the order of the file.
void write_list(common::Output& out, std::span<schedule::Edge const> transfers, RoundPlan const& plan);
void write_json(RoundsOptions const& options, RoundPlan const& plan);

std::string text_of(RecoverOptions const& options, Recovery const& recovery);
void write_json(RecoverOptions const& options, std::span<PeId const> failed, Recovery const& recovery);

std::string text_of(LossOptions const& options, LossPlan const& plan);
void write_json(LossOptions const& options, LossPlan const& plan);

}  // namespace regraft::plan
