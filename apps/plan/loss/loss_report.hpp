// What the user sees of the probability of data loss: a text that explains it, and JSON for programs.
#pragma once

#include <string>

#include "input/options.hpp"
#include "loss/loss.hpp"

namespace regraft::plan {

std::string text_of(LossOptions const& options, LossPlan const& plan);
/// Writes a JSON file at options.json. Throws OutputError.
void write_json(LossOptions const& options, LossPlan const& plan);

}  // namespace regraft::plan
