// Who holds what now: what a placement said at submission, without the dead, and with what repairs have changed since.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "regraft/core/ids.hpp"
#include "regraft/placement/placement.hpp"

namespace regraft::placement {

/// Blocks that the same PEs hold.
struct Run {
    BlockRange blocks;
    std::span<PeId const> holders;  // living ones, ascending; none: the blocks are lost
};

/// A value that every PE keeps for itself; those that apply the same changes in the same order keep the same.
///
/// Placements answer in O(1), so what did not change takes no memory: only runs whose holders differ from what the
/// placement said are kept in a table. Questions take O(log table) per run.
class Directory {
public:
    Directory() = default;
    /// pe_of_slot: who submitted as slot 0, 1, ...; ascending, one per slot.
    Directory(Any placement, std::vector<PeId> pe_of_slot);

    std::uint64_t num_blocks() const;
    /// How many copies of every block were asked for.
    std::uint32_t replicas() const;

    /// From now on only these hold anything; members: ascending. O(previous members).
    void retain(std::span<PeId const> members);
    /// holder has got the blocks. Precondition: it is a member, all blocks exist.
    void add(BlockRange blocks, PeId holder);
    /// holder keeps the blocks no longer, if it did.
    void remove(BlockRange blocks, PeId holder);

    /// Calls visit for ascending runs that cover blocks exactly; neighbours may have the same holders. A run's holders
    /// are valid during the call. O(runs).
    void visit(BlockRange blocks, std::function<void(Run const&)> const& visit) const;
    /// All that pe holds: ascending, disjoint, none empty. O(what it held at submission + table).
    std::vector<BlockRange> held(PeId pe) const;
    /// The blocks with fewer than `copies` living holders: ascending, disjoint, none empty. Looks only at what the dead
    /// held and at the table if copies <= replicas().
    std::vector<BlockRange> short_of(std::uint32_t copies) const;

private:
    // to be found by whoever writes the body
};

}  // namespace regraft::placement
