// Finds out which members share a node, and so die together.
#pragma once

#include <cstdint>
#include <vector>

#include "regraft/ft/communicator.hpp"

#pragma GCC visibility push(default)
namespace regraft::ft {

/// The id of each member's node: the number of the lowest member on it. Members that can share memory are on one node
/// (MPI_COMM_TYPE_SHARED). The result fits placement::NodeAware, with slots in the order of the members. Members do not
/// change nodes, but after deaths a node may get another id. Collective, uniform: all survivors get the same, or all
/// throw ProcessFailure.
std::vector<std::uint32_t> node_ids(Communicator& comm);

}  // namespace regraft::ft
#pragma GCC visibility pop
