// The holders of a block that are nearest to the PE that wants it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "regraft/core/ids.hpp"

namespace regraft::schedule {

/// The node of a PE. A PE beyond the end of node_of, which may stand for a disk in a plan, is on none of the nodes.
inline std::uint32_t node(PeId pe, std::span<std::uint32_t const> node_of) {
    return value(pe) < node_of.size() ? node_of[value(pe)] : std::numeric_limits<std::uint32_t>::max();
}

/// Replaces near by the holders on the receiver's node, if there are any, and otherwise by all holders.
inline void nearest(PeId receiver, std::span<PeId const> holders, std::span<std::uint32_t const> node_of,
                    std::vector<PeId>& near) {
    near.clear();
    for (auto const pe : holders) {
        if (node(pe, node_of) == node(receiver, node_of)) near.push_back(pe);
    }
    if (near.empty()) near.assign(holders.begin(), holders.end());
}

}  // namespace regraft::schedule
