// The placements that a user can choose from by name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "regraft/placement/placement.hpp"

namespace regraft::plan {

/// mod-k, permuted, pairwise, node-aware.
std::vector<std::string> rule_names();

/// The rule of that name. node_size: consecutive ranks that fail together, of which only node-aware takes note.
/// Precondition: the name is known; those of the rule itself.
placement::Any make_rule(std::string const& name, placement::Shape const& shape, std::uint32_t node_size);

}  // namespace regraft::plan
