// Who holds what now: what a placement said at submission, without the dead, and with what repairs have changed since.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
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

/// Numbers of living holders; both 0 of no blocks.
struct CopyCounts {
    std::uint32_t fewest = 0;
    std::uint32_t most = 0;
};

/// A value that every PE keeps for itself; those that apply the same changes in the same order keep the same.
///
/// Placements answer in O(1), so what did not change takes no memory: only runs whose holders differ from what the
/// placement says of the living are kept in a table, of 100 bytes or so per run. Questions and changes take O(log
/// table) once and O(holders) per run.
class Directory {
public:
    /// Of no blocks.
    Directory() = default;
    /// pe_of_slot: who submitted as slot 0, 1, ...; ascending, one per slot.
    Directory(Any placement, std::vector<PeId> pe_of_slot);

    std::uint64_t num_blocks() const { return shape_.num_blocks; }
    /// How many copies of every block were asked for.
    std::uint32_t replicas() const { return shape_.replicas; }

    /// From now on only these hold anything; who was left out before stays out. members: ascending. O(slots + members),
    /// and if that leaves out anybody new, O(table).
    void retain(std::span<PeId const> members);
    /// Whether retain(members) would change nothing.
    bool retains_only(std::span<PeId const> members) const;
    /// holder has got the blocks; those that it had already stay. Precondition: it submitted and was always retained;
    /// all blocks exist.
    void add(BlockRange blocks, PeId holder);
    /// holder keeps the blocks no longer, if it did. Precondition: all blocks exist.
    void remove(BlockRange blocks, PeId holder);

    /// Calls visit for ascending runs that cover blocks exactly; neighbours have different holders, so that runs do not
    /// tell by which steps the holders came about. A run's holders are valid during the call, which must not change the
    /// directory. O(log table + runs). Precondition: all exist.
    void visit(BlockRange blocks, std::function<void(Run const&)> const& visit) const;
    /// All that pe holds: ascending, disjoint, none empty, neighbours joined. O(what it held at submission + table).
    std::vector<BlockRange> held(PeId pe) const;
    /// How many blocks each of these PEs holds, like them; ascending. O(PEs + slots) if the placement says num_held at
    /// once.
    std::vector<std::uint64_t> num_held(std::span<PeId const> pes) const;
    /// The blocks with fewer than `copies` living holders: ascending, disjoint, none empty, neighbours joined. Looks
    /// only at what the dead held and at the table if copies <= replicas(), else at everything.
    std::vector<BlockRange> short_of(std::uint32_t copies) const;
    /// Calls visit for these blocks, as the other visit. Returns how many holders the other blocks have that are not
    /// lost, for which it looks at everything if the placement's most_copies() are more than replicas().
    CopyCounts visit_short_of(std::uint32_t copies, std::function<void(Run const&)> const& visit) const;

private:
    struct Entry {
        BlockId last{};
        std::vector<PeId> holders;  // ascending, alive
    };
    /// Holders by the placement, with memory that the next block uses again.
    struct Placed {
        std::vector<Slot> slots;
        std::vector<PeId> living;  // ascending
    };
    using Visitor = std::function<void(Run const&)>;
    /// By first block; disjoint. Neighbours differ in holders.
    using Table = std::map<BlockId, Entry>;

    std::optional<Slot> living_slot(PeId pe) const;
    void visit_runs(BlockRange blocks, Placed& placed, std::vector<PeId>& holders, Visitor const& visit) const;
    void visit_parts(BlockRange blocks, Placed& placed, Visitor const& visit) const;
    std::vector<std::uint32_t> living_slots_beside(std::span<PeId const> members) const;
    void living_by_placement(BlockId block, Placed& placed) const;
    std::vector<BlockRange> changed() const;
    std::vector<BlockRange> perhaps_short_of(std::uint32_t copies) const;
    CopyCounts as_submitted(std::span<BlockRange const> all_but) const;
    bool as_placed(BlockRange blocks, std::vector<PeId> const& holders) const;
    std::vector<BlockRange> outside_of_table(std::span<BlockRange const> ranges) const;
    /// The first entry that ends behind block.
    Table::const_iterator first_after(BlockId block) const;
    void cut_at(BlockId block);
    void join_at(BlockId block);
    template <class Edit>
    void edit(BlockRange blocks, PeId holder, Edit change);

    std::optional<Any> placement_;
    Shape shape_{};
    std::vector<PeId> pe_of_slot_;
    std::vector<char> alive_;  // by slot
    Table table_;
    std::vector<std::int64_t> gained_;  // by slot: blocks held beyond those of the placement; empty: never any
};

}  // namespace regraft::placement
