// Who sends what to whom in a load. Pure.
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

/// Of all members, the same on each, or of one alone.
struct LoadPlan {
    enum class Of { all, self } of = Of::all;
    /// What members want, member by member in their order, in runs of blocks that have the same holders and lie in one
    /// piece in the memory of each; behind that what replaces damage.
    std::vector<schedule::RangeRequest> requests;
    std::uint64_t num_wanted = 0;
    /// Where the request begins in what its receiver wants, in bytes; 0 for what replaces damage.
    std::vector<std::uint64_t> offsets;
    schedule::RangeSenders senders;
    /// Wanted by those it is of, and held by nobody: ascending, disjoint.
    std::vector<BlockRange> lost;
};

/// Whether all members want more runs of blocks with the same holders than that, about: estimated from a sample that is
/// the same on all of them. O(ranges wanted).
bool wants_more_runs(placement::Directory const& directory, std::span<PeId const> members, CsrView<BlockRange> wanted,
                     std::uint64_t than);

/// wanted: row i for PeId i, as far as it is one of members. seams: blocks where somebody's memory may be in two
/// pieces, ascending.
LoadPlan plan_load(placement::Directory const& directory, BlockSizes const& sizes, std::span<BlockId const> seams,
                   std::span<PeId const> members, CsrView<BlockRange> wanted, std::span<Damage const> to_replace);

/// The same of self alone: what it wants, as ranges instead of runs, and what it sends and receives, as the others find
/// it, too. Damage is not replaced, and the most that somebody sends is not known.
LoadPlan plan_load_alone(placement::Directory const& directory, BlockSizes const& sizes, std::span<BlockId const> seams,
                         std::span<PeId const> members, PeId self, CsrView<BlockRange> wanted);

/// The part of the report that follows from the plan. Of a plan of self alone: what self sends and receives instead of
/// sums and maxima over all.
LoadReport report_of(LoadPlan const& plan, BlockSizes const& sizes, PeId self);

}  // namespace regraft::store
