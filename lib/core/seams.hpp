// Cuts ranges of blocks at seams.
#pragma once

#include <algorithm>
#include <span>

#include "regraft/core/ids.hpp"

namespace regraft {

/// Calls visit for the parts of blocks between seams, which ascend.
template <class Visit>
void between_seams(BlockRange blocks, std::span<BlockId const> seams, Visit visit) {
    auto seam = std::upper_bound(seams.begin(), seams.end(), blocks.first);
    while (!blocks.empty()) {
        auto const end = seam == seams.end() ? blocks.last : std::min(*seam++, blocks.last);
        if (end != blocks.first) visit(BlockRange{blocks.first, end});
        blocks.first = end;
    }
}

}  // namespace regraft
