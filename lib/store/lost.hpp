// The end of a load of which something is lost: the source of last resort, or DataLost.
#pragma once

#include <span>

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

/// Does about report.lost what the options say; nothing if nothing is lost. What was delivered of damaged blocks that
/// are lost is cleared before. Collective, uniform: all members have the same report, but for its last two fields.
void make_up_for_lost(ft::Communicator& comm, BlockSizes const& sizes, Wanted const& wanted, LoadReport const& report,
                      LoadOptions const& options);

}  // namespace regraft::store
