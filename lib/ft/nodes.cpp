#include "regraft/ft/nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "regraft/core/checked_cast.hpp"

namespace regraft::ft {
namespace {

FailPhase node_ids_phase("node_ids", Moment::during_next_call);

/// Owns a communicator of which only the group is looked at.
struct Node {
    Node() = default;
    Node(Node const&) = delete;
    Node& operator=(Node const&) = delete;
    ~Node() {
        if (native != MPI_COMM_NULL) MPI_Comm_free(&native);
    }
    MPI_Comm native = MPI_COMM_NULL;
};

/// The lowest rank in comm that node has, too. Local.
std::size_t lowest_rank(MPI_Comm node, Communicator& comm) {
    MPI_Group here = MPI_GROUP_NULL;
    MPI_Group all = MPI_GROUP_NULL;
    int size = 0;
    comm.check(MPI_Comm_size(node, &size), "MPI_Comm_size");
    comm.check(MPI_Comm_group(node, &here), "MPI_Comm_group");
    comm.check(MPI_Comm_group(comm.native(), &all), "MPI_Comm_group");
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    std::vector<int> in_all(ranks.size());
    comm.check(MPI_Group_translate_ranks(here, size, ranks.data(), all, in_all.data()), "MPI_Group_translate_ranks");
    comm.check(MPI_Group_free(&here), "MPI_Group_free");
    comm.check(MPI_Group_free(&all), "MPI_Group_free");
    return checked_cast<std::size_t>(*std::min_element(in_all.begin(), in_all.end()));
}

}  // namespace

std::vector<std::uint32_t> node_ids(Communicator& comm) {
    Node node;
    comm.reach(node_ids_phase.before);
    comm.reach(node_ids_phase.inside);
    auto const key = checked_cast<int>(comm.position(comm.self()));
    comm.check(MPI_Comm_split_type(comm.native(), MPI_COMM_TYPE_SHARED, key, MPI_INFO_NULL, &node.native),
               "MPI_Comm_split_type");
    // Nobody may touch a new communicator before all have left the call that made it. No message goes over it at all:
    // who waited on it for a dead member would not be woken by a revoke of comm.
    comm.agree();
    auto mine = value(comm.members()[lowest_rank(node.native, comm)]);
    std::vector<std::uint32_t> ids(comm.size());
    comm.check(MPI_Allgather(&mine, 1, MPI_UINT32_T, ids.data(), 1, MPI_UINT32_T, comm.native()), "MPI_Allgather");
    comm.reach(node_ids_phase.after);
    comm.agree();
    return ids;
}

}  // namespace regraft::ft
