// The progress in files of the nodes' memory: if all ranks die, the next start of the job goes on from the last commit.
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

/// Does nothing without Options::keep.
class KeptProgress {
public:
    explicit KeptProgress(Context& context) : context_(context) {}

    /// Finds out which members share a node. Precondition: the input is read. Collective, uniform.
    void begin();

    /// The prefix of the files on this node, as checkpoint files have one; empty if there are none.
    std::string const& prefix() const { return prefix_; }
    /// Whether this PE is the first living member of the job on its node.
    bool is_first_of_node() const;

    /// Whether this PE writes now. group: members that have the same progress. The pace is such that writing takes a
    /// few hundredths of the time.
    bool is_due(std::span<PeId const> group) const;
    /// Replaces the file of this PE. Returns the problem, if any: the search can continue without.
    Problem save(Progress const& progress);
    /// Removes the files of this node.
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
