// The commands: read, plan, report.
#pragma once

#include <string_view>

#include "options.hpp"

namespace regraft::plan {

// Each throws InputError and OutputError; then nothing was written to the JSON file.
void run(MatchOptions const& options);
void run(RoundsOptions const& options);
void run(RecoverOptions const& options);

/// To standard output, all of it. Throws OutputError.
void print(std::string_view text);

}  // namespace regraft::plan
