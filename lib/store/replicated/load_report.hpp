// What a plan of a load says of it.
#pragma once

#include <cstdint>
#include <span>

#include "regraft/core/block_sizes.hpp"
#include "regraft/load/plan.hpp"
#include "regraft/store/reports.hpp"

namespace regraft::store {

/// The part of the report that follows from the plan. For a plan of self alone it has what self sends and receives
/// instead of sums and maxima over all. node_of: of the directory.
LoadReport report_of(load::Plan const& plan, BlockSizes const& sizes, std::span<std::uint32_t const> node_of,
                     PeId self);

}  // namespace regraft::store
