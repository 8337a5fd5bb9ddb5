// A placement that lists the slots of every block: any placement that a test needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "regraft/core/random.hpp"
#include "regraft/placement/placement.hpp"

namespace regraft::test {

class ListedPlacement {
public:
    using Slots = std::vector<placement::Slot>;

    ListedPlacement(std::vector<Slots> slots_of, std::uint32_t num_slots, std::uint32_t replicas)
        : slots_of_(std::move(slots_of)), shape_{slots_of_.size(), num_slots, replicas} {}

    placement::Shape shape() const { return shape_; }
    std::uint32_t num_copies(BlockId block) const { return static_cast<std::uint32_t>(slots_of_[value(block)].size()); }
    placement::Slot holder(BlockId block, std::uint32_t copy) const { return slots_of_[value(block)][copy]; }
    BlockRange run(BlockId block) const {
        auto first = value(block);
        auto last = first + 1;
        while (first > 0 && slots_of_[first - 1] == slots_of_[first]) --first;
        while (last < slots_of_.size() && slots_of_[last] == slots_of_[first]) ++last;
        return {BlockId{first}, BlockId{last}};
    }
    std::vector<BlockRange> held(placement::Slot slot) const {
        std::vector<BlockRange> ranges;
        for (std::uint64_t b = 0; b < slots_of_.size(); ++b) {
            for (auto const other : slots_of_[b]) {
                if (other == slot) ranges.push_back({BlockId{b}, BlockId{b + 1}});
            }
        }
        return ranges;
    }

private:
    std::vector<Slots> slots_of_;
    placement::Shape shape_;
};

/// Every slot submits `runs` runs of consecutive blocks; copy c of run i is with the slot at a distance that depends on
/// i and c, so that all slots hold equally much, and the copies of one slot are with many others.
inline ListedPlacement shifted_runs(std::uint32_t slots, std::uint32_t replicas, std::uint64_t runs,
                                    std::uint64_t run_blocks, std::uint64_t seed) {
    std::vector<std::vector<std::uint32_t>> distances(runs);
    Random random(seed);
    for (auto& of_run : distances) {
        for (std::uint32_t d = 1; d < slots; ++d) of_run.push_back(d);
        shuffle(std::span(of_run), random);
    }
    std::vector<ListedPlacement::Slots> slots_of;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
        for (std::uint64_t run = 0; run < runs; ++run) {
            ListedPlacement::Slots holders{placement::Slot{slot}};
            for (std::uint32_t c = 1; c < replicas; ++c) {
                holders.push_back(placement::Slot{(slot + distances[run][c - 1]) % slots});
            }
            slots_of.insert(slots_of.end(), run_blocks, holders);
        }
    }
    return {std::move(slots_of), slots, replicas};
}

}  // namespace regraft::test
