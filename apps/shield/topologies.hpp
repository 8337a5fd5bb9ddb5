// Grids and graphs.
#pragma once

#include <mpi.h>

namespace regraft::shield {

/// MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH, or MPI_UNDEFINED.
inline int topology_of(MPI_Comm comm) {
    int kind = MPI_UNDEFINED;
    PMPI_Topo_test(comm, &kind);
    return kind;
}

}  // namespace regraft::shield
