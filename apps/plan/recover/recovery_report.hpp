// What the user sees of a recovery: a text that explains it, and JSON for programs.
#pragma once

#include <span>
#include <string>

#include "input/options.hpp"
#include "recover/recovery.hpp"

namespace regraft::plan {

std::string text_of(RecoverOptions const& options, Recovery const& recovery);
/// Writes a JSON file at options.json. Throws OutputError.
void write_json(RecoverOptions const& options, std::span<PeId const> failed, Recovery const& recovery);

}  // namespace regraft::plan
