// Nonblocking collectives, as whoever waits for requests sees them.
#pragma once

#include <mpi.h>

#include <functional>

#include "shield/lane.hpp"

namespace regraft::shield {

/// See Nonblocking::start.
using Attempt = std::function<int(MPI_Comm, MPI_Request*)>;

/// Starts a nonblocking collective, which has this request for the program. finish(): what is left to do when the
/// results are final. What the return code says the program has been told.
int start(
    Lane& lane, MPI_Request* request, Attempt attempt, std::function<void()> finish = [] {});

/// Whether a request is that of a nonblocking collective that is not over.
bool is_collective_under_way(MPI_Request request);
/// The code with which the collective of this request has ended, once: MPI_SUCCESS if it is none of ours.
int take_failure(MPI_Request request);

}  // namespace regraft::shield
