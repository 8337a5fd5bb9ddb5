// Adds rows to a compressed alignment, or compresses it again.
#pragma once

#include <string>

#include "input/options.hpp"

namespace regraft::msa_cli {

// Both replace the file, at once and as a whole, or write another one. They throw InputError.

void append(AppendOptions const& options);
void compact(std::string const& input, CompactOptions const& options);

}  // namespace regraft::msa_cli
