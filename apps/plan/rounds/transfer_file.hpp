// Files of transfers between ranks: a line SENDER RECEIVER per transfer. '#' begins a comment, empty lines mean
// nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "regraft/schedule/edge_colouring.hpp"

namespace regraft::plan {

/// Reads the text of a transfer file: left sends to right, in the order of the file. Ranks are below 2^32 - 1.
/// O(text) time and memory. Throws InputError with name, line and column.
std::vector<schedule::Edge> parse_transfers(std::string_view text, std::string const& name);

}  // namespace regraft::plan
