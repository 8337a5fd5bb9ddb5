// Tells which PEs hold which blocks now: those of the placement at submission, without the dead, and with the changes
// of repairs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "regraft/core/ids.hpp"
#include "regraft/placement/holder_table.hpp"
#include "regraft/placement/placement.hpp"

#pragma GCC visibility push(default)
namespace regraft::placement {

/// Blocks with the same holders.
struct Run {
    BlockRange blocks;              // consecutive
    std::span<PeId const> holders;  // living PEs, ascending; none: the blocks are lost
};

/// Smallest and largest number of living holders; both are 0 if there are no blocks.
struct CopyCounts {
    std::uint32_t fewest = 0;  // living holders of the block that has the fewest
    std::uint32_t most = 0;    // living holders of the block that has the most
};

/// A value that every PE keeps for itself. PEs that apply the same changes in the same order have equal directories.
///
/// Placements answer in O(1), so what did not change takes no memory. A table keeps only the runs whose holders differ
/// from the living holders of the placement; a run takes about 200 bytes. A run that a dead PE held takes 32 bytes.
/// Questions and changes take O(log table) once and O(holders) per run.
class Directory {
public:
    /// A directory of no blocks.
    Directory() = default;
    /// pe_of_slot: the PE that submitted as slot 0, 1, ...; ascending, one per slot.
    Directory(Any placement, std::vector<PeId> pe_of_slot);

    /// The number of blocks of the placement, lost ones included.
    std::uint64_t num_blocks() const { return shape_.num_blocks; }
    /// The number of copies of every block at submission.
    std::uint32_t replicas() const { return shape_.replicas; }
    /// The node of each PE that submitted, by PeId, as the placement tells it; empty if the placement does not know.
    std::span<std::uint32_t const> node_of() const { return node_of_; }

    /// From now on only these PEs hold anything; a PE that was left out before stays out. members: ascending. O(slots +
    /// members), and O((runs that the dead held + runs that lack copies) log table) if a PE is newly left out.
    void retain(std::span<PeId const> members);
    /// Whether retain(members) would change nothing.
    bool retains_only(std::span<PeId const> members) const;
    /// From now on holder holds the blocks too. Precondition: it submitted and was always retained; all blocks exist.
    void add(BlockRange blocks, PeId holder);
    /// From now on holder does not hold the blocks. Precondition: all blocks exist.
    void remove(BlockRange blocks, PeId holder);

    /// Calls visit for ascending runs that cover blocks exactly. Neighbouring runs have different holders, so runs do
    /// not depend on the order of the changes. A run's holders are valid during the call, which must not change the
    /// directory. O(log table + runs). Precondition: all blocks exist.
    void visit(BlockRange blocks, std::function<void(Run const&)> const& visit) const;
    /// All blocks that pe holds: ascending, disjoint, none empty, neighbours joined. O(what it held at submission +
    /// table).
    std::vector<BlockRange> held(PeId pe) const;
    /// The number of blocks that each of these PEs holds, parallel to pes, which ascend. O(PEs + slots) if the
    /// placement gives num_held in O(1).
    std::vector<std::uint64_t> num_held(std::span<PeId const> pes) const;
    /// The blocks with fewer than `copies` living holders: ascending, disjoint, none empty, neighbours joined. Looks
    /// only at what the dead held and at the table if copies <= replicas(), else at everything.
    std::vector<BlockRange> short_of(std::uint32_t copies) const;
    /// Calls visit for these blocks, as the other visit does. Returns the numbers of holders of the other blocks that
    /// are not lost. For that it looks at everything if the placement's most_copies() is more than replicas(), else at
    /// little more than blocks that lack copies, unless all blocks have lost holders.
    CopyCounts visit_short_of(std::uint32_t copies, std::function<void(Run const&)> const& visit) const;

private:
    /// Holders by the placement; the memory is used again for the next block.
    struct Placed {
        std::vector<Slot> slots;
        std::vector<PeId> living;  // ascending
    };
    using Visitor = std::function<void(Run const&)>;
    using At = HolderTable::Entries::const_iterator;

    std::optional<Slot> living_slot(PeId pe) const;
    At visit_runs(BlockRange blocks, At entry, Placed& placed, std::vector<PeId>& holders, Visitor const& visit) const;
    At visit_parts(BlockRange blocks, At entry, Placed& placed, Visitor const& visit) const;
    std::vector<std::uint32_t> living_slots_beside(std::span<PeId const> members) const;
    void living_by_placement(BlockId block, Placed& placed) const;
    void forget(std::span<PeId const> dead, BlockRange blocks);
    std::vector<BlockRange> changed() const;
    bool is_even() const;
    CopyCounts complete(std::uint32_t copies) const;
    std::vector<BlockRange> perhaps_short_of(std::uint32_t copies) const;
    CopyCounts as_submitted(std::span<BlockRange const> all_but) const;
    bool as_placed(BlockRange blocks, std::vector<PeId> const& holders, Placed& placed) const;
    template <class Edit>
    void edit(BlockRange blocks, PeId holder, Edit change);

    std::optional<Any> placement_;
    Shape shape_{};
    std::vector<PeId> pe_of_slot_;
    std::vector<std::uint32_t> node_of_;  // by PeId
    std::vector<char> alive_;             // by slot
    std::vector<BlockRange> of_dead_;     // what dead PEs held at submission: united
    /// Blocks that may have fewer than replicas() holders: those that lost one since the last retain, and those that
    /// had fewer then. In any order.
    std::vector<BlockRange> suspects_;
    HolderTable table_;                                                 // of runs that differ from the placement
    std::unordered_map<std::uint32_t, std::vector<BlockRange>> added_;  // by slot: what it was given, or more
    std::vector<std::int64_t> gained_;  // by slot: blocks held beyond those of the placement; empty: all 0 so far
};

}  // namespace regraft::placement
#pragma GCC visibility pop
