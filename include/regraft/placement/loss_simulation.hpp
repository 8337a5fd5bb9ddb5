// Draws failures at random until data is lost: for placements without a closed form, and to check the closed forms.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "regraft/core/random.hpp"
#include "regraft/placement/loss.hpp"
#include "regraft/placement/placement.hpp"

#pragma GCC visibility push(default)
namespace regraft::placement {

/// The number of failures until data is lost, drawn from its exact distribution without drawing the failures.
/// O(sum of sizes * sqrt(num_slots)) time, O(largest size) memory.
std::uint64_t sample_failures_until_loss(LossModel const& model, Random& random);

/// The different sets of holders of a placement: a block is lost when all slots of its set have failed.
class HolderSets {
public:
    /// Every slot fails alone. O(runs * replicas) memory; time is that times log(runs).
    explicit HolderSets(Any const& placement);
    /// Slots of the same node fail together. node_of_slot: one entry per slot; nodes are numbered from 0 to the largest
    /// number that occurs.
    HolderSets(Any const& placement, std::span<std::uint32_t const> node_of_slot);

    /// The number of nodes that may fail; slots if every slot fails alone.
    std::uint32_t num_nodes() const { return num_nodes_; }
    /// The number of different sets; 0 if there are no blocks.
    std::size_t size() const { return set_size_.size(); }
    /// The closed form; none if two of the sets overlap, or if there is no set.
    std::optional<LossModel> model() const;

    /// The number of failures in each trial: nodes fail one after the other in random order until all nodes of one set
    /// have; the last one is included. The same for any number of threads. Precondition: size() > 0.
    std::vector<std::uint32_t> simulate(std::uint64_t num_trials, std::uint64_t seed) const;

private:
    std::uint32_t num_nodes_;
    std::vector<std::uint32_t> set_size_;
    // Row i: the sets that contain node i.
    std::vector<std::uint64_t> offsets_;
    std::vector<std::uint32_t> sets_;
};

}  // namespace regraft::placement
#pragma GCC visibility pop
