// From work to the blocks that it needs, where block i of a store is site i.
#pragma once

#include <span>
#include <vector>

#include "regraft/assign/assignment.hpp"
#include "regraft/core/ids.hpp"

#pragma GCC visibility push(default)
namespace regraft::assign {

/// The blocks with the numbers of these sites, one range for each piece. O(pieces).
std::vector<BlockRange> to_blocks(std::span<Work const> row);

}  // namespace regraft::assign
#pragma GCC visibility pop
