// Rules that say where snapshots keep their copies: for each member, which others keep its state.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <variant>
#include <vector>

#include "regraft/core/ids.hpp"
#include "regraft/erasure/code.hpp"
#include "regraft/placement/placement.hpp"

#pragma GCC visibility push(default)
namespace regraft::ft {
class Communicator;
}
namespace regraft::checkpoint {

/// Returns a placement of as many blocks as there are members on as many slots: a slot that holds block s keeps the
/// state of member s, as placement::Uneven says. It is called at each commit with the members, ascending. All members
/// use the same function.
using Partners = std::function<placement::Any(std::span<PeId const> members)>;

/// Keeps each member's state on itself and on copies - 1 others, p / copies apart (Kohl et al. 2019: copies = 2). With
/// fewer members than copies it is on all of them. Precondition: copies >= 1.
Partners pairwise(std::uint32_t copies = 2);

/// The same on different nodes, as far as there are enough. node_of is the node of each PeId (ft::node_ids of all
/// founders). With copies <= floor(p / n) and n members on the largest node, no two copies are on one node.
/// Precondition: as many entries as there are founders.
Partners on_other_nodes(std::vector<std::uint32_t> node_of, std::uint32_t copies = 2);
/// The same on the nodes as they are. pairwise if each member is on a node of its own or all are on one. Asks
/// ft::node_ids once. Collective, uniform.
Partners on_other_nodes(ft::Communicator& comm, std::uint32_t copies = 2);

/// How a snapshot survives deaths: by copies, or by the parities of an erasure code, which take less memory and more
/// time to read (store::ErasureStore).
using Redundancy = std::variant<Partners, erasure::Code>;

}  // namespace regraft::checkpoint
#pragma GCC visibility pop
