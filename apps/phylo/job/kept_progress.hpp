// The progress in files in the memory of the nodes (--keep): if all ranks die but the nodes live, the next start of the
// job continues from them.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "job/context.hpp"
#include "progress/progress.hpp"
#include "regraft/core/ids.hpp"
#include "together/shared_input_error.hpp"

namespace regraft::phylo {

/// The files of this node. Does nothing without --keep.
class KeptProgress {
public:
    explicit KeptProgress(Context& context) : context_(context) {}

    /// Finds out which members share a node. Precondition: the input is read. Collective, uniform.
    void begin();

    /// The prefix of the files on this node, as checkpoint files have one; empty if there are none.
    std::string const& prefix() const { return prefix_; }
    /// Whether this PE is the first living member of the job on its node.
    bool is_first_of_node() const;

    /// Whether this PE writes now: if it is the first of the group on its node, and 50 times as long as the last write
    /// took have passed. group: the members that have the same progress.
    bool is_due(std::span<PeId const> group) const;
    /// Replaces the file of this PE. Returns the problem, if any: the search can continue without the file.
    Problem save(Progress const& progress);
    /// Removes the files of this node, on the first living member there.
    void remove() const;

private:
    using Clock = std::chrono::steady_clock;

    bool is_first_of_node(std::span<PeId const> members) const;

    Context& context_;
    std::string prefix_;
    std::vector<std::uint32_t> node_of_;  // by PeId
    Clock::time_point next_{};
};

}  // namespace regraft::phylo
