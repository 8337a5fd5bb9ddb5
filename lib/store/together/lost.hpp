// The end of a load in which blocks are lost: reading them from the source of last resort, or DataLost.
#pragma once

#include <span>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/store/options.hpp"
#include "regraft/store/reports.hpp"

namespace regraft::store {

/// The ranges that a member wants, and where their bytes go.
struct Wanted {
    std::span<BlockRange const> ranges;
    std::span<std::byte> out;
};

/// Treats lost blocks (ascending, disjoint) as the options say. Blocks that are also in `spoilt`, because an attempt
/// brought them damaged, are cleared first; spoilt blocks that are not lost are not. All members pass the same, except
/// for wanted. Collective, uniform.
void make_up_for_lost(ft::Communicator& comm, BlockSizes const& sizes, Wanted const& wanted,
                      std::vector<BlockRange> const& lost, std::vector<BlockRange> spoilt, LoadOptions const& options);

}  // namespace regraft::store
