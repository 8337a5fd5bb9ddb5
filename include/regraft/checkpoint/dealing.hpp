// Who takes over the entities of the dead. Pure: every survivor evaluates the rule alone, and all get the same.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "regraft/core/ids.hpp"

namespace regraft::checkpoint {

/// An entity whose home has died, or, where a snapshot is opened, any.
struct Orphan {
    std::string_view name;
    std::uint64_t bytes = 0;
    PeId home{};                    // the dead
    std::span<PeId const> holders;  // members with a copy, ascending; none: it has to be rebuilt, or is lost
};

struct Survivor {
    PeId pe{};
    std::uint64_t bytes = 0;  // of its own entities
};

/// The new home, a survivor, of each orphan. The same function, with the same result, on all members. Orphans are in
/// the order of their homes, survivors in that of their PeIds.
using Deal = std::function<std::vector<PeId>(std::span<Orphan const>, std::span<Survivor const>)>;

/// To those who have a copy, so that nothing has to travel, with the bytes that survivors then have as even as that
/// allows (matching::min_b_matching with weights); what nobody has, as balanced().
std::vector<PeId> to_holders(std::span<Orphan const> orphans, std::span<Survivor const> survivors);

/// The largest first, each to who has the fewest bytes by then, of several such to a holder if there is one (list
/// scheduling, longest first: Graham 1969). O(orphans (log orphans + holders log p)).
std::vector<PeId> balanced(std::span<Orphan const> orphans, std::span<Survivor const> survivors);

}  // namespace regraft::checkpoint
