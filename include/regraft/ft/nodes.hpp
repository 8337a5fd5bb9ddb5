// Which members share a node, and so die together.
#pragma once

#include <cstdint>
#include <vector>

#include "regraft/ft/communicator.hpp"

namespace regraft::ft {

/// Per member the id of its node: the number of the lowest member there. Members that can share memory are on one node
/// (MPI_COMM_TYPE_SHARED). What placement::NodeAware takes, with slots in the order of the members. Nodes do not
/// change, but after deaths a node may get another id. Collective, uniform: all survivors get the same, or all throw
/// ProcessFailure.
std::vector<std::uint32_t> node_ids(Communicator& comm);

}  // namespace regraft::ft
