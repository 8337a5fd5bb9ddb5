// The sites of the alignment in the memory of the PEs: all of them in a store, and those that a PE computes on at hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "input.hpp"
#include "regraft/assign/assignment.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/msa/patterns.hpp"
#include "regraft/store/replicated_store.hpp"
#include "report.hpp"

namespace regraft::phylo {

/// PEs that compute on one thing together: each site is dealt to one of them.
struct Group {
    std::vector<PeId> members;  // in increasing order
    assign::Assignment work;
};

/// All methods but the questions are collective and uniform: after ProcessFailure everything is as it was before.
class DealtSites {
public:
    /// Reads the patterns from the file again, for sites that no survivor holds. May throw.
    using Reread = std::function<msa::Patterns()>;

    DealtSites(ft::Communicator& comm, Reread reread) : comm_(comm), store_(comm), reread_(std::move(reread)) {}

    /// Stores the patterns on that many PEs each. Returns on how many they are.
    std::uint32_t submit(Dataset const& dataset, msa::Patterns const& patterns, std::uint32_t replicas);

    /// Divides the members into groups of neighbours, and deals all sites to each; nothing if there are so many groups
    /// already. `patterns`: the whole alignment, if all PEs have it at hand. Precondition: 1 <= num_groups <= members.
    void deal(std::uint32_t num_groups, msa::Patterns const* patterns);

    /// After a shrink: deals the sites of the dead to those left in their groups, and restores the redundancy. Groups
    /// that have died out are gone.
    void recover(Recovery& record);

    /// The whole alignment, but for the places of the patterns in it.
    msa::Patterns all_patterns();

    std::size_t num_groups() const { return groups_.size(); }
    /// The place of this PE's group among them.
    std::size_t my_group() const;
    Group const& group() const { return groups_[my_group()]; }
    /// What this PE computes on: patterns of the alignment, and their blocks, one behind the other.
    std::span<assign::Work const> work() const { return group().work[value(comm_.self())]; }
    std::span<std::byte const> blocks() const { return blocks_; }

private:
    std::vector<std::byte> load(Csr<BlockRange> const& rows, Recovery& record);

    ft::Communicator& comm_;
    store::ReplicatedStore store_;
    Reread reread_;
    Dataset const* dataset_ = nullptr;
    std::vector<std::uint64_t> costs_;  // of a pattern, per partition
    std::vector<Group> groups_;
    std::vector<std::byte> blocks_;
};

}  // namespace regraft::phylo
