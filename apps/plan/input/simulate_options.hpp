// The command line of `regraft-plan simulate`.
#pragma once

#include <CLI/CLI.hpp>

#include "input/options.hpp"

namespace regraft::plan {

CLI::App* add_simulate(CLI::App& app, SimulateOptions& options);
/// Throws CLI::ValidationError.
void complete(SimulateOptions& options, CLI::App const& simulate);

}  // namespace regraft::plan
