// The commands: read, plan, report.
#pragma once

#include "input/options.hpp"

namespace regraft::plan {

// Each throws InputError and OutputError; then nothing was written to the JSON file.
void run(RecoverOptions const& options);
void run(LossOptions const& options);
void run(SimulateOptions const& options);

}  // namespace regraft::plan
