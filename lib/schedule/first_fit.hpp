// The colouring to try before any other: quick, and optimal where most vertices are far from the largest degree.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "regraft/schedule/edge_colouring.hpp"

namespace regraft::schedule {

/// Gives one edge after the other the smallest colour that is free at both ends. Nothing if an edge would get a colour
/// from num_colours on, or if the search takes much longer than reading the edges. Every vertex is below num_left or
/// num_right; memory: a bit per vertex and colour.
std::optional<std::vector<std::uint32_t>> first_fit(std::span<Edge const> edges, std::size_t num_left,
                                                    std::size_t num_right, std::uint32_t num_colours);

}  // namespace regraft::schedule
