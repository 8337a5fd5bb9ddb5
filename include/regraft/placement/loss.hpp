// How probable it is that failures lose data: closed forms for disjoint groups of slots, exact to about 13 digits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft::placement {

/// `count` groups of `size` slots each.
struct GroupKind {
    std::uint64_t size = 0;   // slots of a group, at least 1
    std::uint64_t count = 0;  // groups of that size
    friend bool operator==(GroupKind const&, GroupKind const&) = default;
};

/// A model in which slots fail one after the other, in a uniformly random order. Data is lost as soon as all slots of
/// one group have failed. Groups are disjoint; a slot may belong to none. A slot stands for a unit that fails as a
/// whole: a PE, or a node.
///
/// Probabilities below 1e-300 may come out as 0. Otherwise the relative error of all results is below 1e-12; where
/// neither loss nor survival is less probable than 1e-10, below 1e-13. docs/mpi/loss.md has the formulas.
class LossModel {
public:
    /// Precondition: at least one group; no size is 0 or occurs twice; num_slots < 2^40 and at least the number of
    /// slots in all groups together.
    LossModel(std::uint64_t num_slots, std::vector<GroupKind> groups);

    /// The number of slots that may fail.
    std::uint64_t num_slots() const { return num_slots_; }
    /// The number of groups of all kinds together.
    std::uint64_t num_groups() const { return num_groups_; }
    /// Kinds of groups in the order of descending sizes; no count is 0.
    std::vector<GroupKind> const& groups() const { return groups_; }
    /// The number of slots in no group.
    std::uint64_t num_free() const { return num_free_; }
    /// The largest number of failures that can be survived: then every group has one living slot.
    std::uint64_t most_survivable() const { return num_slots_ - num_groups_; }

    /// The probability that `failures` failures lose data. Precondition: failures <= num_slots. At most O(sum of sizes
    /// + largest size * 100), for any num_slots.
    double loss_probability(std::uint64_t failures) const;
    /// 1 - loss_probability, exact also where that is nearly 1.
    double survival_probability(std::uint64_t failures) const;

    /// Mean number of failures until data is lost, the last one included; each slot fails once (MNFTI). O(1).
    double expected_failures() const;
    /// The same if failures can also hit slots that failed before, and those hits count (MNFTI with re-hits).
    double expected_hits() const;
    /// The smallest number of failures that lose data with probability >= q, up to a relative error of 1e-13.
    /// Precondition: 0 < q <= 1. O(log num_slots) probabilities.
    std::uint64_t quantile(double q) const;

private:
    double expected_losses(std::uint64_t failures) const;
    double loss_by_inclusion_exclusion(std::uint64_t failures) const;
    double survival_at_saddle_point(std::uint64_t failures) const;

    std::uint64_t num_slots_;
    std::uint64_t num_groups_ = 0;
    std::uint64_t num_free_;
    std::vector<GroupKind> groups_;
};

/// The model of the groups of ModK: k = floor(num_slots / replicas) groups, as even as possible. They are those of
/// ReStore if replicas divides num_slots. Precondition: 1 <= replicas <= num_slots.
LossModel mod_k_groups(std::uint64_t num_slots, std::uint64_t replicas);

/// The same if nodes of node_size consecutive slots (the last may have fewer) fail as a whole; a slot of the model is a
/// node. None if the node sets of different groups overlap without being the same: then there is no closed form, see
/// HolderSets. There is one if node_size is 1 or divides k. Precondition: 1 <= replicas <= num_slots, node_size >= 1.
std::optional<LossModel> mod_k_nodes(std::uint64_t num_slots, std::uint64_t replicas, std::uint64_t node_size);

}  // namespace regraft::placement
#pragma GCC visibility pop
