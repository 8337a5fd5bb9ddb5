// Starts nonblocking collectives.
#pragma once

#include <mpi.h>

#include <functional>

#include "shield/lanes/lane.hpp"

namespace regraft::shield {

/// See Nonblocking::start.
using Attempt = std::function<int(MPI_Comm, MPI_Request*)>;

/// Starts a nonblocking collective; the program gets this request. finish() is called when the results are final. The
/// program has been told of the error that is returned.
int start(
    Lane& lane, MPI_Request* request, Attempt attempt, std::function<void()> finish = [] {});

/// Starts one with a root, which may be dead: then only skip() is called, at the end.
int start_rooted(Lane& lane, MPI_Request* request, int root, Attempt attempt, std::function<void()> skip);

}  // namespace regraft::shield
