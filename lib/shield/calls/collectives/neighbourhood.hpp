// Neighbours in a grid or graph.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace regraft::shield {

/// The neighbours of this process: ranks on a face.
struct Neighbours {
    std::vector<int> from, to;
    /// The order in which several blocks from one neighbour come. The block sent downwards is received from above,
    /// which matters if the neighbours above and below are the same.
    std::vector<std::size_t> order;
};

/// The neighbours on a face, which keeps its topology whichever members die. None without a topology.
Neighbours neighbours(MPI_Comm face);

}  // namespace regraft::shield
