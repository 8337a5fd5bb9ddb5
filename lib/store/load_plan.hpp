// Who sends what to whom in a load. Pure: the same on every member.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/placement/directory.hpp"
#include "regraft/schedule/range_senders.hpp"
#include "regraft/store/reports.hpp"

namespace regraft::store {

struct LoadPlan {
    /// What members want, member by member in their order, in runs of blocks that have the same holders and lie in one
    /// piece in the memory of each; behind that what replaces damage.
    std::vector<schedule::RangeRequest> requests;
    std::uint64_t num_wanted = 0;
    /// Where the request begins in what its receiver wants, in bytes; 0 for what replaces damage.
    std::vector<std::uint64_t> offsets;
    schedule::RangeSenders senders;
};

/// wanted: row i for PeId i, as far as it is one of members. seams: blocks where somebody's memory may be in two
/// pieces, ascending.
LoadPlan plan_load(placement::Directory const& directory, BlockSizes const& sizes, std::span<BlockId const> seams,
                   std::span<PeId const> members, CsrView<BlockRange> wanted, std::span<Damage const> to_replace);

/// The part of the report that follows from the plan.
LoadReport report_of(LoadPlan const& plan, BlockSizes const& sizes, PeId self);

}  // namespace regraft::store
