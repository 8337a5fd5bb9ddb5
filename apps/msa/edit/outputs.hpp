// What commands that edit write besides the alignment: further files, and lines for people.
#pragma once

#include <optional>
#include <string>

#include "input/files.hpp"

namespace regraft::msa_cli {

/// A further file that a command writes; none if its path is empty. Throws InputError if it is read, or is the first
/// output, or exists and must not be overwritten. Throws OutputError if it cannot be written.
std::optional<Replacement> second_output(std::string const& path, Places const& places);

/// The name of an output in messages.
std::string shown_output(std::string const& path);

}  // namespace regraft::msa_cli
