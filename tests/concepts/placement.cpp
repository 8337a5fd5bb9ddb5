// A placement of one's own on two slots. MISTAKE: run() is missing, without which callers would have to go block by
// block.
#include "regraft/placement/placement.hpp"

#include <vector>

using namespace regraft;

struct EveryBlockOnBoth {
    placement::Shape shape() const { return {.num_blocks = 10, .num_slots = 2, .replicas = 2}; }
    std::uint32_t num_copies(BlockId) const { return 2; }
    placement::Slot holder(BlockId, std::uint32_t copy) const { return placement::Slot{copy}; }
    std::vector<BlockRange> held(placement::Slot) const { return {{BlockId{0}, BlockId{10}}}; }
#ifndef MISTAKE
    BlockRange run(BlockId) const {
        return {BlockId{0}, BlockId{10}};
    }
#endif
};

placement::Any const both{EveryBlockOnBoth()};
