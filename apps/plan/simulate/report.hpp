// The reports on a simulation: a text that explains it, JSON for programs, and a picture of a life.
#pragma once

#include <string>

#include "input/options.hpp"
#include "simulate/simulation.hpp"

namespace regraft::plan::simulated {

/// The text for people.
std::string text_of(SimulateOptions const& options, Simulation const& simulation);
/// Writes a JSON file at options.json. Throws OutputError.
void write_json(SimulateOptions const& options, Simulation const& simulation);
/// A drawing of the first life of the best candidate: work done and ranks alive over time.
std::string svg_of(SimulateOptions const& options, Simulation const& simulation);

}  // namespace regraft::plan::simulated
