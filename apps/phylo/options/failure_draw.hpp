// Random failure plans: a seed selects deaths among all points that a rehearsal reached.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "regraft/ft/communicator.hpp"
#include "regraft/ft/failure_plan.hpp"

namespace regraft::phylo {

/// The points of the program that a search can reach, by name.
std::vector<ft::FailPoint const*> search_points();

struct FailureDraw {
    std::uint64_t seed = 0;
    std::uint64_t count = 0;
};

/// Parses "random:SEED:COUNT"; none if the text does not begin with "random:". Throws InputError if it does and is
/// malformed.
std::optional<FailureDraw> parse_failure_draw(std::string_view text);

/// Draws COUNT different victims. The point of a death is drawn uniformly over the names and then over its occurrences
/// so far in the victim's process. From the second death on, points that only recoveries reach take part. The same plan
/// on all members. Throws InputError if no member would be left. Collective, uniform.
ft::FailurePlan draw_failures(ft::Communicator& comm, FailureDraw draw);

}  // namespace regraft::phylo
