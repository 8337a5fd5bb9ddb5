// Partners on the nodes as they are.
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "regraft/checkpoint/partners.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/ft/nodes.hpp"

namespace regraft::checkpoint {

Partners on_other_nodes(ft::Communicator& comm, std::uint32_t copies) {
    auto const ids = ft::node_ids(comm);
    auto const num_nodes = std::set(ids.begin(), ids.end()).size();
    if (num_nodes <= 1 || num_nodes == comm.size()) return pairwise(copies);
    std::vector<std::uint32_t> node_of(comm.num_founders());
    for (std::size_t i = 0; i < ids.size(); ++i) node_of[value(comm.members()[i])] = ids[i];
    return on_other_nodes(std::move(node_of), copies);
}

}  // namespace regraft::checkpoint
