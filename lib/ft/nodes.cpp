#include "regraft/ft/nodes.hpp"

#include "regraft/core/checked_cast.hpp"
#include "regraft/ft/derived.hpp"

namespace regraft::ft {
namespace {

FailPhase node_ids_phase("node_ids", Moment::during_next_call);

}  // namespace

std::vector<std::uint32_t> node_ids(Communicator& comm) {
    comm.reach(node_ids_phase.before);
    Derived const node(comm, [&comm](MPI_Comm native, MPI_Comm* derived) {
        auto const key = checked_cast<int>(comm.position(comm.self()));
        return MPI_Comm_split_type(native, MPI_COMM_TYPE_SHARED, key, MPI_INFO_NULL, derived);
    });
    auto const mine = value(node.members().front());
    std::vector<std::uint32_t> ids(comm.size());
    comm.reach(node_ids_phase.inside);
    comm.check(MPI_Allgather(&mine, 1, MPI_UINT32_T, ids.data(), 1, MPI_UINT32_T, comm.native()), "MPI_Allgather");
    comm.reach(node_ids_phase.after);
    comm.agree();
    return ids;
}

}  // namespace regraft::ft
