// The colouring to try before any other: quick where most vertices have room, because the largest degree is that of a
// few.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "regraft/schedule/edge_colouring.hpp"

namespace regraft::schedule {

/// First-fit, mended by alternating paths (Koenig 1916): colours below num_colours for edges between vertices of at
/// most that degree. Nothing if it takes much longer than reading the edges. Deterministic. Memory: at most 4 bytes per
/// edge beside the colours; if there is something to mend, 22 more.
std::optional<std::vector<std::uint32_t>> first_fit(std::span<Edge const> edges,
                                                    std::span<std::uint32_t const> left_degrees,
                                                    std::span<std::uint32_t const> right_degrees,
                                                    std::uint32_t num_colours);

}  // namespace regraft::schedule
