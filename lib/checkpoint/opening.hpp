// What opening a saved commit and reopening a kept one have in common: homes for its entities, and a look at their
// bytes before the program's state changes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/saved.hpp"
#include "regraft/checkpoint/dealing.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"

namespace regraft::checkpoint {

/// The homes of all entities, which are all orphans. holders: for each entity, the members that have it; no rows: not
/// known. Without a rule, entities go to their former homes if all members are among those that saved them; otherwise
/// they are balanced. Every member computes it alone.
std::vector<PeId> deal(SavedState const& state, Csr<PeId> const& holders, std::span<PeId const> members, Deal rule);

/// The entities that are at home with this PE, as blocks.
std::vector<BlockRange> at_home(std::span<PeId const> homes, PeId pe);

/// Throws InputError unless all compressed entities can be unpacked. A checksum proves that bytes are undamaged, but
/// not which program wrote them. bytes: what is stored of the entities, one behind the other.
void expect_frames(SavedState const& state, std::span<BlockRange const> entities, std::span<std::byte const> bytes,
                   std::string const& file);

}  // namespace regraft::checkpoint
