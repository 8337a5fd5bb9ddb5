// Nonblocking collectives, as whoever waits for requests sees them.
#pragma once

#include <mpi.h>

#include <functional>

#include "shield/engine/lane.hpp"

namespace regraft::shield {

/// See Nonblocking::start.
using Attempt = std::function<int(MPI_Comm, MPI_Request*)>;

/// Starts a nonblocking collective, which has this request for the program. finish(): what is left to do when the
/// results are final. What the return code says the program has been told.
int start(
    Lane& lane, MPI_Request* request, Attempt attempt, std::function<void()> finish = [] {});

/// A request for something that is under way, for the program; its return code.
int begin_request(MPI_Request* request);
/// How something that was under way has ended for who waits for it.
struct Ending {
    int code = MPI_SUCCESS;
    MPI_Comm face = MPI_COMM_WORLD;  // whose error handler is told
};
/// What it stands for is over.
void end_request(MPI_Request request, Ending ending);
/// What it stands for was not started: it is freed.
void withdraw_request(MPI_Request* request);

/// Whether any is not over.
bool has_collectives_under_way();
/// Whether a request is that of a nonblocking collective that is not over.
bool is_collective_under_way(MPI_Request request);
/// How the collective of this request has ended, once: well if it is none of ours.
Ending take_failure(MPI_Request request);

}  // namespace regraft::shield
