// The sites of the alignment in the memory of the PEs: all of them in a store, and those that a PE computes on
// directly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "input/input.hpp"
#include "regraft/assign/assignment.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/store/replicated_store.hpp"
#include "report/report.hpp"

namespace regraft::phylo {

/// PEs that compute on one item together: each site is dealt to one of them.
struct Group {
    std::vector<PeId> members;  // in increasing order
    assign::Assignment work;    // patterns of each founding PE; none of one that is not in the group
};

/// The sites and the groups. All methods except the getters are collective and uniform; after ft::ProcessFailure
/// everything is as it was before.
class DealtSites {
public:
    /// Reads the blocks of some patterns from the file again. May throw.
    using BlockReader = std::function<std::vector<std::byte>(BlockRange)>;
    /// Opens the file again, for sites that no survivor holds. May throw.
    using Reread = std::function<BlockReader()>;

    DealtSites(ft::Communicator& comm, Reread reread) : comm_(comm), store_(comm), reread_(std::move(reread)) {}

    /// Stores each pattern on `replicas` PEs, or on all if there are fewer. Returns the actual number. blocks: those of
    /// my_part. Keeps a reference to the dataset.
    std::uint32_t submit(Dataset const& dataset, std::span<std::byte const> blocks, std::uint32_t replicas);

    /// Divides the members into groups of neighbours, and deals all sites to each group. Does nothing if there are that
    /// many groups already. Precondition: 1 <= num_groups <= members.
    void deal(std::uint32_t num_groups);

    /// Deals the sites of the dead to the remaining members of their groups, and restores the redundancy of the store.
    /// Groups without survivors are removed. record: gets times and amounts. Precondition: the communicator has shrunk.
    void recover(Recovery& record);

    std::size_t num_groups() const { return groups_.size(); }
    /// The index of this PE's group.
    std::size_t my_group() const;
    Group const& group() const { return groups_[my_group()]; }
    /// The work of this PE: patterns of the alignment, and their blocks, one behind the other.
    std::span<assign::Work const> work() const { return group().work[value(comm_.self())]; }
    std::span<std::byte const> blocks() const { return blocks_; }

private:
    std::vector<std::byte> load(Csr<BlockRange> const& rows, Recovery& record);

    ft::Communicator& comm_;
    store::ReplicatedStore store_;
    Reread reread_;
    Dataset const* dataset_ = nullptr;
    std::vector<std::uint64_t> costs_;  // cost of a pattern, per partition
    std::vector<Group> groups_;
    std::vector<std::byte> blocks_;
};

}  // namespace regraft::phylo
