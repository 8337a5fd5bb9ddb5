// Plans which member sends what to which in a load. Pure: the same on every PE.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/placement/directory.hpp"
#include "regraft/schedule/local_senders.hpp"
#include "regraft/schedule/range_senders.hpp"

#pragma GCC visibility push(default)
namespace regraft::load {

/// A plan of all members, which is the same on each, or of one member alone.
struct Plan {
    /// Whether it is the plan of all members or of one.
    enum class Of { all, self } of = Of::all;  // self: of one that plans alone
    /// The requests of the members, member by member in their order, as runs of blocks that have the same holders and
    /// lie in one piece in the memory of each holder. Requests that replace damage follow.
    std::vector<schedule::RangeRequest> requests;
    std::uint64_t num_wanted = 0;  // number of requests that replace no damage; they come first
    /// The offset of each request in what its receiver wants, in bytes; 0 for requests that replace damage.
    std::vector<std::uint64_t> offsets;
    schedule::RangeSenders senders;  // the transfers that answer the requests
    /// Blocks that the members of the plan want and no member holds: ascending, disjoint.
    std::vector<BlockRange> lost;
};

/// Whether all members together want more than about `than` runs of blocks with the same holders, estimated from a
/// sample that is the same on all of them. O(ranges wanted).
bool wants_more_runs(placement::Directory const& directory, std::span<PeId const> members, CsrView<BlockRange> wanted,
                     std::uint64_t than);

/// Plans for all members. wanted: row i for PeId i, if that is one of members. seams: blocks where the memory of a
/// holder may be in two pieces, ascending. to_replace: damaged blocks, and the holders that are to receive them anew.
Plan plan(placement::Directory const& directory, BlockSizes const& sizes, std::span<BlockId const> seams,
          std::span<PeId const> members, CsrView<BlockRange> wanted,
          std::span<schedule::RangeRequest const> to_replace = {});

/// The transfers of self by a rule that each member evaluates alone. wanted: row i for PE i. Both ends cut a transfer
/// at seams, if there are any.
schedule::LocalSenders senders_alone(placement::Directory const& directory, BlockSizes const& sizes, PeId self,
                                     CsrView<BlockRange> wanted, schedule::LocalRule rule = {});

/// Plans by that rule for self alone: what it wants, as ranges instead of runs, and what it sends and receives; others
/// find the same transfers. Damage is not replaced, and the largest number of bytes that one PE sends is not known.
Plan plan_alone(placement::Directory const& directory, BlockSizes const& sizes, std::span<BlockId const> seams,
                std::span<PeId const> members, PeId self, CsrView<BlockRange> wanted);

/// What all members together find by that rule, without seams: for an observer of the whole job. O(runs wanted).
schedule::RangeSenders senders_of_all(placement::Directory const& directory, BlockSizes const& sizes,
                                      std::span<PeId const> members, CsrView<BlockRange> wanted,
                                      schedule::LocalRule rule = {});

}  // namespace regraft::load
#pragma GCC visibility pop
