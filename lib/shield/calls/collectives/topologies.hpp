// Grids and graphs.
#pragma once

#include <mpi.h>

namespace regraft::shield {

/// The topology: MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH, or MPI_UNDEFINED.
inline int topology_of(MPI_Comm comm) {
    int kind = MPI_UNDEFINED;
    PMPI_Topo_test(comm, &kind);
    return kind;
}

/// Duplicates parent as PMPI_Comm_dup does, but with the topology of another communicator of the same ranks.
int duplicate_with_topology(MPI_Comm of, MPI_Comm parent, MPI_Comm* made);

}  // namespace regraft::shield
