// A placement of one's own: how many deaths it survives, beside others, and what a repair after one costs; without MPI.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

#include "regraft/placement/loss_simulation.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/permuted.hpp"
#include "regraft/placement/placement.hpp"
#include "regraft/repair/plan.hpp"

using namespace regraft;

namespace {

constexpr std::uint32_t rack_slots = 4;

/// Slot h owns the h-th of p even parts of the blocks and copies it to the slot at the same place of the next rack. Its
/// functions are all that stores, repairs and loss models need of a rule.
class NextRack {
public:
    NextRack(std::uint64_t num_blocks, std::uint32_t num_slots) : shape_{num_blocks, num_slots, 2} {}

    placement::Shape shape() const { return shape_; }
    std::uint32_t num_copies(BlockId) const { return 2; }
    placement::Slot holder(BlockId block, std::uint32_t copy) const {
        return placement::Slot{(owner(block) + copy * rack_slots) % shape_.num_slots};
    }
    std::vector<BlockRange> held(placement::Slot slot) const {
        auto const behind = (value(slot) + shape_.num_slots - rack_slots) % shape_.num_slots;
        std::vector<BlockRange> ranges{part(value(slot)), part(behind)};
        std::ranges::sort(ranges);
        std::erase_if(ranges, [](BlockRange range) { return range.empty(); });
        return ranges;
    }
    BlockRange run(BlockId block) const { return part(owner(block)); }

private:
    BlockRange part(std::uint32_t slot) const { return even_part<BlockId>(shape_.num_blocks, slot, shape_.num_slots); }
    /// The slot in whose part the block is.
    std::uint32_t owner(BlockId block) const {
        auto slot = static_cast<std::uint32_t>(value(block) * shape_.num_slots / shape_.num_blocks);
        while (!part(slot).contains(block)) slot += block < part(slot).first ? -1U : 1U;
        return slot;
    }
    placement::Shape shape_;
};
static_assert(placement::Placement<NextRack>);

double mean_failures(placement::HolderSets const& sets) {
    auto const failures = sets.simulate(10'000, 1);
    return std::accumulate(failures.begin(), failures.end(), 0.0) / static_cast<double>(failures.size());
}

void tell_loss(char const* name, placement::Any const& rule) {
    std::vector<std::uint32_t> racks;
    for (std::uint32_t slot = 0; slot < rule.shape().num_slots; ++slot) racks.push_back(slot / rack_slots);
    std::printf("%-9s loses data after %5.2f deaths of slots, or %4.2f of racks\n", name,
                mean_failures(placement::HolderSets(rule)), mean_failures({rule, racks}));
}

/// A rack dies: which slot copies what, so that every block has two copies again.
void tell_repair(NextRack const& rule, std::uint64_t block_bytes) {
    std::vector<PeId> pes;
    for (std::uint32_t slot = 0; slot < rule.shape().num_slots; ++slot) pes.push_back(PeId{slot});
    placement::Directory directory(rule, pes);
    pes.erase(pes.begin() + rack_slots, pes.begin() + 2 * rack_slots);
    directory.retain(pes);

    BlockSizes const sizes(rule.shape().num_blocks, block_bytes);
    auto const plan = repair::plan(directory, sizes, pes);
    auto const megabytes = [](std::uint64_t bytes) { return 1e-6 * static_cast<double>(bytes); };
    std::printf("rack 1 dies: %.1f MB are copied, at most %.1f MB from one slot and %.1f MB to one\n",
                megabytes(plan.bytes_copied), megabytes(plan.most_sent), megabytes(plan.most_received));
    std::printf("%zu blocks are lost, the others have %u copies again\n", plan.lost.size(), plan.least_copies);
}

}  // namespace

int main() {
    constexpr std::uint64_t num_blocks = 100'000;
    constexpr std::uint32_t num_slots = 48;
    NextRack const rule(num_blocks, num_slots);
    tell_loss("next rack", rule);
    tell_loss("mod k", placement::ModK(num_blocks, num_slots, 2));
    tell_loss("permuted", placement::Permuted(num_blocks, num_slots, 2));
    tell_repair(rule, 1000);
}
