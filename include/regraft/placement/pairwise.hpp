// Pairwise placement: every slot keeps its own part and that of its partner half the machine away (Kohl et al. 2019).
#pragma once

#include <cstdint>
#include <optional>

#include "regraft/placement/permuted.hpp"

#pragma GCC visibility push(default)
namespace regraft::placement {

/// Slot h owns the h-th of p even parts of the blocks. Copy k of it is on slot (h + floor(k * p / r)) mod p. With two
/// replicas, one is at home and one half the machine away. So all copies but the submitter's own travel once, in one
/// message to each partner, and neighbours never hold the same. The price: when a slot dies, only its r - 1 partners
/// have its blocks, so they alone send. Permuted with a seed has more senders, but more and smaller messages.
///
/// This is Permuted without a seed, with ranges of one block. Every question takes O(1) time and memory; held takes
/// O(replicas log replicas).
class Pairwise : public Permuted {
public:
    /// Precondition: 1 <= replicas <= num_slots.
    Pairwise(std::uint64_t num_blocks, std::uint32_t num_slots, std::uint32_t replicas = 2)
        : Permuted(num_blocks, num_slots, replicas, {.range_blocks = 1, .seed = std::nullopt}) {}
};

}  // namespace regraft::placement
#pragma GCC visibility pop
