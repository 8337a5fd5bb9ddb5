// Declares options that several commands have, and the commands that make other alignments.
#pragma once

#include <map>
#include <string>

#include <CLI/CLI.hpp>

#include "common/command_line.hpp"
#include "input/options.hpp"

namespace regraft::msa_cli {

void add_general(CLI::App& app, GeneralOptions& general);
/// Adds the option for names in FASTA.
void add_names(CLI::App& app, GeneralOptions& general);
void add_output(CLI::App& app, Places& places, std::string const& what);
/// The formats are all of alignments.
void add_look(CLI::App& app, Look& look);
void add_look(CLI::App& app, Look& look, std::map<std::string, OutputFormat> const& formats, char const* what);

/// Adds the commands of edits.hpp.
void add_edits(common::CommandLine<Options>& line);

}  // namespace regraft::msa_cli
