// A communicator of all living processes.
#pragma once

#include <mpi.h>

#include <vector>

#include "regraft/core/ids.hpp"

namespace regraft::shield {

/// A hidden communicator of all processes that lived at the end of the last repair.
struct Stage {
    MPI_Comm comm = MPI_COMM_NULL;
    std::vector<PeId> members;  // by rank

    /// Precondition: a member. O(size).
    int rank_of(PeId member) const;
};

}  // namespace regraft::shield
