#include "store/blocks/seams.hpp"

#include <algorithm>

namespace regraft::store {

void Seams::add(BlockRange blocks, PeId holder) {
    for (auto const block : {blocks.first, blocks.last}) seams_.push_back({block, holder});
}

void Seams::prune(placement::Directory const& directory) {
    std::sort(seams_.begin(), seams_.end());
    seams_.erase(std::unique(seams_.begin(), seams_.end()), seams_.end());
    std::erase_if(seams_, [&](Seam const& seam) {
        if (value(seam.block) == 0 || value(seam.block) >= directory.num_blocks()) return true;
        bool both = true;
        directory.visit({BlockId{value(seam.block) - 1}, advance(seam.block, 1)}, [&](placement::Run const& run) {
            both = both && std::binary_search(run.holders.begin(), run.holders.end(), seam.holder);
        });
        return !both;
    });
    blocks_.clear();
    for (auto const& seam : seams_) {
        if (blocks_.empty() || blocks_.back() != seam.block) blocks_.push_back(seam.block);
    }
}

}  // namespace regraft::store
