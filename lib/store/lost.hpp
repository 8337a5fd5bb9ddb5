// The end of a load of which something is lost: the source of last resort, or DataLost.
#pragma once

#include <span>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/store/options.hpp"
#include "regraft/store/reports.hpp"

namespace regraft::store {

/// What a member wants, and where it goes.
struct Wanted {
    std::span<BlockRange const> ranges;
    std::span<std::byte> out;
};

/// Does about lost blocks (ascending, disjoint) what the options say. Those that are also `spoilt`, because an attempt
/// brought them wrong, are cleared before; of what is not lost nothing is. Collective, uniform: the same but for
/// wanted.
void make_up_for_lost(ft::Communicator& comm, BlockSizes const& sizes, Wanted const& wanted,
                      std::vector<BlockRange> const& lost, std::vector<BlockRange> spoilt, LoadOptions const& options);

}  // namespace regraft::store
