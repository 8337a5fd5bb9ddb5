// Decides which members take over the entities of the dead. Pure: every survivor evaluates the rule alone, and all get
// the same.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "regraft/core/ids.hpp"

#pragma GCC visibility push(default)
namespace regraft::checkpoint {

/// An entity whose home has died. When a snapshot is opened, every entity is one.
struct Orphan {
    std::string_view name;          // name of the entity
    std::uint64_t bytes = 0;        // length of its state
    PeId home{};                    // the dead PE
    std::span<PeId const> holders;  // members with a copy, ascending; none: the entity has to be rebuilt, or is lost
};

/// A member that may become a home.
struct Survivor {
    PeId pe{};                // its number, which the result of a Deal names
    std::uint64_t bytes = 0;  // bytes of its own entities
};

/// Returns the new home, a survivor, of each orphan. All members use the same function and get the same result. Orphans
/// are in the order of their homes, survivors in that of their PeIds.
using Deal = std::function<std::vector<PeId>(std::span<Orphan const>, std::span<Survivor const>)>;

/// Deals orphans to survivors that have a copy, so that nothing has to travel. The survivors then have numbers of bytes
/// that are as even as that allows (matching::min_b_matching with weights). Orphans without a copy are dealt as by
/// balanced().
std::vector<PeId> to_holders(std::span<Orphan const> orphans, std::span<Survivor const> survivors);

/// Deals the largest orphan first, each to the survivor with the fewest bytes so far; ties go to a holder if there is
/// one (list scheduling, longest first: Graham 1969). O(orphans (log orphans + holders log p)).
std::vector<PeId> balanced(std::span<Orphan const> orphans, std::span<Survivor const> survivors);

}  // namespace regraft::checkpoint
#pragma GCC visibility pop
