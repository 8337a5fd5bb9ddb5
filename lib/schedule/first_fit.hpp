// The colouring to try before any other: quick where most vertices have room, because the largest degree is that of a
// few.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "regraft/schedule/edge_colouring.hpp"

namespace regraft::schedule {

/// Colours edges by first-fit, mended by alternating paths (Koenig 1916), with colours below num_colours. Returns none
/// if this would take much longer than reading the edges. Deterministic. Memory: at most 4 bytes per edge beside the
/// colours; 22 more if some edges find no free colour and are mended. Precondition: no degree is above num_colours.
std::optional<std::vector<std::uint32_t>> first_fit(std::span<Edge const> edges,
                                                    std::span<std::uint32_t const> left_degrees,
                                                    std::span<std::uint32_t const> right_degrees,
                                                    std::uint32_t num_colours);

}  // namespace regraft::schedule
