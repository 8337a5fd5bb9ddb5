// Nonblocking collectives, as whoever waits for requests sees them.
#pragma once

#include <mpi.h>

namespace regraft::shield {

/// Whether a request is that of a nonblocking collective that is not over.
bool is_collective_under_way(MPI_Request request);
/// The code with which the collective of this request has ended, once: MPI_SUCCESS if it is none of ours.
int take_failure(MPI_Request request);

}  // namespace regraft::shield
